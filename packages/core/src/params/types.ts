/**
 * Types of parameters. A value is passed as text, as a person typed it or a program printed it; `coerce`
 * checks the text against the declared type and converts it.
 */
import { InvalidInput } from '../errors.ts';
import type { ParameterType } from '../model/glossary.ts';
import { said } from '../texts/index.ts';
import { fields, localMillis } from '../time/zone.ts';

/** Any JSON value. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [name: string]: JsonValue };

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const MOMENT = /^(?:(\d{4})-(\d\d)-(\d\d))?( )?(?:(\d\d):(\d\d):(\d\d))?$/;

/** Converts a text; dates and times stay text. `at` names the parameter in the error message. */
export function coerce(type: ParameterType, text: string, at?: string): JsonValue {
  const value = READERS[type](text);
  if (value !== undefined) return value;
  const shown = text.length > 80 ? `${text.slice(0, 80)}…` : text;
  throw new InvalidInput(said('param.type', { text: shown, type, accepted: ACCEPTED[type] }), at);
}

const ACCEPTED: Record<ParameterType, string> = {
  string: 'any text',
  integer: 'a whole number up to 9007199254740991 either way (longer ones as string)',
  number: 'a decimal number such as -1.5 or 2e10',
  boolean: 'true or false',
  date: 'a calendar date yyyy-MM-dd',
  time: 'a time of day HH:mm:ss',
  timestamp: 'a date and time yyyy-MM-dd HH:mm:ss',
  list: 'a JSON list such as ["a","b"], or values separated by commas',
  json: 'JSON',
};

const READERS: Record<ParameterType, (text: string) => JsonValue | undefined> = {
  string: (text) => text,
  integer(text) {
    const value = Number(text);
    return /^[+-]?\d+$/.test(text.trim()) && Number.isSafeInteger(value) ? value : undefined;
  },
  number(text) {
    const value = Number(text);
    return NUMBER.test(text.trim()) && Number.isFinite(value) ? value : undefined;
  },
  boolean(text) {
    const word = text.trim().toLowerCase();
    return word === 'true' ? true : word === 'false' ? false : undefined;
  },
  date: (text) => moment(text, true, false),
  time: (text) => moment(text, false, true),
  timestamp: (text) => moment(text, true, true),
  list(text) {
    const trimmed = text.trim();
    if (trimmed === '') return [];
    if (!trimmed.startsWith('[')) return trimmed.split(',').map((entry) => entry.trim());
    const value = json(trimmed);
    return Array.isArray(value) ? value : undefined;
  },
  json,
};

function json(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * The text if it has exactly these parts and each is in range: formatting the parsed fields must give the
 * same text.
 */
function moment(text: string, date: boolean, time: boolean): string | undefined {
  const trimmed = text.trim();
  const [, y, mo, d, space, h, mi, s] = MOMENT.exec(trimmed) ?? [];
  if ((y !== undefined) !== date || (h !== undefined) !== time) return undefined;
  if ((space !== undefined) !== (date && time)) return undefined;
  const [year, month, day] = date ? [Number(y), Number(mo), Number(d)] : [1970, 1, 1];
  const [hour, minute, second] = time ? [Number(h), Number(mi), Number(s)] : [0, 0, 0];
  const read = fields(localMillis({ year, month, day, hour, minute, second }));
  const same =
    read.year === year &&
    read.month === month &&
    read.day === day &&
    read.hour === hour &&
    read.minute === minute &&
    read.second === second;
  return same ? trimmed : undefined;
}
