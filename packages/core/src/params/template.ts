/**
 * Templates: text with references `${name}` and time placeholders `$[…]`, expanded in one pass; an inserted
 * value is never expanded again. Everything else is text: `$$`, `${HOME:-x}`, `$[0]`, and any placeholder
 * after a backslash. A script uses the backslash to keep `\${name}` for its shell, and the backslash stays.
 * `${name:raw}` is `${name}`, except in a script: there it pastes the value's text, which the shell then
 * parses.
 */
import { InvalidInput } from '../errors.ts';
import { said } from '../texts/index.ts';
import type { Zone } from '../time/zone.ts';
import { withoutMarks } from './secret.ts';
import { LONGEST_PLACEHOLDER, timePlaceholder } from './time-placeholder.ts';

/** Limit of an expansion's length in UTF-16 units: values can multiply each other. */
export const LONGEST_EXPANSION = 1_048_576;

const NAME = String.raw`[\p{L}_][\p{L}\p{N}_.-]*`;
const WHOLE_NAME = new RegExp(`^${NAME}$`, 'u');

// No two quantifiers compete for a character, and a time placeholder is bounded: matching is linear.
const PLACEHOLDER = new RegExp(
  String.raw`\\.|\$\{(${NAME})(:raw)?\}|\$\[( *[A-Za-z][^[\]\n]{0,${LONGEST_PLACEHOLDER}})\]`,
  'gsu',
);
const REFERENCE = new RegExp(String.raw`\$\{(${NAME})(?::raw)?\}`, 'gu');

/** A piece of a template, in order. */
export type Piece =
  | { kind: 'text'; text: string }
  | { kind: 'reference'; text: string; name: string; raw: boolean }
  | { kind: 'time'; text: string; expression: string };

/** Source of values, and the time to expand for. */
export interface Expansion {
  value(name: string): string | undefined;
  businessTime: number;
  zone: Zone;
  /**
   * Handling of an unknown `${name}`: scripts keep it, since shells have variables of their own. Default
   * `keep`.
   */
  unknown?: 'keep' | 'error';
  /** Name of the template in error messages. */
  at?: string;
}

/** Whether a text can be the name of a parameter, so that `${name}` finds it. */
export function isParameterName(text: string): boolean {
  return WHOLE_NAME.test(text);
}

/** Splits a template into text and placeholders; the pieces join to the template. */
export function pieces(template: string): Piece[] {
  const found: Piece[] = [];
  let end = 0;
  for (const match of template.matchAll(PLACEHOLDER)) {
    const [text, name, raw, expression] = match;
    if (name === undefined && expression === undefined) continue;
    if (match.index > end) found.push({ kind: 'text', text: template.slice(end, match.index) });
    if (name !== undefined) found.push({ kind: 'reference', text, name, raw: raw !== undefined });
    else found.push({ kind: 'time', text, expression });
    end = match.index + text.length;
  }
  if (end < template.length) found.push({ kind: 'text', text: template.slice(end) });
  return found;
}

/** Makes a template that expands to a given outside text: placeholders in it get a backslash. */
export function inert(text: string): string {
  return pieces(text)
    .map((piece) => (piece.kind === 'text' ? piece.text : `\\${piece.text}`))
    .join('');
}

/** A template with these references filled in, and everything else unchanged. */
export function expandOnly(template: string, value: (name: string) => string | undefined): string {
  return pieces(template)
    .map((piece) => (piece.kind === 'reference' ? (value(piece.name) ?? piece.text) : piece.text))
    .join('');
}

/** Names referenced by a template, each once, in order of appearance. */
export function references(template: string): string[] {
  const names = new Set<string>();
  for (const piece of pieces(template)) {
    if (piece.kind === 'reference') names.add(piece.name);
    if (piece.kind === 'time') {
      for (const [, name] of piece.expression.matchAll(REFERENCE)) names.add(name);
    }
  }
  return [...names];
}

/** Expands a template for one task. A time placeholder may contain references: `$[yyyyMMdd-${days}]`. */
export function expand(template: string, expansion: Expansion): string {
  const parts: string[] = [];
  let length = 0;
  for (const piece of pieces(template)) {
    const text = expandPiece(piece, expansion);
    length += text.length;
    if (length > LONGEST_EXPANSION) {
      throw new InvalidInput(said('param.tooLong', { most: LONGEST_EXPANSION }), expansion.at);
    }
    parts.push(text);
  }
  return parts.join('');
}

/** The text of a time placeholder, references inside it first. */
export function expandTime(expression: string, expansion: Expansion): string {
  const whole = withoutMarks(expression).replace(REFERENCE, (text, name: string) =>
    lookUp(name, text, expansion),
  );
  try {
    return timePlaceholder(whole, expansion.businessTime, expansion.zone);
  } catch (error) {
    if (error instanceof InvalidInput) throw new InvalidInput(error.said ?? error.message, expansion.at);
    throw error;
  }
}

function expandPiece(piece: Piece, expansion: Expansion): string {
  if (piece.kind === 'text') return withoutMarks(piece.text);
  if (piece.kind === 'time') return expandTime(piece.expression, expansion);
  return lookUp(piece.name, piece.text, expansion);
}

function lookUp(name: string, text: string, expansion: Expansion): string {
  const value = expansion.value(name);
  if (value !== undefined) return value;
  if (expansion.unknown !== 'error') return text;
  throw new InvalidInput(said('param.unknown', { name }), expansion.at);
}
