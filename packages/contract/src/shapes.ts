/** Shapes shared by many operations: times, numbers, pages, actions. */

import { parseDuration, priorities } from '@orrery/core/model';
import { z } from 'zod';

/** An instant: RFC 3339 in UTC with milliseconds. */
export const time = z.iso.datetime({ precision: 3 }).meta({
  id: 'Time',
  description: 'RFC 3339 in UTC with milliseconds',
  example: '2026-03-01T08:00:00.000Z',
});

const duration = '(?:0|(?:\\d+(?:\\.\\d+)?(?:ms|s|m|h|d|w))+)';
const isTime = (text: string) => z.iso.datetime({ offset: true }).safeParse(text).success;
const isPast = (text: string) => new RegExp(`^-${duration}$`).test(text);
const isAhead = (text: string) => new RegExp(`^\\+${duration}$`).test(text);

/** A time in a filter: absolute, or a duration before now. */
export const moment = z
  .string()
  .max(60)
  .refine(
    (text) => isPast(text) || isTime(text),
    'write a time such as 2026-03-01T08:00:00Z, or how long ago it was, such as -24h',
  )
  .describe('RFC 3339, or how long ago: `-24h`');

/** Size limit of a workflow or alert file. */
export const MOST_FILE_BYTES = 10 * 1024 * 1024;

/** A file's text, in YAML or JSON, as a request body. */
export function yamlBody(file: string) {
  return {
    body: z.string().min(1, `send the text of the ${file} as the body of the request`),
    bodyTypes: ['application/yaml', 'application/x-yaml', 'text/yaml', 'text/x-yaml', 'application/json'],
    bodyLimit: MOST_FILE_BYTES,
  } as const;
}

/** A future time. */
export const momentAhead = z
  .string()
  .max(60)
  .refine(
    (text) => isAhead(text) || isTime(text),
    'write a time such as 2026-03-01T08:00:00Z, or how long from now, such as +2h',
  )
  .describe('RFC 3339, or how long from now: `+2h`');

/** Bounds of a duration, both inclusive; one may be omitted. */
export const span = z
  .string()
  .max(60)
  .regex(new RegExp(`^(?:${duration}(?:\\.\\.(?:${duration})?)?|\\.\\.${duration})$`), {
    error: 'write at least how long, such as 10m, at most, such as ..30s, or both, such as 10m..1h',
    abort: true,
  })
  .refine(isInOrder, 'the first is longer than the second; write the shorter one first, such as 5m..10m')
  .describe('`10m`: at least; `..30s`: at most; `10m..1h`: between');

/** Whether the bounds of a span are in order. Another check refuses a bound too long to be a number. */
function isInOrder(text: string): boolean {
  const [least = '', most = ''] = text.split('..');
  try {
    return least === '' || most === '' || parseDuration(least) <= parseDuration(most);
  } catch {
    return true;
  }
}

const wholeNumber = 'must be a whole number from 1';

/** A number that identifies something: a run, a schedule, a version. */
export const number = z.int(wholeNumber).positive(wholeNumber);

/** The version of a run. */
export const runVersion = z
  .int('must be a whole number')
  .describe('below zero: a draft, as it was when a test run of it began');

/** Page size; 50 by default. */
export const limit = pageSize(50);

/** Page size. */
export function pageSize(usual: number) {
  const message = 'must be a whole number from 1 to 1000';
  return z.int(message).min(1, message).max(1_000, message).default(usual);
}

/** A boolean in a query. */
export const flag = z.boolean('must be true or false').default(false);

/** Path of the next page; null on the last page. */
export const next = z.string().nullable().describe('the path of the next page; null on the last one');

/** Values by name, always text. */
export const parameters = z.record(z.string(), z.string());

/** A priority. */
export const priority = z.enum(priorities);

/** Accompanies an English text: a code for programs, and fields for other languages. */
export const wording = {
  code: z
    .string()
    .optional()
    .describe('names the text; absent where it is of no table, such as the words of a person'),
  fields: z.record(z.string(), z.unknown()).optional().describe('what the text was made of'),
};

/** An available action, or an unavailable one with the reason. */
export const action = z
  .object({
    name: z.string(),
    allowed: z.boolean(),
    reason: z.string().optional().describe('why it is not allowed'),
    ...wording,
  })
  .meta({ id: 'Action' });
export type Action = Readonly<z.output<typeof action>>;

/** A workflow in a path. */
export const workflowPath = z.strictObject({ project: z.string(), name: z.string() });

/** A run or schedule in a path. */
export const numberPath = z.strictObject({ id: number });

/** A workflow in a query or a body. */
export const workflowText = z
  .string()
  .min(1)
  .max(300)
  .describe('`project/name`, or `name` in the project `default`');

/** The version the caller has seen of something that others may change: the number in its `ETag`. */
export function ifMatch(what: string) {
  return z
    .string()
    .regex(/^"?\d{1,15}"?$/, `is not the ${what}, such as "3"`)
    .transform((text) => Number(text.replaceAll('"', '')))
    .optional();
}

/** The caller's key for a request that creates something: repeating the key creates nothing again. */
export const idempotencyKey = z
  .string()
  .regex(/^[\x21-\x7e]{1,200}$/, 'use 1 to 200 visible ASCII characters')
  .optional()
  .describe('the same key again answers with what the first request made');
