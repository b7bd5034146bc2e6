/**
 * The guard: a POSIX shell that leads the session and group of one task process, runs the task, and says how it
 * ended. A second one in the same group watches the worker's pipe: when that closes, the group is killed.
 */

/**
 * Run as `sh -c SCRIPT orrery-guard COMMAND ARGUMENT…`, as leader of a new session, with descriptor 0 the worker's
 * pipe, descriptor 3 where to write the exit code and what `times` says, and descriptor 5, where the task runs as
 * another user, what its environment is read from.
 *
 * - The guard outlives the signals that ask the task to stop; a trap, unlike an ignored signal, is not inherited.
 * - The task is run in the foreground: a shell's background commands ignore SIGINT and SIGQUIT.
 * - It is run by a subshell, so that what the guard's shell says of a signal stays out of the task's log.
 * - What the task leaves in its group ends with it. The watcher is waited for first: where nobody reaps orphans it
 *   would stay as a zombie and its group with it.
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

/** What a guard says at its end. */
export interface GuardWords {
  readonly exitCode: number;
  /** Processor time of the task and of those of its children that were waited for, in milliseconds. */
  readonly cpuTime: number;
}

const LAST_TIMES = /(\d+)m([\d.,]+)s\s+(\d+)m([\d.,]+)s\s*$/;

/** Reads it; undefined if the guard was killed before it could speak. */
export function readGuardWords(text: string): GuardWords | undefined {
  const exitCode = /^(\d+)\n/.exec(text)?.[1];
  const times = LAST_TIMES.exec(text);
  if (exitCode === undefined || !times) return undefined;
  const milliseconds = (minutes: string, seconds: string): number =>
    Number(minutes) * 60_000 + Number(seconds.replace(',', '.')) * 1_000;
  const cpuTime = milliseconds(times[1], times[2]) + milliseconds(times[3], times[4]);
  return { exitCode: Number(exitCode), cpuTime: Math.round(cpuTime) };
}
