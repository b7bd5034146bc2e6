/** Values given at the start of a run, against what the workflow declares. */
import { InvalidInput } from '@orrery/core/errors';
import { type DeclaredParameter, didYouMean, type Parameters } from '@orrery/core/model';
import { coerce } from '@orrery/core/params';
import { type InputProblem, Refusal } from '../problem.ts';

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
