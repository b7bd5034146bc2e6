/**
 * False pauses: sessions of the default timeout on each registry while the processors are at 70 %. A master pauses when its
 * session is past its deadline, two thirds of the timeout after its last acknowledged ping.
 */
import { availableParallelism, loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { openRegistry } from '@orrery/registry';
import { readServices } from '../../scripts/services.ts';
import { describePostgres } from '../engine/databases.ts';
import type { Row } from '../run.ts';
import { bySize } from '../size.ts';

export const title = 'sessions at 70 % load: false pauses';
export const about = describePostgres;
export const alone = true;

const SECONDS = bySize(Number(process.env.ORRERY_BENCH_SECONDS ?? 1_800), 5);
/** Where the machine is busy with other work already, 0 adds none. */
const BUSY = Number(process.env.ORRERY_BENCH_BUSY ?? 0.7);
const TIMEOUT = 3_000;
const LOOK_EVERY = 50;

/** Computes for a share of each tenth of a second. */
const burner = `
  const wait = new Int32Array(new SharedArrayBuffer(4));
  for (;;) {
    const until = performance.now() + ${100 * BUSY};
    while (performance.now() < until);
    Atomics.wait(wait, 0, 0, ${100 * (1 - BUSY)});
  }`;

export async function run(): Promise<Row[]> {
  const { postgres, zookeeper, etcd } = readServices();
  const hostOf = (url = '') => url.replace(/^http:\/\//, '');
  const urls = {
    postgres: postgres?.url ?? '',
    zookeeper: `zookeeper://${hostOf(zookeeper?.url)}/bench`,
    etcd: `etcd://${hostOf(etcd?.url)}/bench`,
  };
  const burners = Array.from(
    { length: BUSY > 0 ? availableParallelism() : 0 },
    () => new Worker(burner, { eval: true }),
  );
  try {
    const rows = await Promise.all(Object.entries(urls).map(([name, url]) => watch(name, url)));
    return rows.flat();
  } finally {
    await Promise.all(burners.map((each) => each.terminate()));
  }
}

async function watch(name: string, url: string): Promise<Row[]> {
  const registry = await openRegistry(url, { name: 'bench', sessionTimeout: TIMEOUT });
  const { session } = registry;
  let [pauses, least, isGood] = [0, Number.POSITIVE_INFINITY, true];
  const end = performance.now() + SECONDS * 1_000;
  while (performance.now() < end && session.lostBecause === undefined) {
    const left = session.remaining();
    least = Math.min(least, left);
    if (isGood && left <= 0) pauses++;
    isGood = left > 0;
    await sleep(LOOK_EVERY);
  }
  const lost = session.lostBecause === undefined ? '' : `; lost: ${session.lostBecause}`;
  await registry.close();
  const note = `${SECONDS} s, timeout ${session.timeout} ms, load ${loadavg()[0].toFixed(1)}${lost}`;
  return [
    { what: `${name}: pauses`, value: pauses, unit: '', note },
    { what: `${name}: least time left before the deadline`, value: least, unit: 'ms', note },
  ];
}
