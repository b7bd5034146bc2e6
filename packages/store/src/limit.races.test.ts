import { testSchema } from '@orrery/testkit/databases';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { change } from './operation.ts';
import { PostgresDriver } from './postgres.ts';
import { type Actor, RaceStage } from './race-stage.ts';
import {
  attemptOf,
  changeOf,
  claimOrphans,
  claimStarts,
  commandOf,
  commit,
  fieldsOf,
  joinWorker,
  NOW,
  outcomeOf,
  publish,
  readInboxes,
  readyOf,
  startRuns,
  takeFor,
} from './testing.ts';

describe('limits at two masters on PostgreSQL', () => {
  let stage: RaceStage;
  let a: Actor;
  let b: Actor;
  beforeAll(async () => {
    stage = new RaceStage(await testSchema());
  });
  beforeEach(async () => {
    a = await stage.join('a');
    b = await stage.join('b');
    await a.store.setLimit({ name: 'one', slots: 1, now: NOW });
  });
  afterEach(() => stage.clear());
  afterAll(() => stage.close());

  const take = { workflow: 1, needs: [{ name: 'one' }] };
  const ask = ({ store, self }: Actor, run: number) =>
    commit(store, self, changeOf(run, { limits: { take } }));
  const free = ({ store, self }: Actor, run: number) =>
    commit(store, self, changeOf(run, { limits: { free: true } }));
  const limit = async () => {
    const [{ held, waiting }] = await a.store.listLimits({ limit: 1 });
    return { held, waiting };
  };

  it('one slot asked for by both is given to one; the other waits and gets it afterwards', async () => {
    const [mine] = await startRuns(a.store, a.self);
    const [its] = await startRuns(b.store, b.self);
    const stop = a.stopBefore('COMMIT');
    const first = ask(a, mine);
    await stop.reached;
    const second = ask(b, its);
    await stage.blocked(b.self);
    stop.release();
    expect((await first).admissions).toMatchObject([{ grant: { granted: true } }]);
    expect((await second).admissions).toMatchObject([{ grant: { granted: false } }]);
    expect(await limit()).toEqual({ held: 1, waiting: 1 });
    await free(a, mine);
    expect(await limit()).toEqual({ held: 1, waiting: 0 });
    expect(await readInboxes(b.store, b.self)).toMatchObject([{ message: { type: 'admitted' } }]);
  });

  it('a slot that is freed while another asks is not lost', async () => {
    const [mine] = await startRuns(a.store, a.self);
    const [its] = await startRuns(b.store, b.self);
    await ask(a, mine);
    const stop = a.stopBefore('COMMIT');
    const freeing = free(a, mine);
    await stop.reached;
    const asking = ask(b, its);
    await stage.blocked(b.self);
    stop.release();
    await freeing;
    expect((await asking).admissions).toMatchObject([{ grant: { granted: true } }]);
    expect(await limit()).toEqual({ held: 1, waiting: 0 });
  });

  it('a token that is withdrawn while it is admitted is withdrawn from the queue, and its slot is free', async () => {
    const epoch = await joinWorker(a.store, a.self);
    const [mine] = await startRuns(a.store, a.self);
    const [its] = await startRuns(b.store, b.self);
    const limits = { needs: [{ name: 'one' }] };
    await commit(a.store, a.self, changeOf(mine, { enqueue: [readyOf(attemptOf(mine), { limits })] }));
    await commit(b.store, b.self, changeOf(its, { enqueue: [readyOf(attemptOf(its), { limits })] }));
    await takeFor(a.store, a.self, epoch, 1);
    const stop = a.stopBefore('COMMIT');
    const ending = commit(a.store, a.self, changeOf(mine, { outcomes: [outcomeOf(attemptOf(mine), epoch)] }));
    await stop.reached;
    const withdraw = [{ ...attemptOf(its), kill: true }];
    const withdrawing = commit(b.store, b.self, changeOf(its, { withdraw }));
    await stage.blocked(b.self);
    stop.release();
    await ending;
    expect((await withdrawing).withdrawn).toEqual([attemptOf(its)]);
    expect(await limit()).toEqual({ held: 0, waiting: 0 });
    expect(await stage.query('SELECT 1 FROM ready')).toEqual([]);
    expect(await stage.query('SELECT 1 FROM limit_slot')).toEqual([]);
  });

  it('a run that stops while it is admitted gives its slot back', async () => {
    const [mine] = await startRuns(a.store, a.self);
    const [its] = await startRuns(b.store, b.self);
    await ask(a, mine);
    await ask(b, its);
    const stop = a.stopBefore('COMMIT');
    const freeing = free(a, mine);
    await stop.reached;
    const leaving = free(b, its);
    await stage.blocked(b.self);
    stop.release();
    await Promise.all([freeing, leaving]);
    expect(await limit()).toEqual({ held: 0, waiting: 0 });
    expect(await stage.query('SELECT 1 FROM limit_slot')).toEqual([]);
  });

  it('runs of one workflow start in their order, although two masters claim them at once', async () => {
    const workflow = await publish(a.store);
    const admission = { mode: 'serial-wait', needs: [{ name: 'workflow', slots: 1 }] } as const;
    const [early, late] = await a.store.submitCommands({
      commands: [commandOf(workflow, { admission }), commandOf(workflow, { admission })],
      now: NOW,
    });
    // The earlier one is taken out of the queue, but has asked for nothing yet.
    const stop = a.stopBefore('INSERT INTO limit_size');
    const first = claimStarts(a.store, a.self, 1);
    await stop.reached;
    expect(await claimStarts(b.store, b.self, 1)).toEqual([]);
    stop.release();
    expect((await first).map(({ run }) => run)).toEqual([early]);
    expect(await a.store.readLimitWaits({ run: late })).toMatchObject([{ name: 'workflow' }]);
    await free(a, early);
    expect(await claimOrphans(b.store, b.self, 9)).toEqual([late]);
  });

  const capAll = ({ store }: Actor) =>
    store.setRunCaps({ caps: { runs: 5, tenants: {} }, by: 'someone', now: NOW });
  const held = async () => (await a.store.readLimits({ names: ['all runs'] }))[0].held;

  it('a run that begins while a cap is first set is counted', async () => {
    const workflow = await publish(a.store);
    await a.store.submitCommands({ commands: [commandOf(workflow)], now: NOW });
    const stop = a.stopBefore('COMMIT');
    const claiming = claimStarts(a.store, a.self, 1);
    await stop.reached;
    const setting = capAll(b);
    await stage.blocked(b.self);
    stop.release();
    expect(await claiming).toHaveLength(1);
    await setting;
    expect(await held()).toBe(1);
  });

  it('a run that ends while a cap is first set is not counted, whichever comes first', async () => {
    const end = (run: number) =>
      commit(a.store, a.self, changeOf(run, { fields: fieldsOf('success'), endedAt: NOW, release: true }));
    const [early, late] = await startRuns(a.store, a.self, 2);
    const stop = a.stopBefore('COMMIT');
    const ending = end(early);
    await stop.reached;
    const setting = capAll(b);
    await stage.blocked(b.self);
    stop.release();
    await Promise.all([ending, setting]);
    expect(await held()).toBe(1);
    await end(late);
    expect(await held()).toBe(0);
  });

  it('two that wait for each other are both done in the end', async () => {
    const schema = await testSchema();
    const gate = Promise.withResolvers<void>();
    const here = Promise.withResolvers<void>();
    let stopped = false;
    const left = await PostgresDriver.open({
      ...schema.options,
      pause: (text) => {
        if (!text.includes('-- second') || stopped) return undefined;
        stopped = true;
        here.resolve();
        return gate.promise;
      },
    });
    const right = await PostgresDriver.open({ ...schema.options, name: `${schema.options.schema} right` });
    const set = (name: string, note: string) =>
      change(`UPDATE limit_size SET slots = slots + 1 WHERE name = ?1 -- ${note}`, name);
    try {
      await left.transact(() => change(`INSERT INTO limit_size VALUES ('x', 0, 0), ('y', 0, 0)`));
      const one = left.transact(function* () {
        yield* set('x', 'first');
        yield* set('y', 'second');
      });
      await here.promise;
      const two = right.transact(function* () {
        yield* set('y', 'first');
        yield* set('x', 'second');
      });
      const waits = `SELECT 1 FROM pg_stat_activity WHERE application_name = '${schema.options.schema} right' AND wait_event_type = 'Lock'`;
      while ((await schema.query(waits)).length === 0);
      gate.resolve();
      await Promise.all([one, two]);
      expect(await schema.query('SELECT slots FROM limit_size')).toEqual([{ slots: '2' }, { slots: '2' }]);
    } finally {
      await left.close();
      await right.close();
      await schema.drop();
    }
  });
});
