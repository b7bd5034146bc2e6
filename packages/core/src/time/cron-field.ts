/**
 * One field of a cron expression: its allowed values, and the parsing of its list. A list item is `*`, a
 * value, or a range `a-b`, each with an optional step `/n`. A value with a step runs to the end of the field;
 * a range with its end first wraps around (`22-2`, `FRI-MON`), except for years.
 */
import { InvalidInput } from '../errors.ts';
import { type Said, said } from '../texts/index.ts';
import type { CronFields } from './cron.ts';

/** Allowed values of a dialect's field. */
export interface CronField {
  readonly name: keyof CronFields;
  readonly min: number;
  readonly max: number;
  /** Number of distinct values; fewer than from `min` to `max` if two are equivalent (Sunday 0 and 7). */
  readonly count: number;
  /** Names of the values from `min` on. */
  readonly names?: readonly string[];
  /** Appended to the accepted values in messages. */
  readonly note?: string;
}

/** A field as written in an expression. */
export interface WrittenField {
  readonly field: CronField;
  readonly text: string;
  /** The whole expression. */
  readonly cron: string;
}

const ITEM = /^(?:\*|(\w+)(?:-(\w+))?)?(?:\/(\w+))?$/;

/** Values of a field, each between `min` and `min + count - 1`. */
export function valuesOf(written: WrittenField): Set<number> {
  const values = new Set<number>();
  for (const item of written.text.split(',')) addItem(values, item, written);
  return values;
}

/** Adds the values of one list item. */
export function addItem(values: Set<number>, item: string, written: WrittenField): void {
  const { min, max, count, name } = written.field;
  const parts = ITEM.exec(item);
  if (!parts || item === '')
    refuse(written, item === '' ? said('cron.emptyItem') : said('cron.badItem', { item }));
  const [, first, last, stepText] = parts;
  const step = stepText === undefined ? 1 : readStep(stepText, written);
  let from = min;
  let to = min + count - 1;
  if (first !== undefined) {
    from = readValue(first, written);
    if (last !== undefined) to = readValue(last, written);
    else to = stepText === undefined ? from : max;
  }
  if (to < from) {
    if (name === 'year') refuse(written, said('cron.backwards', { item }));
    to += count;
  }
  for (let value = from; value <= to; value += step) values.add(min + ((value - min) % count));
}

/** Parses one value, a number or a name. */
export function readValue(text: string, written: WrittenField): number {
  const { min, max, names = [] } = written.field;
  const named = names.indexOf(text.toUpperCase());
  if (named >= 0) return min + named;
  if (!/^\d+$/.test(text)) refuse(written, said('cron.notAValue', { text }));
  const value = Number(text);
  if (value < min || value > max) refuse(written, said('cron.outOfRange', { text }));
  return value;
}

/** Throws an error with the problem, the field's text, and the accepted values. */
export function refuse(written: WrittenField, why: Said): never {
  const { name, min, max, names, note = '' } = written.field;
  const named = names ? said('cron.names', { first: names[0], last: String(names.at(-1)) }) : '';
  throw new InvalidInput(
    said('cron.field', { name, text: written.text, why, min, max, named, note }),
    `cron "${written.cron}"`,
  );
}

function readStep(text: string, written: WrittenField): number {
  const most = written.field.count - (written.field.min === 0 ? 1 : 0);
  const step = /^\d+$/.test(text) ? Number(text) : 0;
  if (step < 1 || step > most) refuse(written, said('cron.step', { text, most }));
  return step;
}
