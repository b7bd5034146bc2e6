/** The context a plugin gets. Its functions can be destructured: `({ log, exec }) => …`. */
import { basename, join } from 'node:path';
import type { Clock } from '@orrery/core/timing';
import { foldersOf, workersFolders } from '../isolation/kept-folders.ts';
import { readBack } from '../isolation/read-back.ts';
import { type TaskContext, TaskFailure } from '../plugin/contract.ts';
import type { Attempt } from './attempt.ts';

/** Limit of a file that a plugin reads back from its processes. */
const LARGEST_RESULT = 8_388_608;

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
    taskStarted: assignment.taskStarted ?? room.clock.now(),
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
    readBack: (name) =>
      readBack(join(folder.home, basename(name)), { owner: folder.owner, limit: LARGEST_RESULT }),
    keep(parent) {
      const user = room.isolation.userOf(assignment);
      return user ? foldersOf(user, room.work, basename(parent)) : workersFolders(parent);
    },
    isIsolated: room.isolation.mode !== 'none',
    hostPath(path) {
      if (room.isolation.mode === 'none') return path;
      throw new TaskFailure(
        `this worker isolates tasks, and its own user would have to open ${path}; have a process of the task do that`,
        { fatal: true },
      );
    },
    connection(name) {
      const { project, connections = {} } = assignment;
      const found = Object.hasOwn(connections, name) ? connections[name] : undefined;
      if (found) return found;
      throw new TaskFailure(
        `there is no connection "${name}" in project "${project}"; make it with: orrery connections set ${project}/${name} --kind KIND`,
        { fatal: true },
      );
    },
    log: (line) => attempt.write(line),
    note: (line) => attempt.note(line),
    output: (name, value) => outputs.set(name, value),
    handle: assignment.handle,
    hold: (handle, { outlives = true } = {}) => heard(attempt.hold(handle, outlives)),
    exec: (command, args = [], options = {}) => heard(processes.exec(command, args, options)),
    sleep: (milliseconds) => heard(sleep(room.clock, milliseconds, attempt.signal)),
  };
}

/** If a plugin does not await what it started, a failure of that must not crash its worker. */
function heard<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

/** Waits; throws when the signal is aborted. */
export function sleep(clock: Clock, milliseconds: number, signal: AbortSignal): Promise<void> {
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
