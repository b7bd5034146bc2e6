import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { testDatabase } from '@orrery/testkit/databases';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestCluster } from './node-process.ts';

let database: Awaited<ReturnType<typeof testDatabase>>;
let cluster: TestCluster;

beforeEach(async () => {
  database = await testDatabase();
  cluster = new TestCluster(database.url, '--join-token', 'hush');
});
afterEach(async () => {
  await cluster.stop();
  await database.drop();
});

interface Attempt {
  readonly id: string;
  readonly shard: number | null;
  readonly number: number;
  readonly state: string;
  readonly worker: string | null;
}

describe('a task in shards on workers that are processes of their own', () => {
  it('runs the shards of a worker that is killed elsewhere, once, and each has its own log and retries', {
    timeout: 180_000,
  }, async () => {
    const [go, failed, ran] = ['go', 'failed', 'ran'].map((name) => join(cluster.folder, name));
    await cluster.master('m1');
    await cluster.api();
    const join1 = `127.0.0.1:${await cluster.portOf('m1')}`;
    const worker = (name: string, group: string) =>
      cluster.start('--role', 'worker', '--name', name, '--join', join1, '--group', group);
    const workers = { w1: await worker('w1', 'parts'), w2: await worker('w2', 'parts') };
    // Shard 0 fails once. All others last until they may end.
    await cluster.publish(`
name: parts
workerGroup: parts
tasks:
  - name: split
    type: shell
    retries: 1
    shards: { count: 4, params: '0=north,1=east,2=south,3=west', plan: dynamic }
    with:
      script: |
        echo "shard $ORRERY_SHARD is $ORRERY_SHARD_PARAMETER"
        echo begun >> ${ran}.$ORRERY_SHARD
        if [ $ORRERY_SHARD = 0 ] && [ ! -e ${failed} ]; then touch ${failed}; exit 3; fi
        while [ ! -e ${go} ]; do sleep 0.1; done
        echo ended >> ${ran}.$ORRERY_SHARD
`);
    const run = await cluster.run('parts');
    const attempts = async () =>
      ((await cluster.call(`/task-runs/${run}.split/attempts?limit=100`)) as { attempts: Attempt[] })
        .attempts;
    const linesOf = (shard: number) =>
      existsSync(`${ran}.${shard}`) ? readFileSync(`${ran}.${shard}`, 'utf8').trim().split('\n') : [];
    while (linesOf(0).length < 2 || [1, 2, 3].some((shard) => linesOf(shard).length < 1)) await sleep(100);

    const hosts = new Map(
      (await attempts()).filter(({ number }) => number === 1).map((each) => [each.shard, each.worker]),
    );
    expect(new Set(hosts.values())).toEqual(new Set(['w1', 'w2']));
    const gone = hosts.get(3) as 'w1' | 'w2';
    const other = gone === 'w1' ? 'w2' : 'w1';
    const moved = (await attempts()).filter(({ state, worker: host }) => host === gone && state !== 'failed');
    await workers[gone].end('SIGKILL');
    // Its name comes back for other work: so it is known at once that what it had is lost.
    await worker(gone, 'elsewhere');
    const isAgain = ({ shard, number }: Attempt) =>
      moved.some((lost) => lost.shard === shard && number === lost.number + 1);
    const again = async () => (await attempts()).filter(isAgain);
    while (
      (await again()).filter(({ state, worker: host }) => host !== null && state !== 'queued').length <
      moved.length
    )
      await sleep(100);
    writeFileSync(go, '');
    expect(await cluster.endOf(run)).toBe('success');

    const ended = await attempts();
    for (const { shard, number } of moved) {
      const [lost, next] = [number, number + 1].map((n) =>
        ended.find((each) => each.shard === shard && each.number === n),
      );
      expect([lost?.state, lost?.worker, next?.state, next?.worker]).toEqual([
        'lost',
        gone,
        'success',
        other,
      ]);
    }
    // Each shard has ended once: what was killed with its worker has not gone on.
    const lost = new Set(moved.map(({ shard }) => shard));
    for (const shard of [0, 1, 2, 3]) {
      const tries = 1 + Number(shard === 0) + Number(lost.has(shard));
      expect(linesOf(shard).filter((line) => line === 'begun')).toHaveLength(tries);
      expect(linesOf(shard).filter((line) => line === 'ended')).toHaveLength(1);
      const parameter = ['north', 'east', 'south', 'west'][shard];
      const log = await cluster.log(`${run}.split:${shard}.${tries}`, ({ text }) => text !== '');
      expect(log.text).toContain(`shard ${shard} is ${parameter}`);
    }
    expect(
      ended.filter(({ state }) => state === 'failed').map(({ shard, number }) => [shard, number]),
    ).toEqual([[0, 1]]);
  });
});
