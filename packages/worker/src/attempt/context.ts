/** What a plugin sees of its attempt. Its functions can be taken apart from it: `({ log, exec }) => …`. */
import type { Clock } from '@orrery/core/timing';
import type { TaskContext } from '../plugin/contract.ts';
import type { Attempt } from './attempt.ts';

export function taskContext<Settings>(attempt: Attempt, settings: Settings): TaskContext<Settings> {
  const { assignment, room, outputs, folder, processes } = attempt;
  const { shard } = assignment.attempt;
  return {
    with: settings,
    params: assignment.params,
    attempt: assignment.attempt,
    project: assignment.project,
    workflow: assignment.workflow,
    taskName: assignment.taskName,
    shard:
      shard < 0
        ? undefined
        : { index: shard, count: assignment.shardCount, parameter: assignment.shardParameter },
    get signal() {
      return attempt.signal;
    },
    get workDir() {
      return folder.make();
    },
    log: (line) => attempt.write(line),
    note: (line) => attempt.note(line),
    output: (name, value) => outputs.set(name, value),
    exec: (command, args = [], options = {}) => heard(processes.exec(command, args, options)),
    sleep: (milliseconds) => heard(sleep(room.clock, milliseconds, attempt.signal)),
  };
}

/** A plugin that does not wait for what it started must not bring its worker down when that fails. */
function heard<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

function sleep(clock: Clock, milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    const wake = (): void => {
      timer.cancel();
      reject(signal.reason);
    };
    const timer = clock.setTimer(milliseconds, () => {
      signal.removeEventListener('abort', wake);
      resolve();
    });
    signal.addEventListener('abort', wake, { once: true });
  });
}
