/** 1,000 jobs on 5 instances: how late their ticks are, and what a job takes in memory. */
import { randomUUID } from 'node:crypto';
import { elastic } from '../../packages/cli/src/elastic.ts';
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
  for (let at = 0; at < JOBS; at += 50)
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
  // The shards of the last ones are divided within a second.
  await sleep(3_000);
  globalThis.gc?.();
  const used = process.memoryUsage().heapUsed - before;
  isMeasured = true;
  await sleep(TICKS * PERIOD * 1_000);
  isMeasured = false;
  await Promise.all(instances.map((jobs) => jobs.stop()));
  const expected = JOBS * INSTANCES * TICKS;
  const note = `${JOBS} jobs, ${INSTANCES} shards each, ${late.length} of ${expected} shards ran`;
  return [
    { what: `${name}: lateness of shards, median`, value: median(late), unit: 'ms', note },
    { what: `${name}: lateness of shards, p99`, value: quantile(late, 0.99), unit: 'ms' },
    {
      what: `${name}: heap for a job on an instance`,
      value: used / (JOBS * INSTANCES) / 1_024,
      unit: 'KiB',
    },
  ];
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
