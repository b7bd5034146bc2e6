/** 1,000 jobs on 5 instances: how late their ticks are, and what a job takes in CPU time and memory. */
import { randomUUID } from 'node:crypto';
import { elastic } from '../../packages/cli/src/elastic.ts';
import { openOperator } from '../../packages/elastic/src/board/index.ts';
import { median, quantile } from '../engine/figures.ts';
import type { Row } from '../run.ts';
import { bySize } from '../size.ts';
import { type Place, places } from './places.ts';

export const title = 'many elastic jobs on five instances in one process, each every 20 s';
/** Takes minutes: five instances join each job. */
export const alone = true;

const JOBS = bySize(1_000, 10);
const INSTANCES = 5;
/** Ticks measured for each job. */
const TICKS = 2;
const PERIOD = bySize(20, 2);

export async function run(): Promise<Row[]> {
  const chosen = process.env.ORRERY_BENCH_REGISTRY?.split(',');
  const rows: Row[] = [];
  for (const place of await places())
    if (chosen?.includes(place.name) ?? true) rows.push(...(await measure(place)));
  return rows;
}

async function measure({ name, url }: Place): Promise<Row[]> {
  const namespace = `bench-${randomUUID()}`;
  const late: number[] = [];
  let isMeasured = false;
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  const instances = await Promise.all(
    Array.from({ length: INSTANCES }, (_, i) =>
      elastic({ registry: url, namespace, server: `10.0.0.${i + 1}`, sessionTimeout: 60_000, log: () => {} }),
    ),
  );
  for (let at = 0; at < JOBS; at += 50) {
    await Promise.all(
      instances.flatMap((jobs) =>
        Array.from({ length: Math.min(50, JOBS - at) }, (_, k) =>
          jobs.schedule({
            name: `job-${at + k}`,
            cron: `${(at + k) % PERIOD}/${PERIOD} * * * * ?`,
            shards: INSTANCES,
            run: ({ due, cause }) => {
              if (isMeasured && cause === 'tick') late.push(Date.now() - (due ?? 0));
            },
          }),
        ),
      ),
    );
    // The memory registry answers without a turn of the event loop: timers would not run until all have joined.
    await sleep(1);
  }
  await allDivided(url, namespace);
  globalThis.gc?.();
  const used = process.memoryUsage().heapUsed - before;
  const cpu = process.cpuUsage();
  isMeasured = true;
  await sleep(TICKS * PERIOD * 1_000);
  isMeasured = false;
  const { user, system } = process.cpuUsage(cpu);
  await Promise.all(instances.map((jobs) => jobs.stop()));
  const expected = JOBS * INSTANCES * TICKS;
  const note = `${JOBS} jobs, ${INSTANCES} shards each, ${late.length} of ${expected} shards ran`;
  return [
    { what: `${name}: lateness of shards, median`, value: median(late), unit: 'ms', note },
    { what: `${name}: lateness of shards, p99`, value: quantile(late, 0.99), unit: 'ms' },
    {
      what: `${name}: CPU time for a shard`,
      value: (user + system) / 1_000 / late.length,
      unit: 'ms',
      note: 'of this process: both requests and the events of all instances',
    },
    {
      what: `${name}: heap for a job on an instance`,
      value: used / (JOBS * INSTANCES) / 1_024,
      unit: 'KiB',
    },
  ];
}

/** Resolves when every job has its shards on all instances and no division is due. */
async function allDivided(url: string, namespace: string): Promise<void> {
  const { operator, close } = openOperator(url, namespace, { id: randomUUID, zone: 'UTC', options: {} });
  for (let job = 0; job < JOBS; ) {
    const { shardList, mark } = await operator.show(`job-${job}`);
    const owners = new Set(shardList.map(({ owner }) => owner));
    if (!mark && owners.size === INSTANCES && !owners.has(undefined)) job++;
    else await sleep(200);
  }
  await close();
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
