/** Values given at the start of a run, against what the workflow declares. */
import { runInNewContext } from 'node:vm';
import { InvalidInput } from '@orrery/core/errors';
import { type DeclaredParameter, hintFor, type Parameters, worded } from '@orrery/core/model';
import { coerce, expand, references, sizeRefusal } from '@orrery/core/params';
import { said, type Words } from '@orrery/core/texts';
import { zone } from '@orrery/core/time';
import { type InputProblem, Refusal } from '../problem.ts';

/**
 * Refuses values that are too large in all, not declared, not of their type, not among the options or unlike the pattern, and missing
 * required ones. Names in `literal` have values in which placeholders mean nothing. `asker` is what declares them.
 */
export function checkParameters(
  declared: Readonly<Record<string, DeclaredParameter>>,
  given: Parameters,
  literal: ReadonlySet<string> = new Set(),
  asker: 'workflow' | 'approval' = 'workflow',
): void {
  const tooLarge = sizeRefusal(given);
  if (tooLarge !== undefined) throw new Refusal('too-large', tooLarge);
  const names = Object.keys(declared);
  const problems: InputProblem[] = [];
  for (const [name, text] of Object.entries(given)) {
    const words = Object.hasOwn(declared, name)
      ? refusalOf(declared[name], text, literal.has(name))
      : said('param.undeclared', {
          hint: hintFor(name, names),
          declared:
            names.length > 0 ? said('param.declared', { names }) : said('param.noneDeclared', { asker }),
        });
    if (words !== undefined) problems.push({ path: ['params', name], ...worded(words) });
  }
  for (const [name, { required, default: value, type }] of Object.entries(declared)) {
    if (required && value === undefined && !Object.hasOwn(given, name))
      problems.push({ path: ['params', name], ...worded(said('param.required', { type })) });
  }
  if (problems.length === 0) return;
  throw new Refusal(
    'not-accepted',
    problems.map(({ path, message }) => `parameter "${path[1]}": ${message}`).join('; '),
    problems,
  );
}

/**
 * What is wrong with a value. A reference can resolve to anything, so it is allowed only where any text is.
 */
function refusalOf(declared: DeclaredParameter, text: string, literal: boolean): Words | undefined {
  const { type, options, pattern } = declared;
  const isFree = type === 'string' && options === undefined && pattern === undefined;
  if (isFree) return undefined;
  if (!literal && references(text).length > 0) return said('param.reference');
  try {
    const whole = literal
      ? text
      : expand(text, { value: () => undefined, businessTime: 0, zone: zone('UTC') });
    const value = coerce(type, whole);
    const chosen = Array.isArray(value) ? value.map(String) : [whole];
    const other = options && chosen.find((one) => !options.includes(one));
    if (other !== undefined) return said('param.notOneOf', { value: other, options: options ?? [] });
    return pattern === undefined || matches(pattern, whole) ? undefined : said('param.pattern', { pattern });
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    return error.said ?? error.message;
  }
}

/** How long a pattern may take: some take longer with each character than a server can wait. */
const LONGEST_MATCH = 100;

function matches(pattern: string, text: string): boolean {
  try {
    const code = 'new RegExp(`^(?:${pattern})$`, "u").test(text)';
    return runInNewContext(code, { pattern, text }, { timeout: LONGEST_MATCH }) === true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    throw new InvalidInput(said('param.slowPattern', { most: LONGEST_MATCH }));
  }
}
