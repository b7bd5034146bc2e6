import { testDatabases, testSchema } from '@orrery/testkit/databases';
import { fireTick } from '@orrery/testkit/fire-tick';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Self, Store } from '../../index.ts';
import { type Actor, RaceStage } from '../../race-stage.ts';
import {
  changeOf,
  claimStarts,
  commandOf,
  commit,
  fieldsOf,
  joinMaster,
  NOW,
  publish,
  readInboxes,
  scheduleOf,
} from '../../testing.ts';

const once = (workflow: number, businessTime = 7, more = {}) => {
  const command = commandOf(workflow, { onePerPeriod: true, ...more });
  return { ...command, request: { ...command.request, businessTime } };
};

describe.each(testDatabases())('one run per business time on $name', ({ open, close }) => {
  let store: Store;
  let self: Self;
  let workflow: number;
  beforeEach(async () => {
    store = await open();
    self = await joinMaster(store);
    workflow = await publish(store);
  });
  afterAll(close);

  const submit = (businessTime?: number, key?: string) =>
    store.submitCommand({ command: once(workflow, businessTime), key, now: NOW });
  const end = (run: number, state: 'failed' | 'success' = 'failed') =>
    commit(store, self, changeOf(run, { fields: fieldsOf(state), endedAt: NOW, release: true }));

  it('refuses a second start with the id of the first, queued or running, until that has ended', async () => {
    const { run } = await submit(7, 'first');
    await expect(submit()).rejects.toThrow(`run ${run} is open for the same business time`);
    await claimStarts(store, self, 1);
    await expect(submit()).rejects.toMatchObject({ tag: 'conflict', runs: [run] });
    expect(await submit(7, 'first')).toEqual({ run, repeated: true });
    expect((await submit(8)).repeated).toBe(false);
    await end(run, 'success');
    expect((await submit()).run).toBeGreaterThan(run);
  });

  it('opens an ended run again only while no other is open', async () => {
    const { run } = await submit();
    await claimStarts(store, self, 1);
    await end(run);
    const second = (await submit()).run;
    await claimStarts(store, self, 1);
    const message = { type: 'control', control: { type: 'recover' }, by: 'lw' } as const;
    await expect(store.sendControl({ run, message, now: NOW })).rejects.toThrow(`run ${second} is open`);
    await end(second);
    await store.sendControl({ run, message, now: NOW });
    await expect(submit()).rejects.toThrow(`run ${run} is open`);
  });

  it('records a tick that finds its business time taken as a skip', async () => {
    const { run } = await submit(1_000);
    await publish(store, 'flow', [scheduleOf()]);
    const [schedule] = await store.listSchedules({});
    const answer = await fireTick(store, {
      self,
      schedule: schedule.id,
      version: schedule.version,
      seen: schedule.firedUntil,
      firedUntil: schedule.firedUntil + 2_000,
      nextDue: null,
      ticks: [1_000, 2_000].map((due) => ({
        due: schedule.firedUntil + due,
        command: once(workflow, due),
      })),
      now: NOW,
    });
    expect(answer).toMatchObject({ fired: true, runs: [expect.any(Number)] });
    expect(await store.listTicks({ schedule: schedule.id, limit: 9 })).toMatchObject([
      { run: answer.runs[0], reason: null },
      { run: null, count: 1, reason: expect.stringContaining(`run ${run} is open`) },
    ]);
  });

  it('fails a child whose business time is taken, and tells its parent why', async () => {
    const { run: first } = await submit();
    const parent = (await store.submitCommand({ command: commandOf(workflow), now: NOW })).run;
    await claimStarts(store, self, 2);
    const child = once(workflow, 7, { parent: { run: parent, task: 0, round: 1, element: 0 } });
    await commit(store, self, changeOf(parent, { commands: [child] }));
    expect(await readInboxes(store, self)).toMatchObject([
      {
        run: parent,
        message: { type: 'child', state: 'failed', reason: expect.stringContaining(`run ${first} is open`) },
      },
    ]);
    expect(await claimStarts(store, self, 9)).toEqual([]);
  });

  it('does not count dry runs', async () => {
    await submit();
    const command = once(workflow);
    const dry = { ...command, request: { ...command.request, dryRun: true } };
    expect((await store.submitCommand({ command: dry, now: NOW })).repeated).toBe(false);
  });

  it('is forgotten with its run', async () => {
    const { run } = await submit();
    await claimStarts(store, self, 1);
    await end(run, 'success');
    await store.sweepRuns({ before: NOW + 1, limit: 100 });
    expect((await submit()).run).toBeGreaterThan(run);
  });
});

describe('one run per business time at two masters on PostgreSQL', () => {
  let stage: RaceStage;
  let a: Actor;
  let b: Actor;
  beforeAll(async () => {
    stage = new RaceStage(await testSchema());
  });
  beforeEach(async () => {
    a = await stage.join('a');
    b = await stage.join('b');
  });
  afterEach(() => stage.clear());
  afterAll(() => stage.close());

  const submit = ({ store }: Actor, workflow: number) =>
    store.submitCommand({ command: once(workflow), now: NOW });

  it('is given to the first of two that start at once', async () => {
    const workflow = await publish(a.store);
    const stop = a.stopBefore('COMMIT');
    const first = submit(a, workflow);
    await stop.reached;
    const second = submit(b, workflow);
    await stage.blocked(b.self);
    stop.release();
    const { run } = await first;
    await expect(second).rejects.toThrow(`run ${run} is open`);
  });

  it('is given to the first of two that follow a run that has ended', async () => {
    const workflow = await publish(a.store);
    const { run } = await submit(a, workflow);
    await claimStarts(a.store, a.self, 1);
    await commit(
      a.store,
      a.self,
      changeOf(run, { fields: fieldsOf('success'), endedAt: NOW, release: true }),
    );
    const stop = a.stopBefore('COMMIT');
    const first = submit(a, workflow);
    await stop.reached;
    const second = submit(b, workflow);
    await stage.blocked(b.self);
    stop.release();
    const { run: winner } = await first;
    await expect(second).rejects.toThrow(`run ${winner} is open`);
  });
});
