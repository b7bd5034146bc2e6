/** Instances as real processes on PostgreSQL: they come, go, crash and freeze. */
import { join } from 'node:path';
import { testDatabase } from '@orrery/testkit/databases';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { JobProcess } from './testing.ts';

const instance = join(import.meta.dirname, '../../../testkit/src/job-instance.ts');
const SESSION = 2_000;
let database: Awaited<ReturnType<typeof testDatabase>>;
let client: pg.Client;
const processes: JobProcess[] = [];

beforeAll(async () => {
  database = await testDatabase();
  client = new pg.Client(database.url);
  await client.connect();
  await client.query('CREATE TABLE effect (shard int, token bigint, due bigint, cause text, process int)');
});
afterAll(async () => {
  await Promise.all(processes.map((one) => one.end('SIGKILL')));
  await client.end();
  await database.drop();
});

function start(job: object, takes: number): JobProcess {
  const environment = { JOB: JSON.stringify(job), TAKES: String(takes), SESSION: String(SESSION) };
  const one = new JobProcess(instance, { REGISTRY: database.url, ...environment });
  processes.push(one);
  return one;
}

interface Effect {
  readonly shard: number;
  readonly token: string;
  readonly due: string;
}

async function effects(): Promise<Effect[]> {
  return (await client.query<Effect>('SELECT shard, token, due FROM effect ORDER BY due, shard')).rows;
}

/** Waits until this many ticks after now have run on exactly these shards, each once. */
async function quietTicks(shards: number, count: number): Promise<void> {
  const all = Array.from({ length: shards }, (_, i) => i);
  const from = Date.now() + 3_000;
  const ticks = () =>
    effects().then((rows) => [
      ...Map.groupBy(
        rows.filter(({ due }) => Number(due) > from),
        ({ due }) => due,
      ),
    ]);
  // The last tick may still be under way.
  await expect.poll(async () => (await ticks()).length, { timeout: 60_000 }).toBeGreaterThan(count);
  for (const [, rows] of (await ticks()).slice(0, count)) expect(rows.map(({ shard }) => shard)).toEqual(all);
}

describe('processes of one job', () => {
  it('share its shards while they scale out and in, each shard once per tick', async () => {
    const job = { name: 'scale', cron: '* * * * * ?', shards: 10 };
    // The full tier goes from 1 to 5 to 2 on every registry.
    const group = [start(job, 20)];
    await group[0].until('wrote', 10);
    await quietTicks(10, 1);
    for (let i = 0; i < 2; i++) group.push(start(job, 20));
    await Promise.all(group.map((one) => one.until('wrote', 2)));
    await quietTicks(10, 1);
    for (const one of group.splice(0, 1)) expect(await one.end('SIGTERM')).toBe(0);
    await quietTicks(10, 1);
    await Promise.all(group.map((one) => one.end('SIGTERM')));
    const tokens = (await effects()).map(({ shard, token }) => `${shard} ${token}`);
    expect(new Set(tokens).size).toBe(tokens.length);
    expect(processes.flatMap((one) => one.having('refused'))).toEqual([]);
  });

  it('take over what a killed one ran, and refuse what a frozen one writes after it woke', async () => {
    await client.query('DELETE FROM effect');
    const job = { name: 'crash', cron: '0 0 0 1 1 ? 2099', shards: 2, failover: true };
    const { elastic } = await import('../elastic.ts');
    const operator = await elastic({ registry: database.url, namespace: 'test', log: () => {} });
    const a = start(job, 1_500);
    const b = start(job, 1_500);
    await Promise.all([a.until('instance'), b.until('instance')]);
    const shardsOf = async () => {
      const { rows } = await client.query(
        `SELECT value FROM orrery_registry.entry WHERE path = '/test/crash/assignment'`,
      );
      const { shards, mark } = JSON.parse(rows[0].value);
      return mark ? 0 : Object.values(shards).filter((text) => text !== '').length;
    };
    await expect.poll(shardsOf, { timeout: 60_000 }).toBe(2);
    await operator.trigger('crash');
    await Promise.all([a.until('began'), b.until('began')]);

    // a is killed: b takes its shard over, with a greater token.
    const killedAt = Date.now();
    a.kill('SIGKILL');
    await b.until('wrote', 2);
    const [lost] = a.having('began');
    const taken = b.having('began').find(({ began }) => began === lost.began);
    expect(taken).toMatchObject({ cause: 'failover' });
    expect(Number(taken?.token)).toBeGreaterThan(Number(lost.token));
    console.log(`failover after kill -9: ${Number(taken?.at) - killedAt} ms, session ${SESSION} ms`);

    // b is frozen past its session while it runs; c takes over; b's write is refused when it wakes.
    const c = start(job, 0);
    await c.until('instance');
    await expect.poll(shardsOf, { timeout: 60_000 }).toBe(2);
    const before = b.having('began').length;
    await operator.trigger('crash', { instance: String(b.having('instance')[0].instance) });
    await b.until('began', before + 1);
    b.kill('SIGSTOP');
    const frozen = b.having('began')[before];
    await expect
      .poll(() => c.having('wrote').some(({ wrote }) => wrote === frozen.began), { timeout: 60_000 })
      .toBe(true);
    b.kill('SIGCONT');
    await b.until('refused');
    expect(b.having('refused')[0]).toMatchObject({ refused: frozen.began, token: frozen.token });
    const lines = b.printed;
    expect(lines.findIndex((line) => 'aborted' in line)).toBeLessThan(
      lines.findIndex((line) => 'refused' in line),
    );
    await operator.stop();
    await Promise.all([b, c].map((one) => one.end('SIGTERM')));
  });
});
