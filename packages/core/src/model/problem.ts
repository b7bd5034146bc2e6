/**
 * A problem: one reason to refuse input. Checks collect problems instead of throwing, so that people see all
 * of them at once. Programs branch on `code`, never on the text.
 */
import { InvalidInput } from '../errors.ts';
import { english, type Said, type Words } from '../texts/index.ts';

/** Path in the input: keys and list positions from the top. */
export type Path = readonly (string | number)[];

/** Kinds of problems and their meanings; the reference page lists them. */
export const problemCodes = {
  'bad-syntax': 'the text is not YAML or JSON',
  'too-large':
    'the text, or what its aliases expand to, is too large, or has too many tasks, parameters or documents',
  'duplicate-key': 'a key stands twice in one object',
  'wrong-type': 'a value of another type is expected here',
  'missing-key': 'a required key is not there',
  'unknown-key': 'no such key is known here',
  'bad-value': 'the type is right, the value is not accepted',
  'bad-timezone': 'no such time zone is known',
  'duplicate-name': 'two things have the same name',
  'no-tasks': 'the workflow has no task',
  'unknown-task': 'no task has this name',
  'self-edge': 'a task needs itself',
  cycle: 'tasks need each other in a circle',
  'cron-or-every': 'a schedule has both of cron and every, or neither',
  'bad-cron': 'the cron expression cannot be read',
  'never-fires': 'the schedule has no tick at all',
  'after-or-webhook': 'a trigger has both of after and webhook, or neither',
  'limit-with-serial': 'a serial mode allows no other limit',
  'unknown-parameter': 'nothing could give this parameter a value',
  'bad-placeholder': 'a reference or a time placeholder cannot be read',
  'bad-secret': 'a secret has no such name, or cannot be named here',
  'parameter-cycle': 'parameters are defined by each other in a circle',
  'bad-default': 'the default does not fit the declared parameter',
  'not-a-successor': 'a branch leads to a task that does not directly follow',
  'never-runs': 'no branch leads to a task that follows nothing but branching tasks',
  'not-a-predecessor': 'a condition asks about a task that does not directly precede',
  'bad-expression': 'the expression cannot be read',
  'unknown-window': 'no dependency window has this name',
  'bad-shards': 'the shard parameters cannot be read, or name a shard that does not exist',
  'too-many-elements': 'the lists combine to more child runs than allowed',
  'calls-itself': 'a workflow starts itself',
  'unknown-type': 'no worker can run tasks of this type',
  'unknown-environment': 'no environment has this name',
  'wrong-project': 'the worker group or the environment is not open to this project',
  'wrong-worker-group': 'the environment is not for workers of this group',
  'unknown-task-group': 'the project has no task group of this name',
  'unknown-calendar': 'the project has no calendar of this name',
  'not-for-logic': 'the key has no meaning for a task that the master runs itself',
} as const satisfies Record<string, string>;
export type ProblemCode = keyof typeof problemCodes;

/** One problem: where, what, and what is accepted instead. */
export interface Problem {
  readonly path: Path;
  readonly message: string;
  /** The message as a text; absent if it is in no table, such as the words of a library. */
  readonly said?: Said;
  readonly code: ProblemCode;
  /** Its line in a text, from 1; absent for a value that came from no text. */
  readonly line?: number;
  readonly column?: number;
  readonly file?: string;
}

/** Accepted input that may not do what its author intends. */
export interface Warning extends Omit<Problem, 'code'> {
  /** `value-in-script`: how a shell treats a value in this place. */
  readonly code: 'value-in-script';
}

/** How a check reports a problem. */
export type Report = (path: Path, code: ProblemCode, words: Words) => void;

/** The message of a problem, and the text it was made of. */
export function worded(words: Words): Pick<Problem, 'message' | 'said'> {
  return typeof words === 'string' ? { message: words } : { message: english(words), said: words };
}

/** Runs a function that refuses bad input, and reports its refusal as a problem. */
export function reportRefusal(report: Report, path: Path, code: ProblemCode, check: () => unknown): boolean {
  try {
    check();
    return true;
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    report(path, code, error.said ?? error.message);
    return false;
  }
}
