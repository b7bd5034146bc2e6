/**
 * Basic values of the workflow file: names, texts, durations, moments, lists. Each schema says what it
 * accepts in the words of the file's author.
 */
import { z } from 'zod';
import { InvalidInput } from '../../errors.ts';
import { zone } from '../../time/index.ts';
import { parseDuration } from '../duration.ts';
import { didYouMean } from '../nearest.ts';
import type { ProblemCode } from '../problem.ts';
import { parseSize } from '../size.ts';

/** An object that accepts only these keys; the message for an unknown key carries the list of known ones. */
export function object<Shape extends z.core.$ZodShape>(shape: Shape) {
  const keys = Object.keys(shape).join(', ');
  return z.strictObject(shape, {
    error: (issue) => (issue.code === 'unrecognized_keys' ? keys : undefined),
  });
}

/** Adds a problem of a given kind to those of a schema. */
export function report(
  context: z.core.$RefinementCtx,
  code: ProblemCode,
  message: string,
  path: string[] = [],
): void {
  context.addIssue({ code: 'custom', message, path, params: { code } });
}

/** Parses a text with a function that throws InvalidInput. */
export function parsed<T>(
  context: z.core.$RefinementCtx,
  code: ProblemCode,
  parse: () => T,
  path?: string[],
): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    report(context, code, error.message, path);
    return z.NEVER;
  }
}

/** Names of projects, workflows, tasks, schedules, groups: safe in paths, URLs and messages. */
export const name = z.string().regex(/^[\p{L}\p{N}_][\p{L}\p{N}_.-]{0,99}$/u, {
  error: (issue) =>
    `${quote(issue.input)} is not a name; use at most 100 letters, digits, "_", "-" and ".", the first a letter, a digit or "_"`,
});

/** Projects whose workflows may make calls. */
export const callers = z
  .array(z.union([z.literal('*'), name]))
  .max(1_000)
  .describe('Other projects whose workflows may start, await or hear of it; * is every project.');

/** A non-empty text. */
export const text = z.string().min(1);

/** One name, or a list of them. */
export const names = z.union([name.transform((one) => [one]), z.array(name)]);

/** A duration such as `10m`; output in milliseconds. */
export const duration = z
  .union([z.string(), z.number()])
  .transform((value, context) => parsed(context, 'bad-value', () => parseDuration(String(value))))
  .meta({
    description: 'A number and a unit: 500ms, 10s, 5m, 1h30m, 2d, 1w.',
    examples: ['10s', '5m', '1h30m'],
  });

/** A size such as `512MB`, or bytes; output in bytes. */
export const size = z
  .union([z.string(), z.int().min(1)])
  .transform((value, context) =>
    typeof value === 'number' ? value : parsed(context, 'bad-value', () => parseSize(value)),
  )
  .refine((value) => value > 0, { error: 'must be more than 0', abort: true })
  .meta({
    description: 'A number and a unit, or a number of bytes: 512MB, 1.5GB.',
    examples: ['512MB', '2GB'],
  });

/** A duration longer than zero. */
export const positiveDuration = atLeast(1, 'be longer than 0');

/** A duration with a lower bound. */
export function atLeast(least: number, mustBe: string) {
  return duration.refine((value) => value >= least, { error: `must ${mustBe}`, abort: true });
}

/** An IANA time zone. */
export const timezone = z
  .string()
  .superRefine((value, context) => {
    try {
      zone(value);
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error;
      const hint = didYouMean(value, Intl.supportedValuesOf('timeZone'));
      report(context, 'bad-timezone', `${error.message}${hint}`);
    }
  })
  .meta({ examples: ['UTC', 'Asia/Shanghai'] });

/** A boolean. */
export const flag = z.boolean();

/** A count from `least` to `most`. */
export function count(least: number, most: number) {
  return z.int().min(least).max(most);
}

/** Quotes a value inside a sentence; long values are cut. */
export function quote(value: unknown): string {
  const written = String(value);
  return JSON.stringify(written.length > 60 ? `${written.slice(0, 60)}…` : written);
}
