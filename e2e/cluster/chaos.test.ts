/**
 * A whole cluster under load while faults happen every few seconds: processes are killed and frozen, links are cut, clocks
 * step, database and registry restart. Then everything heals, and nothing may be lost, doubled, stuck or left behind.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '@orrery/testkit/random';
import { isFull } from '@orrery/testkit/tier';
import { afterEach, describe, expect, it } from 'vitest';
import { answered } from '../../packages/cli/src/server/node-process.ts';
import { ChaosCluster, type RegistryName, registries } from './chaos-cluster.ts';
import { Checker } from './checker.ts';
import { Faults } from './faults.ts';
import { People } from './people.ts';

const SEED = Number(process.env.ORRERY_TEST_SEED ?? 1);
/** How much: the full tier takes as long as one would watch such a thing. */
const usual = isFull
  ? { seconds: 300, schedules: 300, runs: 2_000 }
  : { seconds: 50, schedules: 20, runs: 100 };
const seconds = Number(process.env.ORRERY_CHAOS_SECONDS ?? usual.seconds);
const { schedules, runs } = usual;
const asked = process.env.ORRERY_CHAOS_REGISTRY?.split(',');
const chosen = registries.filter((name) => asked?.includes(name) ?? (isFull || name === 'postgres'));
/** A limit for what hangs. */
const PATIENCE = 500_000;
const LOGS = join(import.meta.dirname, '../../node_modules/.cache/chaos');

let cluster: ChaosCluster;
let checker: Checker | undefined;

afterEach(async ({ task }) => {
  if (task.result?.state === 'fail') {
    cluster.keepLogs(LOGS);
    console.log(`what the processes printed is in ${LOGS}`);
  }
  await checker?.close();
  await cluster.stop();
});

describe.each(chosen)('a cluster in trouble, with %s as its registry', (registry) => {
  it('loses, doubles and forgets nothing', { timeout: seconds * 1_000 + PATIENCE }, async () => {
    const { people, faults, marks } = await start(registry);
    checker = new Checker(cluster.database, marks);
    await trouble(people, faults);

    const healed = Date.now();
    await people.undrainAll();
    await until('every schedule fires again', async () => ((await checker?.firedUntil()) ?? 0) > healed);
    await pauseSchedules();
    await until('all work has ended', async () => {
      await people.resume((await checker?.paused()) ?? []);
      return (await checker?.open()) === 0;
    });
    expect(await checker.faults(people.runs)).toEqual([]);
    // A process may end when another took its place; it may not crash.
    expect(cluster.ends.filter((line) => !/stopping: /.test(line))).toEqual([]);
    await until('the cluster is well', async () => {
      const { problems } = (await cluster.test.call('/cluster')) as { problems: string[] };
      return problems.length === 0;
    });
    const summary = { ...faults.counts, ...(await checker.summary()), ends: cluster.ends.length };
    console.log(`chaos of ${seconds} s on ${registry}, seed ${SEED}: ${JSON.stringify(summary)}`);
  });
});

async function start(registry: RegistryName) {
  cluster = new ChaosCluster(registry);
  await cluster.start();
  const random = new Random(SEED);
  const marks = join(cluster.test.folder, 'marks');
  mkdirSync(marks);
  const people = new People(cluster, random);
  await people.publish(schedules, marks);
  return { people, faults: new Faults(cluster, random), marks };
}

/** People work, and something breaks every few seconds. */
async function trouble(people: People, faults: Faults): Promise<void> {
  const over = performance.now() + seconds * 1_000;
  const starts: Promise<void>[] = [];
  const whileTrouble = async (every: number, act: () => Promise<void> | void) => {
    while (performance.now() < over) {
      await act();
      await sleep(every);
    }
  };
  await Promise.all([
    whileTrouble((seconds * 1_000) / runs, () => void starts.push(people.start())),
    whileTrouble(700, () => people.act()),
    whileTrouble(2_000, () => faults.begin()),
  ]);
  await faults.healed();
  await Promise.all(starts);
}

async function pauseSchedules(): Promise<void> {
  const { schedules } = (await cluster.test.call('/schedules?limit=1000')) as { schedules: { id: number }[] };
  for (const { id } of schedules)
    await cluster.insist(() => cluster.test.call(`/schedules/${id}/pause`, { method: 'POST' }));
}

/** Waits for something; says what did not come about. */
async function until(what: string, is: () => Promise<boolean>): Promise<void> {
  const limit = performance.now() + PATIENCE / 3;
  while (!(await answered(is))) {
    if (performance.now() > limit) throw new Error(`waited in vain until ${what}`);
    await sleep(200);
  }
}
