/**
 * Basic values of the workflow file: names, texts, durations, moments, lists. Each schema says what it
 * accepts in the words of the file's author.
 */
import { z } from 'zod';
import { InvalidInput } from '../../errors.ts';
import { english, type Said, said, type Words } from '../../texts/index.ts';
import { zone } from '../../time/index.ts';
import { parseDuration } from '../duration.ts';
import { hintFor } from '../nearest.ts';
import { type ProblemCode, worded } from '../problem.ts';
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
  words: Words,
  path: string[] = [],
): void {
  const { message, said } = worded(words);
  context.addIssue({ code: 'custom', message, path, params: { code, said } });
}

/** The error of a refinement. */
export function errorOf(words: Said): { readonly error: string; readonly params: { readonly said: Said } } {
  return { error: english(words), params: { said: words } };
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
    report(context, code, error.said ?? error.message, path);
    return z.NEVER;
  }
}

/** A text of a form; `words` says what is wrong with another one, which is passed in quotes. */
export function formed(pattern: RegExp, words: (quoted: string) => Said) {
  return z
    .string()
    .superRefine((value, context) => {
      if (!pattern.test(value)) report(context, 'bad-value', words(quote(value)));
    })
    .meta({ pattern: pattern.source });
}

/** Names of projects, workflows, tasks, schedules, groups: safe in paths, URLs and messages. */
export const name = formed(/^[\p{L}\p{N}_][\p{L}\p{N}_.-]{0,99}$/u, (text) => said('file.name', { text }));

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
  .refine((value) => value > 0, { ...errorOf(said('value.moreThanZero')), abort: true })
  .meta({
    description: 'A number and a unit, or a number of bytes: 512MB, 1.5GB.',
    examples: ['512MB', '2GB'],
  });

/** A duration longer than zero. */
export const positiveDuration = atLeast(1, said('value.longerThanZero'));

/** A duration with a lower bound. */
export function atLeast(least: number, words: Said) {
  return duration.refine((value) => value >= least, { ...errorOf(words), abort: true });
}

/** An IANA time zone. */
export const timezone = z
  .string()
  .superRefine((value, context) => {
    try {
      zone(value);
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error;
      const hint = hintFor(value, Intl.supportedValuesOf('timeZone'));
      report(context, 'bad-timezone', said('hint.after', { what: error.said ?? error.message, hint }));
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
