/** Instances as real processes on every registry: shards move as little as they must, and a frozen instance writes nothing. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { type JobOperator, type OpenOperator, openOperator } from '@orrery/elastic/board';
import { testDatabase } from '@orrery/testkit/databases';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { etcd } from '../../../../scripts/services/etcd.ts';
import { startService } from '../../../../scripts/services/lifecycle.ts';
import { zookeeper } from '../../../../scripts/services/zookeeper.ts';
import { JobProcess } from './testing.ts';

const instance = join(import.meta.dirname, '../../../testkit/src/job-instance.ts');
const services = join(import.meta.dirname, '../../../../.services');
const SESSION = 4_000;
const SHARDS = 20;

interface Effect {
  readonly shard: number;
  readonly token: string;
  readonly due: string;
  readonly process: number;
}

describe.each(['postgres', 'etcd', 'zookeeper'] as const)('processes of one job on %s', (kind) => {
  let database: Awaited<ReturnType<typeof testDatabase>>;
  let client: pg.Client;
  let half: OpenOperator;
  let operator: JobOperator;
  let registry = '';
  const namespace = `processes-${randomUUID()}`;
  const processes: JobProcess[] = [];
  const at = async (service: Parameters<typeof startService>[0]) =>
    `127.0.0.1:${(await startService(service, services, true)).port}`;

  beforeAll(async () => {
    database = await testDatabase();
    client = new pg.Client(database.url);
    await client.connect();
    await client.query('CREATE TABLE effect (shard int, token bigint, due bigint, cause text, process int)');
    const urls = {
      postgres: async () => database.url,
      etcd: async () => `etcd://${await at(etcd)}`,
      zookeeper: async () => `zookeeper://${await at(zookeeper)}`,
    };
    registry = await urls[kind]();
    half = openOperator(registry, namespace, { id: randomUUID, zone: 'UTC', options: {} });
    operator = half.operator;
  });
  afterAll(async () => {
    await Promise.all(processes.map((one) => one.end('SIGKILL')));
    await half.close();
    await client.end();
    await database.drop();
  });

  function start(job: object, takes: number): JobProcess {
    const where = { REGISTRY: registry, DATABASE: database.url, NAMESPACE: namespace };
    const how = { JOB: JSON.stringify(job), TAKES: String(takes), SESSION: String(SESSION) };
    const one = new JobProcess(instance, { ...where, ...how });
    processes.push(one);
    return one;
  }
  const idOf = (one: JobProcess) => String(one.having('instance')[0].instance);
  const pidOf = (one: JobProcess) => Number(one.having('instance')[0].pid);

  /** Resolves when exactly these instances are there and all shards are divided over them. */
  async function divided(job: string, members: readonly JobProcess[]): Promise<void> {
    await Promise.all(members.map((one) => one.until('instance')));
    const ids = members.map(idOf).sort();
    const isDivided = async () => {
      const { instanceList, shardList, mark } = await operator.show(job);
      const there = instanceList.map(({ id }) => id).sort();
      return (
        !mark && there.join() === ids.join() && shardList.every(({ owner }) => owner && ids.includes(owner))
      );
    };
    await expect.poll(isDivided, { timeout: 90_000 }).toBe(true);
  }

  /** Who ran each shard in three ticks after now, in which each ran once. */
  async function quiet(): Promise<Map<number, number>> {
    const from = Date.now() + 1_000;
    const ticks = async () => {
      const { rows } = await client.query<Effect>(
        'SELECT shard, token, due, process FROM effect WHERE due > $1 ORDER BY due, shard',
        [from],
      );
      return [...Map.groupBy(rows, ({ due }) => due).values()];
    };
    // The last tick may still be under way.
    await expect.poll(async () => (await ticks()).length, { timeout: 90_000 }).toBeGreaterThan(3);
    const [first, ...more] = (await ticks()).slice(0, 3);
    for (const rows of [first, ...more])
      expect(rows.map(({ shard }) => shard)).toEqual(Array.from({ length: SHARDS }, (_, i) => i));
    const owners = (rows: readonly Effect[]) => new Map(rows.map(({ shard, process }) => [shard, process]));
    for (const rows of more) expect(owners(rows)).toEqual(owners(first));
    return owners(first);
  }

  it('share its shards from 1 to 5 to 2: each once per tick, and only those move that must', async () => {
    const job = { name: 'scale', cron: '* * * * * ?', shards: SHARDS, strategy: 'consistent-hash' };
    const group = [start(job, 20)];
    await divided('scale', group);
    const alone = await quiet();
    for (let i = 0; i < 4; i++) group.push(start(job, 20));
    await divided('scale', group);
    const wide = await quiet();
    const first = pidOf(group[0]);
    for (const [shard, owner] of wide) if (owner !== alone.get(shard)) expect(owner).not.toBe(first);
    const gone = group.splice(0, 3);
    for (const one of gone) expect(await one.end('SIGTERM')).toBe(0);
    await divided('scale', group);
    const narrow = await quiet();
    for (const [shard, owner] of narrow)
      if (owner !== wide.get(shard)) expect(gone.map(pidOf)).toContain(wide.get(shard));
    await Promise.all(group.map((one) => one.end('SIGTERM')));
    const { rows } = await client.query<Effect>('SELECT shard, token FROM effect');
    const tokens = rows.map(({ shard, token }) => `${shard} ${token}`);
    expect(new Set(tokens).size).toBe(tokens.length);
    expect(processes.flatMap((one) => one.having('refused'))).toEqual([]);
    await operator.remove('scale');
  }, 280_000);

  it('refuse what one writes that was frozen past its session, which is told first', async () => {
    const job = { name: 'freeze', cron: '0 0 0 1 1 ? 2099', shards: 2, failover: true };
    const frozen = start(job, 1_500);
    await frozen.until('instance');
    const other = start(job, 0);
    await divided('freeze', [frozen, other]);
    await operator.trigger('freeze', { instance: idOf(frozen) });
    await frozen.until('began');
    frozen.kill('SIGSTOP');
    const [lost] = frozen.having('began');
    await expect
      .poll(() => other.having('wrote').some(({ wrote }) => wrote === lost.began), { timeout: 90_000 })
      .toBe(true);
    frozen.kill('SIGCONT');
    await frozen.until('refused');
    expect(frozen.having('refused')[0]).toMatchObject({ refused: lost.began, token: lost.token });
    const taken = other.having('wrote').find(({ wrote }) => wrote === lost.began);
    expect(taken).toMatchObject({ cause: 'failover' });
    expect(Number(taken?.token)).toBeGreaterThan(Number(lost.token));
    const { printed } = frozen;
    expect(printed.findIndex((line) => 'aborted' in line)).toBeLessThan(
      printed.findIndex((line) => 'refused' in line),
    );
    await Promise.all([frozen, other].map((one) => one.end('SIGTERM')));
    await expect.poll(async () => (await operator.show('freeze')).instances, { timeout: 60_000 }).toBe(0);
    await operator.remove('freeze');
  }, 280_000);
});
