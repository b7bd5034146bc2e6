/** BullMQ on Redis, installed on demand into a folder of its own: jobs that do nothing, added in bulk or one by one. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { servicesFolder } from '../engine/databases.ts';
import { type Lap, startLap } from '../engine/figures.ts';
import { startRedis } from './redis.ts';

export const bullmqVersion = '6.7.0';

const BATCH = 500;
const CONCURRENCY = 500;

export const bullmqSettings = `addBulk by ${BATCH}, one Worker with concurrency ${CONCURRENCY}, completed jobs kept; Redis with appendonly yes, appendfsync everysec`;

/** The used part of it; its own types are not installed here. */
interface BullMq {
  Queue: new (name: string, options: object) => Queue;
  Worker: new (name: string, work: (job: Job) => Promise<void>, options: object) => Worker;
}
interface Job {
  readonly data: { readonly id: number };
}
interface Queue {
  add(name: string, data: object): Promise<unknown>;
  addBulk(jobs: readonly { readonly name: string; readonly data: object }[]): Promise<unknown>;
  obliterate(options: { readonly force: boolean }): Promise<void>;
  close(): Promise<void>;
}
interface Worker {
  on(event: 'completed', heard: () => void): void;
  on(event: 'error', heard: (error: Error) => void): void;
  waitUntilReady(): Promise<unknown>;
  close(force?: boolean): Promise<void>;
}

/** Times that many jobs, from the first add at an idle worker to the last completion. */
export function timeBullMq(jobs: number): Promise<Lap> {
  return withQueue(async (queue, heard) => {
    const done = heard(jobs);
    const endLap = startLap();
    for (let first = 0; first < jobs; first += BATCH) {
      const count = Math.min(jobs - first, BATCH);
      await queue.addBulk(
        Array.from({ length: count }, (_, k) => ({ name: 'noop', data: { id: first + k } })),
      );
    }
    await done;
    return endLap();
  });
}

/** Times single adds without a worker, that many at once. */
export function timeBullMqAdds(jobs: number, atOnce: number): Promise<Lap> {
  return withQueue(async (queue) => {
    const endLap = startLap();
    let left = jobs;
    const follow = async (): Promise<void> => {
      while (left-- > 0) await queue.add('noop', { id: left });
    };
    await Promise.all(Array.from({ length: atOnce }, follow));
    return endLap();
  }, false);
}

async function withQueue<T>(
  work: (queue: Queue, heard: (count: number) => Promise<void>) => Promise<T>,
  working = true,
): Promise<T> {
  const { Queue, Worker } = install();
  const connection = { host: '127.0.0.1', port: await startRedis(), maxRetriesPerRequest: null };
  const queue = new Queue('bench', { connection });
  let completed = 0;
  let wanted = Number.POSITIVE_INFINITY;
  let reached = () => {};
  const worker = working
    ? new Worker('bench', async () => {}, { connection, concurrency: CONCURRENCY })
    : undefined;
  worker?.on('error', (error) => console.error(`BullMQ: ${error.message}`));
  worker?.on('completed', () => {
    if (++completed >= wanted) reached();
  });
  try {
    await worker?.waitUntilReady();
    return await work(queue, (count) => {
      wanted = count;
      return new Promise((resolve) => {
        reached = resolve;
      });
    });
  } finally {
    await worker?.close(true);
    await queue.obliterate({ force: true });
    await queue.close();
  }
}

/** The package, from the folder it is installed in. */
function install(): BullMq {
  const folder = join(servicesFolder, 'peers');
  const manifest = join(folder, 'package.json');
  if (!existsSync(join(folder, 'node_modules', 'bullmq'))) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(
      manifest,
      JSON.stringify({ private: true, dependencies: { bullmq: bullmqVersion, ioredis: '5.11.1' } }),
    );
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts'], {
      cwd: folder,
      stdio: 'ignore',
    });
  }
  return createRequire(manifest)('bullmq') as BullMq;
}
