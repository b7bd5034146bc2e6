/** Attempts through a whole worker, from take to acknowledged report, with a scripted master in the same process. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Assignment } from '@orrery/wire/frames';
import { eventually } from '../../packages/worker/src/testing/eventually.ts';
import { hostClock } from '../../packages/worker/src/testing/host-clock.ts';
import { assignment, ScriptedMaster } from '../../packages/worker/src/testing/scripted-master.ts';
import { startWorkerProcess } from '../../packages/worker/src/testing/start-worker-process.ts';
import { startWorker } from '../../packages/worker/src/worker.ts';
import type { Row } from '../run.ts';
import { bySize } from '../size.ts';

export const title = 'attempts through a worker, and the end of its tasks when it is killed';

const SHELLS = bySize(400, 4);
const NOOPS = bySize(100_000, 100);

export async function run(): Promise<Row[]> {
  const shell = { type: 'shell', with: { script: 'true' } };
  const output = { with: { outputs: { a: 1 } } };
  // Processes first: to start one takes the longer the more memory the worker's own process has.
  return [
    await bare(SHELLS),
    await rate('shell attempts (true)', 16, SHELLS, () => assignment(shell)),
    await printing(),
    await killing(),
    await rate('no-op attempts', 500, 2 * NOOPS, () => assignment()),
    await rate('no-op attempts with an output', 500, NOOPS, () => assignment(output)),
  ];
}

async function rate(what: string, slots: number, count: number, make: () => Assignment): Promise<Row> {
  const { master, stop } = await start(slots);
  const serve = async (attempts: number): Promise<void> => {
    const given = Array.from({ length: attempts }, make);
    const all = master.reports.length + attempts;
    const { promise, resolve } = Promise.withResolvers<void>();
    master.onReports = () => {
      if (master.reports.length >= all) resolve();
    };
    for (let i = 0; i < attempts; i += 10_000) master.give(...given.slice(i, i + 10_000));
    await promise;
  };
  await serve(Math.ceil(count / 10));
  const begin = performance.now();
  await serve(count);
  const value = count / ((performance.now() - begin) / 1_000);
  await stop();
  return { what, value, unit: '/s', note: `takes of ${slots}` };
}

/** What the machine allows: the same without worker, guard, log and report. */
async function bare(count: number): Promise<Row> {
  const begin = performance.now();
  let left = count;
  const line = async (): Promise<void> => {
    while (left-- > 0) await once(spawn('/bin/sh', ['-c', 'true'], { stdio: 'ignore' }), 'close');
  };
  await Promise.all(Array.from({ length: 16 }, line));
  const value = count / ((performance.now() - begin) / 1_000);
  return { what: 'shells started by spawn alone (true)', value, unit: '/s', note: '16 at once' };
}

async function printing(): Promise<Row> {
  const { master, stop } = await start(1);
  const megabytes = bySize(1_000, 1);
  const script = `yes 'a line of text that a task prints again and again' | head -c ${megabytes}000000`;
  const given = assignment({ type: 'shell', with: { script } });
  const begin = performance.now();
  master.give(given);
  await eventually('printed', () => master.reportOf(given.attempt));
  const value = megabytes / ((performance.now() - begin) / 1_000);
  const memory = Math.round(process.memoryUsage().rss / 2 ** 20);
  await stop();
  return {
    what: 'output of one task into its log',
    value,
    unit: 'MB/s',
    note: `${megabytes} MB, 64 MB kept, worker at ${memory} MiB`,
  };
}

async function killing(): Promise<Row> {
  const script = `trap '' TERM; setsid sh -c 'trap "" TERM; while :; do sleep 1; done' & while :; do sleep 1; done`;
  const assignments = Array.from({ length: 10 }, () => assignment({ type: 'shell', with: { script } }));
  const folder = mkdtempSync(join(tmpdir(), 'orrery-bench-'));
  const worker = startWorkerProcess(assignments, folder);
  await eventually('all run', () => worker.tasks().length >= 50);
  const begin = performance.now();
  worker.process.kill('SIGKILL');
  await eventually('all gone', () => worker.tasks().length === 0);
  const value = performance.now() - begin;
  rmSync(folder, { recursive: true });
  return {
    what: 'SIGKILL of the worker until the last of 10 tasks and their daemons is gone',
    value,
    unit: 'ms',
  };
}

async function start(slots: number): Promise<{ master: ScriptedMaster; stop: () => Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'orrery-bench-'));
  const master = new ScriptedMaster();
  const settings = { name: `bench-${process.pid}`, masters: ['m1'], folder, slots };
  const worker = await startWorker(settings, { clock: hostClock, connect: master.connect, log: () => {} });
  const stop = async (): Promise<void> => {
    await worker.stop();
    rmSync(folder, { recursive: true });
  };
  return { master, stop };
}
