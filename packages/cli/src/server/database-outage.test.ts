/**
 * An outage of the database that is longer than the lease of a worker, with real masters: ORRERY_TEST_FULL=1 plays it
 * with the lease that servers have, else with one that takes less time.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { OwnPostgres } from '@orrery/testkit/own-postgres';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestCluster } from './node-process.ts';

/** In seconds. */
const times =
  process.env.ORRERY_TEST_FULL === '1'
    ? { lease: 30, task: 50, outage: 60 }
    : { lease: 5, task: 10, outage: 12 };

let database: OwnPostgres;
let cluster: TestCluster;

beforeEach(async () => {
  database = new OwnPostgres();
  cluster = new TestCluster(await database.start(), '--join-token', 'hush');
});
afterEach(async () => {
  await cluster?.stop();
  await database.remove();
});

/** Starts a task, stops the database beyond the lease, and answers what became of the task. */
async function playOutage(): Promise<{ state: string; log: string; attempts: number }> {
  await cluster.publish(
    `name: long\ntasks: [{ name: one, type: shell, with: { script: 'echo begun; sleep ${times.task}; echo over' } }]`,
  );
  const run = await cluster.run('long');
  await cluster.log(`${run}.one.1`, ({ text }) => text.includes('begun'));
  await database.stop('fast');
  await sleep(times.outage * 1_000);
  await database.start();
  const state = await cluster.endOf(run);
  const { text } = await cluster.log(`${run}.one.1`, () => true);
  const second = await cluster.call(`/attempts/${run}.one.2/log`).catch(() => undefined);
  return { state, log: text, attempts: second ? 2 : 1 };
}

const survived = { state: 'success', log: expect.stringContaining('over'), attempts: 1 };

describe('a task that runs longer than a lease while the database is away', { timeout: 300_000 }, () => {
  const master = (name: string) => cluster.master(name, '--lease', `${times.lease}s`);

  it('goes on where there are two masters', async () => {
    await Promise.all([master('m1'), master('m2'), cluster.api()]);
    await cluster.worker('w1', 'm1');
    expect(await playOutage()).toEqual(survived);
  });

  it('goes on after one of three masters has died, although its worker was told of no other', async () => {
    const [first] = await Promise.all([master('m1'), master('m2'), master('m3'), cluster.api()]);
    const worker = await cluster.worker('w1', 'm1');
    const [second, third] = [await cluster.portOf('m2'), await cluster.portOf('m3')];
    await first.end('SIGKILL');
    const both = `(127.0.0.1:${second}, 127.0.0.1:${third}|127.0.0.1:${third}, 127.0.0.1:${second})`;
    await worker.says(new RegExp(`masters are now ${both}$`, 'm'));
    expect(await playOutage()).toEqual(survived);
  });
});
