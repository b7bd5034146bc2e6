/**
 * What listeners cost a server: 500 of them on all runs while runs change all the time. The server is a process of its
 * own, so that its CPU and memory are its own; the listeners and the load are this one.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Row } from '../run.ts';
import { bySize } from '../size.ts';
import { listen } from './counting-listener.ts';

const LISTENERS = bySize(500, 5);
const SECONDS = bySize(10, 1);

export const title = `${LISTENERS} connections that listen to all runs`;

/** Changes of runs in a second, and what they are like. */
const loads = [
  { changes: 0, note: 'nothing changes' },
  { changes: 20, note: '20 changes a second, each in a frame of its own' },
  { changes: 2_000, note: '2,000 changes a second, 100 rows in each frame' },
];

export async function run(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { changes, note } of loads) rows.push(...(await measure(changes, note)));
  return rows;
}

/** The figures reported by the server process. */
interface Figures {
  readonly cpu: number;
  readonly memory: number;
  readonly reads: number;
}

async function measure(changes: number, note: string): Promise<Row[]> {
  const child = spawn(
    process.execPath,
    ['--expose-gc', join(import.meta.dirname, 'live-server.ts'), String(changes)],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const said = async <T>() => JSON.parse(String((await lines.next()).value)) as T;
  const ask = (word: string) => child.stdin.write(`${word}\n`);
  const { url } = await said<{ url: string }>();
  ask('figures');
  const before = await said<Figures>();
  const listeners = Array.from({ length: LISTENERS }, () => listen(url));
  await Promise.all(listeners.map(({ greeted }) => greeted));
  ask('begin');
  await said();
  await new Promise((done) => setTimeout(done, SECONDS * 1_000));
  ask('figures');
  const after = await said<Figures>();
  const frames = listeners.reduce((sum, listener) => sum + listener.frames, 0);
  const bytes = listeners.reduce((sum, listener) => sum + listener.bytes, 0);
  for (const listener of listeners) listener.close();
  child.kill();
  await once(child, 'exit');
  const per = (value: number) => value / SECONDS;
  return [
    { what: `CPU, ${note}`, value: per((after.cpu - before.cpu) / 10_000), unit: '% of a core' },
    { what: `memory more, ${note}`, value: (after.memory - before.memory) / 2 ** 20, unit: 'MiB' },
    { what: `reads of the feed, ${note}`, value: per(after.reads - before.reads), unit: '/s' },
    { what: `frames to each listener, ${note}`, value: per(frames / LISTENERS), unit: '/s' },
    { what: `bytes to all listeners, ${note}`, value: per(bytes / 2 ** 20), unit: 'MiB/s' },
  ];
}
