/**
 * An outage of the database that is longer than the lease of a worker, with real masters. The full tier uses the lease
 * that servers have, the others a shorter one.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { OwnPostgres } from '@orrery/testkit/own-postgres';
import { isFull } from '@orrery/testkit/tier';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { answered, TestCluster } from './node-process.ts';

/** In seconds. */
const times = isFull ? { lease: 30, task: 50, outage: 60 } : { lease: 5, task: 10, outage: 12 };

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

const outages = {
  stopped: { begin: () => database.stop('fast'), end: () => database.start() },
  silent: { begin: () => database.freeze(true), end: () => database.freeze(false) },
};

/** Starts a task and takes the database away for longer than the lease: the task ends well in its first attempt. */
async function expectSurvival(how: keyof typeof outages): Promise<void> {
  await cluster.publish(
    `name: long\ntasks: [{ name: one, type: shell, with: { script: 'echo begun; sleep ${times.task}; echo over' } }]`,
  );
  const run = await cluster.run('long');
  await cluster.log(`${run}.one.1`, ({ text }) => text.includes('begun'));
  await outages[how].begin();
  await sleep(times.outage * 1_000);
  await outages[how].end();
  expect(await answered(() => cluster.endOf(run))).toBe('success');
  expect((await cluster.log(`${run}.one.1`, () => true)).text).toContain('over');
  await expect(cluster.call(`/attempts/${run}.one.2/log`)).rejects.toThrow('there is no attempt');
}

describe('a task that runs longer than a lease while the database is away', { timeout: 300_000 }, () => {
  const master = (name: string) => cluster.master(name, '--lease', `${times.lease}s`);

  it.each(['stopped', 'silent'] as const)('goes on where there are two masters: %s', async (how) => {
    await Promise.all([master('m1'), master('m2'), cluster.api()]);
    await cluster.worker('w1', 'm1');
    await expectSurvival(how);
  });

  it('goes on after one of three masters has died, although its worker was told of no other', async () => {
    const [first] = await Promise.all([master('m1'), master('m2'), master('m3'), cluster.api()]);
    const worker = await cluster.worker('w1', 'm1');
    const knows = async (...masters: string[]) => {
      const addresses = masters.map(async (each) => `127.0.0.1:${await cluster.portOf(each)}`);
      await worker.says(
        new RegExp(`masters are now ${(await Promise.all(addresses)).toSorted().join(', ')}$`, 'm'),
      );
    };
    await knows('m1', 'm2', 'm3');
    await first.end('SIGKILL');
    await knows('m2', 'm3');
    await expectSurvival('stopped');
  });
});
