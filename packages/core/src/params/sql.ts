/**
 * Parameters in SQL become bind markers, never text, so a value cannot change the statement. `${name}` may
 * stand bare or alone in quotes; a list becomes one marker per entry. Literals and comments stay unchanged.
 * Time placeholders, whose text the author controls, are printed in place.
 */
import { InvalidInput } from '../errors.ts';
import { said } from '../texts/index.ts';
import { type Expansion, expandTime, type Piece, pieces } from './template.ts';
import type { JsonValue } from './types.ts';

/** A value that a database driver can bind. */
export type SqlValue = string | number | boolean | null;

/** A statement with markers, and its values in marker order. */
export interface BoundStatement {
  text: string;
  values: SqlValue[];
}

/** Markers of a driver: `?`, `$1`, or a function of the number, counted from 1. */
export type Markers = 'question' | 'numbered' | ((number: number) => string);

/** Source of values; a list becomes several markers. */
export interface SqlExpansion extends Pick<Expansion, 'businessTime' | 'zone' | 'at'> {
  /**
   * `inList` is true if the reference opens the parentheses of an `IN (…)`: only there a list makes sense.
   */
  value(name: string, inList: boolean): JsonValue | undefined;
  /** `?` for most drivers, `$1`, `$2`… for PostgreSQL; a function for others. Default `question`. */
  markers?: Markers;
}

/** A part of a statement: code, a quoted text with its quotes, or a comment. */
interface Stretch {
  kind: 'code' | 'quoted' | 'comment';
  text: string;
}

/** Opens a quoted text or a comment: ' " ` -- /* and PostgreSQL's $tag$. */
const OPENING = /['"`]|--|\/\*|\$(?:[A-Za-z_]\w*)?\$/g;

/**
 * Converts the references of a statement to bind markers. An unknown name is an error: NULL would hide it. A
 * reference inside a time placeholder is printed with it, so it must be a whole number.
 */
export function bindSql(sql: string, expansion: SqlExpansion): BoundStatement {
  const values: SqlValue[] = [];
  let text = '';
  for (const stretch of stretches(expandSqlTimes(sql, expansion))) {
    const alone = stretch.kind === 'quoted' ? aloneInQuotes(stretch.text) : undefined;
    if (alone) text += markersFor(alone.name, text, values, expansion);
    else if (stretch.kind === 'comment') text += stretch.text;
    else
      for (const piece of pieces(stretch.text)) {
        if (piece.kind === 'reference' && stretch.kind !== 'code')
          throw new InvalidInput(
            said('sql.inQuotes', { text: piece.text, quoted: stretch.text.slice(0, 80) }),
            expansion.at,
          );
        text += piece.kind === 'reference' ? markersFor(piece.name, text, values, expansion) : piece.text;
      }
  }
  return { text, values };
}

/** A statement with its time placeholders printed and all other references unchanged. */
export function expandSqlTimes(sql: string, expansion: SqlExpansion): string {
  const time = { ...expansion, value: (name: string) => wholeNumberText(name, expansion) };
  return pieces(sql)
    .map((piece) => (piece.kind === 'time' ? expandTime(piece.expression, time) : piece.text))
    .join('');
}

const OPENS_LIST = /\bin\s*\(\s*$/i;

function markersFor(name: string, before: string, values: SqlValue[], expansion: SqlExpansion): string {
  const value = known(name, expansion, OPENS_LIST.test(before.slice(-100)));
  const entries = Array.isArray(value) ? value : [value];
  if (entries.length === 0) {
    throw new InvalidInput(said('sql.emptyList', { name }), expansion.at);
  }
  return entries
    .map((entry) => {
      values.push(typeof entry === 'object' && entry !== null ? JSON.stringify(entry) : entry);
      return markerOf(values.length, expansion.markers);
    })
    .join(',');
}

function markerOf(number: number, markers: Markers = 'question'): string {
  if (typeof markers === 'function') return markers(number);
  return markers === 'numbered' ? `$${number}` : '?';
}

function known(name: string, expansion: SqlExpansion, inList = false): JsonValue {
  const value = expansion.value(name, inList);
  if (value !== undefined) return value;
  throw new InvalidInput(said('param.unknown', { name }), expansion.at);
}

function wholeNumberText(name: string, expansion: SqlExpansion): string {
  const text = String(known(name, expansion));
  if (/^[+-]?\d+$/.test(text)) return text;
  throw new InvalidInput(said('sql.timeNumber', { name }), expansion.at);
}

/**
 * The reference that makes up a whole string literal. Double quotes count as in MySQL; a backtick quotes a
 * column.
 */
function aloneInQuotes(quoted: string): Extract<Piece, { kind: 'reference' }> | undefined {
  const [only, ...others] = pieces(quoted.slice(1, -1));
  return /^['"]/.test(quoted) && only?.kind === 'reference' && others.length === 0 ? only : undefined;
}

/**
 * Splits a script into its statements, without semicolons; statements that are only comments are left out.
 * `line` is a statement's first line in the script, counted from 1. Bodies in `$$` stay whole; `BEGIN … END`
 * is not recognised.
 */
export function splitSql(script: string): { readonly sql: string; readonly line: number }[] {
  const statements: { sql: string; line: number }[] = [];
  let text = '';
  let code = '';
  let line = 1;
  const end = (): void => {
    const lead = /^\s*/.exec(text)?.[0] ?? '';
    if (code.trim() !== '') statements.push({ sql: text.trim(), line: line + newlines(lead) });
    line += newlines(text);
    text = '';
    code = '';
  };
  for (const stretch of stretches(script)) {
    const parts = stretch.kind === 'code' ? stretch.text.split(';') : [stretch.text];
    for (const [k, part] of parts.entries()) {
      if (k > 0) end();
      text += part;
      if (stretch.kind !== 'comment') code += part;
    }
  }
  end();
  return statements;
}

function newlines(text: string): number {
  return text.split('\n').length - 1;
}

function stretches(sql: string): Stretch[] {
  const found: Stretch[] = [];
  let start = 0;
  OPENING.lastIndex = 0;
  for (let match = OPENING.exec(sql); match; match = OPENING.exec(sql)) {
    const [opening] = match;
    const end = closing(sql, opening, match.index + opening.length);
    found.push({ kind: 'code', text: sql.slice(start, match.index) });
    const comment = opening === '--' || opening === '/*';
    found.push({ kind: comment ? 'comment' : 'quoted', text: sql.slice(match.index, end) });
    start = end;
    OPENING.lastIndex = end;
  }
  found.push({ kind: 'code', text: sql.slice(start) });
  return found;
}

/** The end of a quoted text or comment; the end of the statement if it is not closed. */
function closing(sql: string, opening: string, from: number): number {
  const mark = opening === '--' ? '\n' : opening === '/*' ? '*/' : opening;
  let at = sql.indexOf(mark, from);
  // A doubled quote is a quote inside the text.
  while (at >= 0 && mark.length === 1 && mark !== '\n' && sql[at + 1] === mark)
    at = sql.indexOf(mark, at + 2);
  return at < 0 ? sql.length : at + mark.length;
}
