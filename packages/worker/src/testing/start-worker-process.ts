/** Starts a worker process for tests and lists its processes. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Assignment, Report } from '@orrery/wire/frames';
import type { WorkerSettings } from '../config.ts';
import { marksOfWorker } from '../guard/guard-mark.ts';
import { markOf, processIds } from '../guard/processes.ts';
import type { WorkerProcessInput } from './worker-process.ts';

/** A worker process under test. */
export interface WorkerProcess {
  readonly process: ChildProcess;
  readonly folder: string;
  readonly reports: Report[];
  /** The live task processes of this worker, guards included. */
  tasks(): number[];
}

/** Overrides of the defaults. */
interface StartOptions extends Partial<WorkerSettings>, Pick<WorkerProcessInput, 'bundledIn'> {
  readonly lease?: number;
}

let count = 0;

/** Starts a worker process that runs these assignments. */
export function startWorkerProcess(
  assignments: readonly Assignment[],
  folder: string,
  { lease = 30_000, killGrace = 10_000, bundledIn, ...more }: StartOptions = {},
): WorkerProcess {
  const name = `test-${process.pid}-${count++}`;
  const settings = { name, masters: ['m1'], folder, slots: 50, killGrace, ...more };
  const input: WorkerProcessInput = { settings, lease, assignments, bundledIn };
  const script = join(import.meta.dirname, 'worker-process.ts');
  const child = spawn(process.execPath, [script, JSON.stringify(input)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const reports: Report[] = [];
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (text + chunk).split('\n');
    text = lines.pop() ?? '';
    for (const line of lines) reports.push(JSON.parse(line));
  });
  const tasks = () => processIds().filter((pid) => markOf(pid)?.startsWith(marksOfWorker(name, folder)));
  return { process: child, folder, reports, tasks };
}
