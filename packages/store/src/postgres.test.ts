import { testSchema } from '@orrery/testkit/databases';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openPostgres, StaleEpoch, StoreAway } from './index.ts';
import { change, row, together } from './operation.ts';
import { PostgresDriver } from './postgres.ts';
import { type Actor, RaceStage } from './race-stage.ts';
import { changeOf, commandOf, commit, fieldsOf, NOW, publish, readInboxes, startRuns } from './testing.ts';

describe('PostgreSQL', () => {
  let stage: RaceStage;
  let actor: Actor;
  let workflow: number;
  beforeAll(async () => {
    stage = new RaceStage(await testSchema());
  });
  beforeEach(async () => {
    actor = await stage.join('m1');
    workflow = await publish(actor.store);
  });
  afterEach(() => stage.clear());
  afterAll(() => stage.close());

  const submit = (key: string) => actor.store.submitCommand({ command: commandOf(workflow), key, now: NOW });
  const stale = () => actor.store.beat({ self: { node: 'm1', epoch: 0 }, now: NOW });

  it('commits writes that came together in one, and one that fails leaves the others alone', async () => {
    let commits = 0;
    const pause = (text: string) => {
      if (text === 'COMMIT') commits++;
      return undefined;
    };
    actor = await stage.join('m1', { pause });
    commits = 0;
    const answers = await Promise.allSettled([submit('a'), submit('b'), stale(), submit('b'), submit('c')]);
    const [a, b, refused, again, c] = answers.map((answer) =>
      answer.status === 'fulfilled' ? (answer.value as { run: number }) : answer.reason,
    );
    expect(refused).toBeInstanceOf(StaleEpoch);
    expect(again).toEqual({ run: b.run, repeated: true });
    expect((await actor.store.listCommands({ limit: 9 })).map(({ run }) => run)).toEqual([
      c.run,
      b.run,
      a.run,
    ]);
    expect(commits).toBe(1);
  });

  it('reads of several statements see one moment', async () => {
    const schema = await testSchema();
    const driver = await PostgresDriver.open(schema.options);
    const holder = await PostgresDriver.open(schema.options);
    const count = () => row<{ n: number }>('SELECT count(*) AS n FROM idempotency');
    const insert = (key: string) =>
      holder.transact(() =>
        change("INSERT INTO idempotency (key, answer, created_at) VALUES (?1, '', 0)", key),
      );
    const isHeldUp = () =>
      holder.read(() =>
        row<{ n: number }>(
          "SELECT count(*) AS n FROM pg_locks WHERE locktype = 'advisory' AND objid = 4711 AND NOT granted",
        ),
      );
    const [lock, unlock] = ['pg_advisory_lock', 'pg_advisory_unlock'].map((name) => `SELECT ${name}(4711)`);
    await holder.transact(() => row(lock));
    const counted = driver.read(function* () {
      const before = yield* count();
      yield* row('SELECT pg_advisory_xact_lock(4711)');
      return [before, yield* count()];
    });
    await expect.poll(async () => Number((await isHeldUp())?.n)).toBeGreaterThan(0);
    await insert('meanwhile');
    await holder.transact(() => row(unlock));
    const [before, after] = await counted;
    expect(after).toEqual(before);
    expect(await driver.read(count)).not.toEqual(before);
    await driver.close();
    await holder.close();
    await schema.drop();
  });

  it('commits runs beside a write that is under way, unless they were told something or tell others', async () => {
    const { store, self } = actor;
    const [first, second] = await startRuns(store, self, 2);
    const message = { type: 'control', control: { type: 'pause' }, by: 'me' } as const;
    await store.sendControl({ run: second, message, now: NOW });
    const [{ seq }] = await readInboxes(store, self);
    const stop = actor.stopBefore('COMMIT');
    const writing = submit('a');
    await stop.reached;
    const order: string[] = [];
    const told = commit(store, self, changeOf(second, { consumed: [seq] })).then(() => order.push('told'));
    await commit(store, self, changeOf(first, { fields: fieldsOf('paused') }));
    order.push('alone');
    expect(await store.listCommands({ limit: 9 })).toEqual([]);
    stop.release();
    await writing;
    await told;
    expect(order).toEqual(['alone', 'told']);
  });

  it('tells of two commits beside each other without one waiting for the other, also after a sweep', async () => {
    const { store, self } = actor;
    const [first, second] = await startRuns(store, self, 2);
    const { position } = await store.readFeed({ limit: 9 });
    const pauseRun = (run: number) => commit(store, self, changeOf(run, { fields: fieldsOf('paused') }));
    const subjects = async () => (await store.readFeed({ position, limit: 9 })).events.map((e) => e.subject);
    const stop = actor.stopBefore('COMMIT');
    const stopped = pauseRun(first);
    await stop.reached;
    await pauseRun(second);
    expect(await subjects()).toEqual([second]);
    stop.release();
    await stopped;
    expect((await subjects()).toSorted()).toEqual([first, second]);
    await store.sweepEvents({ before: NOW + 1, limit: 100 });
    const writers = await stage.query<{ node: string }>('SELECT node FROM feed_writer ORDER BY node');
    expect(writers.map(({ node }) => node)).toEqual(['', 'm1', 'm1#2']);
  });

  it('sweeps its queues when asked, also while others write, and lets two of them ask at once', async () => {
    await submit('a');
    await actor.store.claimWork({ self: actor.self, orphans: 0, starts: 1, now: NOW });
    const stop = actor.stopBefore('COMMIT');
    const writing = submit('b');
    await stop.reached;
    const swept = async () => {
      const [{ count }] = await stage.query<{ count: string }>(
        `SELECT count(*) FROM pg_stat_user_tables WHERE schemaname = current_schema() AND vacuum_count > 0
           AND relname IN ('ready', 'assignment', 'command', 'inbox')`,
      );
      return Number(count);
    };
    await Promise.all([actor.store.tidy(), actor.store.tidy()]);
    await expect.poll(swept, { timeout: 20_000 }).toBe(4);
    stop.release();
    expect(await writing).toMatchObject({ repeated: false });
  });

  it('undoes all that came together when the connection ends before the commit, and says so to each', async () => {
    const stop = actor.stopBefore('COMMIT');
    const writes = [submit('a'), stale(), submit('b')];
    const settled = Promise.allSettled(writes);
    await stop.reached;
    await stage.terminate(actor.self);
    stop.release();
    const [first, refused, second] = (await settled).map(
      (answer) => (answer as PromiseRejectedResult).reason,
    );
    expect(first).toBeInstanceOf(StoreAway);
    expect(first.unknown).toBe(true);
    expect(refused).toBeInstanceOf(StaleEpoch);
    expect(second).toBeInstanceOf(StoreAway);
    expect(await actor.store.listCommands({ limit: 9 })).toEqual([]);
    expect((await submit('a')).repeated).toBe(false);
  });

  it('goes on with what was asked for while a connection broke', async () => {
    const stop = actor.stopBefore('COMMIT');
    const first = submit('a').catch((error) => error);
    await stop.reached;
    const second = submit('b');
    await stage.terminate(actor.self);
    stop.release();
    expect(await first).toBeInstanceOf(StoreAway);
    expect((await second).repeated).toBe(false);
  });

  it('is away for a read whose connection ends, and reads on over another', async () => {
    const schema = await testSchema();
    const driver = PostgresDriver.asFound({ ...schema.options, name: 'reader' });
    const reading = driver.read(() => together(row('SELECT pg_sleep(60)'), row('SELECT pg_sleep(60)')));
    const lost = expect(reading).rejects.toThrow(StoreAway);
    const terminate = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE application_name = 'reader' AND query LIKE '%pg_sleep%' AND state = 'active'`;
    await expect.poll(() => schema.query(terminate)).toHaveLength(1);
    await lost;
    expect(await driver.read(() => row('SELECT 1 AS one'))).toEqual({ one: 1 });
    await driver.close();
    await schema.drop();
  });

  it('is away when nobody answers, and says so', async () => {
    await expect(openPostgres({ url: 'postgres://nobody@127.0.0.1:1/none' })).rejects.toMatchObject({
      tag: 'store-away',
      unknown: false,
    });
  });

  it('is away once it was closed, and does not connect again', async () => {
    const schema = await testSchema();
    const store = await openPostgres({ ...schema.options, name: 'closed' });
    await publish(store);
    await store.close();
    await expect(publish(store)).rejects.toThrow(StoreAway);
    await expect(store.listNodes()).rejects.toThrow(StoreAway);
    const open = `SELECT pid FROM pg_stat_activity WHERE application_name = 'closed'`;
    expect(await schema.query(open)).toEqual([]);
    await schema.drop();
  });

  it('refuses a schema name that could not be quoted', async () => {
    await expect(openPostgres({ url: '', schema: 'a; DROP' })).rejects.toMatchObject({
      tag: 'invalid-input',
    });
  });

  it('gives up on a statement that is not answered in time', async () => {
    const hasty = await stage.join('m2', { timeout: 1_000 });
    const stop = actor.stopBefore('COMMIT');
    const first = submit('a');
    await stop.reached;
    const command = commandOf(workflow);
    const second = hasty.store.submitCommand({ command, key: 'a', now: NOW });
    await expect(second).rejects.toMatchObject({ tag: 'store-away', unknown: false });
    stop.release();
    const { run } = await first;
    // On a machine that has much else to do, an answer that comes may come too late as well.
    const again = () => hasty.store.submitCommand({ command, key: 'a', now: NOW }).catch(() => undefined);
    await expect.poll(again).toEqual({ run, repeated: true });
  });
});
