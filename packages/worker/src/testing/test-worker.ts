/** A complete worker in the test's own process, with a scripted master and real task processes. */
import type { Assignment } from '@orrery/wire/frames';
import { afterEach } from 'vitest';
import type { WorkerSettings } from '../config.ts';
import { marksOfWorker } from '../guard/guard-mark.ts';
import { markOf, processIds } from '../guard/processes.ts';
import { startWorker, type Worker } from '../worker.ts';
import { eventually } from './eventually.ts';
import { hostClock } from './host-clock.ts';
import { assignment, ScriptedMaster } from './scripted-master.ts';
import { temporaryFolder } from './temporary-folder.ts';

const workers: Worker[] = [];
let names = 0;

afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop({ grace: 0 })));
});

/** Starts a worker that ends with the test. */
export async function start(settings: Partial<WorkerSettings> = {}, epoch = 1) {
  const master = new ScriptedMaster();
  master.epoch = epoch;
  const name = `in-test-${process.pid}-${names++}`;
  const defaults = { name, masters: ['m1'], folder: temporaryFolder(), slots: 10, killGrace: 300 };
  const ports = { clock: hostClock, connect: master.connect, log: () => {} };
  const worker = await startWorker({ ...defaults, ...settings }, ports);
  workers.push(worker);
  const tasks = () =>
    processIds().filter((pid) =>
      markOf(pid)?.startsWith(marksOfWorker(worker.config.name, worker.config.folder)),
    );
  const logOf = async ({ workflow, attempt }: Assignment) =>
    (await worker.logs.read(workflow, attempt)).bytes.toString();
  const endOf = async (given: Assignment, within?: number) => {
    const report = await eventually('reported', () => master.reportOf(given.attempt), within);
    return { ...report, given, log: await logOf(given) };
  };
  /** Runs one attempt to its end. */
  const run = (changes: Partial<Assignment>, within?: number) => {
    const given = assignment(changes);
    master.give(given);
    return endOf(given, within);
  };
  /** Runs one attempt until it prints this line, then kills it. */
  const killAt = async (line: string, changes: Partial<Assignment>, within?: number) => {
    const given = assignment(changes);
    master.give(given);
    await eventually(line, async () => own(await logOf(given)).includes(line), within);
    master.kill(given.attempt);
    return endOf(given);
  };
  return { worker, master, run, killAt, tasks, folder: worker.config.folder };
}

/** The fields of a shell task's assignment. */
export const shell = (script: string, changes: Partial<Assignment> = {}): Partial<Assignment> => ({
  type: 'shell',
  with: { script },
  ...changes,
});

/** The task's own lines of a log. */
export const own = (log: string) =>
  log.split('\n').filter((line) => line !== '' && !line.startsWith('[orrery]'));
