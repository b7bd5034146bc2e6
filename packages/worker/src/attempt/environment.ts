/**
 * The environment of a task's processes: the worker's variables, then the task's, then Orrery's; later ones
 * win.
 */
import { parameterVariable, type shardVariables, type toldVariables } from '@orrery/core/params';
import type { Assignment, AttemptId } from '@orrery/wire/frames';
import { canExport } from '../isolation/launch.ts';
import type { TaskUser } from '../isolation/task-user.ts';

/** Linux limits a variable to 128 KB. */
const LONGEST_VALUE = 120_000;

/** The folders that the attempt may write to. */
export interface AttemptFolders {
  readonly workDir: string;
  /** The file for outputs as JSON. */
  readonly output: string;
}

/** The variables, and those left out with the reason. */
export interface TaskEnvironment {
  readonly variables: Readonly<Record<string, string>>;
  readonly problems: readonly string[];
}

/**
 * Builds the environment. A value that no environment can hold is left out and reported; the attempt does not
 * fail.
 */
export function taskEnvironment(
  assignment: Assignment,
  base: Readonly<Record<string, string>>,
  folders: AttemptFolders,
  user?: TaskUser,
): TaskEnvironment {
  const variables: Record<string, string> = user ? { ...base, ...personal(user, folders) } : { ...base };
  const problems: string[] = [];
  const set = (name: string, value: string): void => {
    const wrong =
      wrongWith(name, value) ?? (user && !canExport(name) ? 'cannot be exported by a shell' : undefined);
    if (wrong) problems.push(`environment variable ${JSON.stringify(name)} is not set: it ${wrong}`);
    else variables[name] = value;
  };
  for (const [name, value] of Object.entries(assignment.environment)) set(name, value);
  const named = new Map<string, string>();
  for (const [name, value] of Object.entries(assignment.params)) {
    const variable = parameterVariable(name);
    const other = named.get(variable);
    if (other !== undefined)
      problems.push(`parameters "${other}" and "${name}" are both ${variable}: the second counts`);
    named.set(variable, name);
    set(variable, value);
  }
  for (const [name, value] of Object.entries(told(assignment, folders))) set(name, value);
  return { variables, problems };
}

/** The variables that tell programs their user and where they may write. */
function personal({ name }: TaskUser, { workDir }: AttemptFolders): Record<string, string> {
  return { HOME: workDir, USER: name, LOGNAME: name, SHELL: '/bin/sh', TMPDIR: workDir };
}

/** Variables that programs need to run at all; none grants access to anything. */
const INHERITED = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LANGUAGE', 'LC_*', 'TZ', 'TMPDIR', 'TERM'],
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_EXTRA_CA_CERTS', 'LD_LIBRARY_PATH', 'JAVA_HOME'],
];

/**
 * Selects the worker's own variables that tasks inherit: those listed here and those `more` names (`AWS_*`,
 * or `*` for all). Orrery's own variables are never passed on.
 */
export function inheritedEnvironment(
  own: NodeJS.ProcessEnv,
  more: readonly string[] = [],
): Record<string, string> {
  const allowed = [...INHERITED, ...more];
  const isAllowed = (name: string) =>
    allowed.some((one) => (one.endsWith('*') ? name.startsWith(one.slice(0, -1)) : name === one));
  const kept = Object.entries(own).filter(([name]) => !name.startsWith('ORRERY_') && isAllowed(name));
  return Object.fromEntries(kept.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

type Told = Record<(typeof toldVariables)[number], string> &
  Partial<Record<(typeof shardVariables)[number], string>>;

function told({ attempt, ...rest }: Assignment, { workDir, output }: AttemptFolders): Told {
  const { run, shard, number } = attempt;
  const sharded = {
    ORRERY_SHARD: String(shard),
    ORRERY_SHARD_COUNT: String(rest.shardCount),
    ORRERY_SHARD_PARAMETER: rest.shardParameter,
  };
  return {
    ORRERY_PROJECT: rest.project,
    ORRERY_WORKFLOW: rest.workflow,
    ORRERY_RUN: String(run),
    ORRERY_TASK: rest.taskName,
    ORRERY_TASK_RUN: `${run}.${rest.taskName}`,
    ORRERY_ATTEMPT: String(number),
    ORRERY_ATTEMPT_TOKEN: attemptToken(attempt),
    ...(shard < 0 ? {} : sharded),
    ORRERY_WORK_DIR: workDir,
    ORRERY_OUTPUT: output,
  };
}

/**
 * The user's fencing token: run and attempt as one decimal number that fits a BIGINT. For the same task and
 * shard, a later attempt or a later run has a greater token.
 */
function attemptToken({ run, number }: AttemptId): string {
  return `${run}${String(number).padStart(6, '0')}`;
}

function wrongWith(name: string, value: string): string | undefined {
  if (name === '' || /[=\0]/.test(name)) return 'is no name of a variable';
  if (value.includes('\0')) return 'contains a null character';
  if (Buffer.byteLength(value) > LONGEST_VALUE) return `is longer than ${LONGEST_VALUE} bytes`;
  return undefined;
}
