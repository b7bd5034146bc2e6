/**
 * Parameters in SQL become bind markers, never text, so a value cannot change the statement. `${name}` may stand
 * bare or alone in quotes; a list becomes one marker per entry. Literals and comments stay as they are, and time
 * placeholders, whose text the author controls, are printed in place.
 */
import { InvalidInput } from '../errors.ts';
import { type Expansion, expandTime, type Piece, pieces } from './template.ts';
import type { JsonValue } from './types.ts';

/** A value that a database driver can bind. */
export type SqlValue = string | number | boolean | null;

/** A statement with markers, and its values in the order of the markers. */
export interface BoundStatement {
  text: string;
  values: SqlValue[];
}

/** Where values come from; a list is a LIST parameter. */
export interface SqlExpansion extends Pick<Expansion, 'businessTime' | 'zone' | 'at'> {
  value(name: string): JsonValue | undefined;
  /** `?` for most drivers, `$1`, `$2`… for PostgreSQL. Default `question`. */
  markers?: 'question' | 'numbered';
}

/** A stretch of a statement: code, a quoted text with its quotes, or a comment. */
interface Stretch {
  kind: 'code' | 'quoted' | 'comment';
  text: string;
}

/** Opens a quoted text or a comment: ' " ` -- /* and PostgreSQL's $tag$. */
const OPENING = /['"`]|--|\/\*|\$(?:[A-Za-z_]\w*)?\$/g;

/**
 * Turns the references of a statement into bind markers. An unknown name is an error: NULL would hide it.
 * A reference inside a time placeholder is printed with it, so it must be a whole number.
 */
export function bindSql(sql: string, expansion: SqlExpansion): BoundStatement {
  const values: SqlValue[] = [];
  const time = { ...expansion, value: (name: string) => wholeNumberText(name, expansion) };
  const timed = pieces(sql).map((piece) =>
    piece.kind === 'time' ? expandTime(piece.expression, time) : piece.text,
  );
  const text = stretches(timed.join('')).map((stretch) => {
    if (stretch.kind === 'comment') return stretch.text;
    const alone = stretch.kind === 'quoted' ? aloneInQuotes(stretch.text) : undefined;
    if (alone) return markersFor(alone.name, values, expansion);
    return pieces(stretch.text)
      .map((piece) => {
        if (piece.kind !== 'reference') return piece.text;
        if (stretch.kind === 'code') return markersFor(piece.name, values, expansion);
        throw new InvalidInput(
          `${piece.text} stands inside the quoted text ${stretch.text.slice(0, 80)}, where nothing can be bound; put it together in SQL, such as concat('%', ${piece.text}, '%')`,
          expansion.at,
        );
      })
      .join('');
  });
  return { text: text.join(''), values };
}

function markersFor(name: string, values: SqlValue[], expansion: SqlExpansion): string {
  const value = known(name, expansion);
  const entries = Array.isArray(value) ? value : [value];
  if (entries.length === 0) {
    throw new InvalidInput(`list parameter "${name}" is empty, which SQL cannot express`, expansion.at);
  }
  return entries
    .map((entry) => {
      values.push(typeof entry === 'object' && entry !== null ? JSON.stringify(entry) : entry);
      return expansion.markers === 'numbered' ? `$${values.length}` : '?';
    })
    .join(',');
}

function known(name: string, expansion: SqlExpansion): JsonValue {
  const value = expansion.value(name);
  if (value !== undefined) return value;
  throw new InvalidInput(`unknown parameter "${name}"`, expansion.at);
}

function wholeNumberText(name: string, expansion: SqlExpansion): string {
  const text = String(known(name, expansion));
  if (/^[+-]?\d+$/.test(text)) return text;
  throw new InvalidInput(
    `parameter "${name}" inside a time placeholder of SQL must be a whole number`,
    expansion.at,
  );
}

/** The reference that is all a string literal holds. Double quotes count as in MySQL; a backtick quotes a column. */
function aloneInQuotes(quoted: string): Extract<Piece, { kind: 'reference' }> | undefined {
  const [only, ...others] = pieces(quoted.slice(1, -1));
  return /^['"]/.test(quoted) && only?.kind === 'reference' && others.length === 0 ? only : undefined;
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

/** Where a quoted text or comment ends; the end of the statement if it is not closed. */
function closing(sql: string, opening: string, from: number): number {
  const mark = opening === '--' ? '\n' : opening === '/*' ? '*/' : opening;
  let at = sql.indexOf(mark, from);
  // A doubled quote is a quote inside the text.
  while (at >= 0 && mark.length === 1 && mark !== '\n' && sql[at + 1] === mark)
    at = sql.indexOf(mark, at + 2);
  return at < 0 ? sql.length : at + mark.length;
}
