/** Values given at the start of a run, against what the workflow declares. */
import { InvalidInput } from '@orrery/core/errors';
import { type DeclaredParameter, didYouMean, type Parameters } from '@orrery/core/model';
import { coerce } from '@orrery/core/params';
import { z } from 'zod';
import { type InputProblem, Refusal } from '../problem.ts';

/** Values by name: text, or what JSON has for it; lists and objects become JSON text. */
export const givenParameters = z.record(
  z.string(),
  z.unknown().transform((value, context) => {
    if (typeof value === 'string') return value;
    if (typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER)
      context.addIssue({ code: 'custom', message: 'is too large for a number in JSON; give it as text' });
    if (value === null) context.addIssue({ code: 'custom', message: 'is null; leave it out, or give text' });
    return typeof value === 'object' ? JSON.stringify(value) : String(value);
  }),
);

/** Refuses values that are not declared, not of their type or not among the options, and missing required ones. */
export function checkParameters(
  declared: Readonly<Record<string, DeclaredParameter>>,
  given: Parameters,
): void {
  const names = Object.keys(declared);
  const problems: InputProblem[] = [];
  for (const [name, text] of Object.entries(given)) {
    const message = Object.hasOwn(declared, name)
      ? refusalOf(declared[name], text)
      : `unknown${didYouMean(name, names)}${names.length > 0 ? `; declared are ${names.join(', ')}` : '; the workflow declares none'}`;
    if (message !== undefined) problems.push({ path: ['params', name], message });
  }
  for (const [name, { required, default: value, type }] of Object.entries(declared)) {
    if (required && value === undefined && !Object.hasOwn(given, name))
      problems.push({ path: ['params', name], message: `is required: give a value of type ${type}` });
  }
  if (problems.length === 0) return;
  throw new Refusal(
    'not-accepted',
    problems.map(({ path, message }) => `parameter "${path[1]}": ${message}`).join('; '),
    problems,
  );
}

/** What placeholders give is known only when a task runs; anything else must fit now. */
function refusalOf({ type, options }: DeclaredParameter, text: string): string | undefined {
  if (/\$[{[]/.test(text)) return undefined;
  try {
    const value = coerce(type, text);
    const chosen = Array.isArray(value) ? value.map(String) : [text];
    const other = options && chosen.find((one) => !options.includes(one));
    return other === undefined ? undefined : `"${other}" is not one of ${options?.join(', ')}`;
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    return error.message;
  }
}
