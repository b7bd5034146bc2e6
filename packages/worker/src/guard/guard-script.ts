/**
 * The guard: a POSIX shell that leads the session and group of one task process, runs the task, and reports
 * how it ended. A second shell in the same group watches the worker's pipe and kills the group when it
 * closes.
 */

/**
 * Run as `sh -c SCRIPT orrery-guard COMMAND ARGUMENT…`, as leader of a new session. Descriptor 0 is the
 * worker's pipe, descriptor 3 takes the exit code and the output of `times`, and descriptor 5 holds the
 * environment of a task that runs as another user.
 *
 * - The guard survives the signals that ask the task to stop. A trap, unlike an ignored signal, is not
 *   inherited.
 * - The task runs in the foreground: a shell's background commands ignore SIGINT and SIGQUIT.
 * - A subshell runs the task, so that the guard's messages about a signal stay out of the task's log.
 * - When the task ends, the rest of its group is killed. The watcher is waited for first: if no process reaps
 *   orphans, it would stay as a zombie and keep its group alive.
 */
export const GUARD_SCRIPT = `
trap : HUP INT QUIT TERM
exec 4<&0 </dev/null
{ trap '' HUP INT QUIT TERM; read -r line <&4; kill -KILL 0; } >/dev/null 2>&1 3>&- 5<&- &
exec 4<&-
( exec "$@" ) 2>&1 3>&-
{ echo "$?"; times; } >&3
kill -KILL "$!"
wait "$!"
kill -KILL 0
`;

/** The report of a guard. */
export interface GuardWords {
  readonly exitCode: number;
  /** Processor time of the task and of its reaped children, in milliseconds. */
  readonly cpuTime: number;
}

const LAST_TIMES = /(\d+)m([\d.,]+)s\s+(\d+)m([\d.,]+)s\s*$/;

/** Parses the report; undefined if the guard was killed before it wrote one. */
export function readGuardWords(text: string): GuardWords | undefined {
  const exitCode = /^(\d+)\n/.exec(text)?.[1];
  const times = LAST_TIMES.exec(text);
  if (exitCode === undefined || !times) return undefined;
  const milliseconds = (minutes: string, seconds: string): number =>
    Number(minutes) * 60_000 + Number(seconds.replace(',', '.')) * 1_000;
  const cpuTime = milliseconds(times[1], times[2]) + milliseconds(times[3], times[4]);
  return { exitCode: Number(exitCode), cpuTime: Math.round(cpuTime) };
}
