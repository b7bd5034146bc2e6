import { testDatabases } from '@orrery/testkit/databases';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { AttemptRef, LimitNeed, Self, Store } from '../../index.ts';
import {
  attemptOf,
  changeOf,
  claimOrphans,
  claimStarts,
  commandOf,
  commit,
  fieldsOf,
  joinMaster,
  joinWorker,
  NOW,
  outcomeOf,
  publish,
  readInboxes,
  readyOf,
  startRuns,
  takeFor,
} from '../../testing.ts';

describe.each(testDatabases())('limits on $name', ({ open, close }) => {
  let store: Store;
  let self: Self;
  let worker: number;
  let run: number;
  let takes: number;
  beforeEach(async () => {
    store = await open();
    self = await joinMaster(store);
    worker = await joinWorker(store, self);
    [run] = await startRuns(store, self);
    takes = 0;
  });
  afterAll(close);

  const size = (name: string, slots: number | null) => store.setLimit({ name, slots, now: NOW });
  const held = async (name: string) => {
    const limit = (await store.listLimits({ limit: 100 })).find((entry) => entry.name === name);
    return limit && [limit.held, limit.waiting];
  };
  /** Queues attempts that need a slot. */
  const queue = (tasks: readonly number[], needs: readonly LimitNeed[], forced?: boolean) =>
    commit(
      store,
      self,
      changeOf(run, {
        enqueue: tasks.map((task) => readyOf(attemptOf(run, task), { limits: { needs, forced } })),
      }),
    );
  const take = async (room = 100) =>
    (await takeFor(store, self, worker, ++takes, { room })).assignments.map(({ task }) => task);
  const end = (...attempts: AttemptRef[]) =>
    commit(store, self, changeOf(run, { outcomes: attempts.map((attempt) => outcomeOf(attempt, worker)) }));

  describe('of attempts', () => {
    const group: LimitNeed[] = [{ name: 'group' }];

    it('let as many into the queue as there are slots, and the next when one ends', async () => {
      await size('group', 2);
      await queue([0, 1, 2, 3], group);
      expect(await held('group')).toEqual([2, 2]);
      expect(await take()).toEqual([0, 1]);
      await end(attemptOf(run, 1));
      expect(await held('group')).toEqual([2, 1]);
      expect(await take()).toEqual([2]);
      await end(attemptOf(run, 0), attemptOf(run, 2));
      expect(await take()).toEqual([3]);
      await end(attemptOf(run, 3));
      expect(await held('group')).toEqual([0, 0]);
    });

    it('do not bind where there is no size', async () => {
      await queue([0, 1, 2], group);
      expect(await take()).toEqual([0, 1, 2]);
      await end(attemptOf(run, 0));
      expect(await held('group')).toBeUndefined();
    });

    it('admit by priority, then by age', async () => {
      await size('group', 1);
      await queue([0], group);
      await queue([1], [{ name: 'group', priority: 5 }]);
      await queue([2], [{ name: 'group', priority: 1 }]);
      await queue([3], [{ name: 'group', priority: 1 }]);
      const order = [];
      for (let k = 0; k < 4; k++) {
        const [task] = await take();
        order.push(task);
        await end(attemptOf(run, task));
      }
      expect(order).toEqual([0, 2, 3, 1]);
    });

    it('admit whoever holds least of a shared limit', async () => {
      await size('group', 3);
      await queue([0, 1, 2], [{ name: 'group', owner: 'greedy' }]);
      await queue([3, 4], [{ name: 'group', owner: 'greedy' }]);
      await queue([5, 6], [{ name: 'group', owner: 'modest' }]);
      expect(await take()).toEqual([0, 1, 2]);
      await end(attemptOf(run, 0));
      expect(await take()).toEqual([5]);
      await end(attemptOf(run, 1));
      expect(await take()).toEqual([3]);
      await queue([7], [{ name: 'group', owner: 'third' }]);
      await end(attemptOf(run, 2));
      expect(await take()).toEqual([7]);
    });

    it('are taken all at once or not at all', async () => {
      await size('a', 1);
      await size('b', 1);
      await queue([0], [{ name: 'b' }]);
      await queue([1], [{ name: 'a' }, { name: 'b' }]);
      expect([await held('a'), await held('b')]).toEqual([
        [0, 0],
        [1, 1],
      ]);
      await queue([2], [{ name: 'a' }]);
      expect(await take()).toEqual([0, 2]);
      await end(attemptOf(run, 0));
      // It may have b now, but a is held: it waits there, and b stays free.
      expect([await held('a'), await held('b')]).toEqual([
        [1, 1],
        [0, 0],
      ]);
      await end(attemptOf(run, 2));
      expect(await take()).toEqual([1]);
    });

    it('are freed when the attempt is lost, withdrawn or reported elsewhere', async () => {
      await size('group', 1);
      await queue([0, 1, 2, 3], group);
      expect(await take()).toEqual([0]);
      await store.beatWorker({ self, worker: 'w1', epoch: worker, take: 1, held: [], load: {}, now: NOW });
      const withdraw = [{ ...attemptOf(run, 1), kill: true }];
      expect((await commit(store, self, changeOf(run, { withdraw }))).withdrawn).toEqual([attemptOf(run, 1)]);
      expect(await take()).toEqual([2]);
      const other = await joinMaster(store, 'm2');
      const report = { ...outcomeOf(attemptOf(run, 2), worker), outcome: { state: 'success' } as const };
      await store.recordElsewhere({ self: other, reports: [report], now: NOW });
      expect(await take()).toEqual([3]);
    });

    it('lose a waiting token when it is withdrawn, and show it to a new owner until then', async () => {
      await size('group', 1);
      await queue([0, 1], group);
      expect((await store.loadRuns({ runs: [run] }))[0].alive).toHaveLength(2);
      expect(await store.readLimitWaits({ run })).toEqual([
        { ...attemptOf(run, 1), name: 'group', since: NOW, ahead: 0 },
      ]);
      expect((await store.readRun({ id: run }))?.queued).toHaveLength(2);
      expect((await store.readRunDetails({ id: run, from: 1, to: 2 }))?.open).toMatchObject([
        { queuedAt: NOW },
      ]);
      expect(await store.readAttempt(attemptOf(run, 1))).toMatchObject({ state: 'queued', queuedAt: NOW });
      const withdraw = [{ ...attemptOf(run, 1), kill: false }];
      expect((await commit(store, self, changeOf(run, { withdraw }))).withdrawn).toEqual([attemptOf(run, 1)]);
      expect(await held('group')).toEqual([1, 0]);
      expect((await store.loadRuns({ runs: [run] }))[0].alive).toEqual([attemptOf(run, 0)]);
    });

    it('let a forced one in although they are full', async () => {
      await size('group', 1);
      await queue([0, 1], group);
      await queue([2], group, true);
      expect(await take()).toEqual([0, 2]);
      for (let time = 0; time < 2; time++)
        await commit(store, self, changeOf(run, { admit: [attemptOf(run, 1)] }));
      expect(await take()).toEqual([1]);
      expect(await held('group')).toEqual([3, 0]);
      await end(attemptOf(run, 0), attemptOf(run, 1), attemptOf(run, 2));
      expect(await held('group')).toEqual([0, 0]);
    });

    it('admit more when they grow, all when they go, and none while they are 0', async () => {
      await size('group', 0);
      await queue([0, 1, 2, 3], group);
      expect(await take()).toEqual([]);
      await size('group', 2);
      expect(await take()).toEqual([0, 1]);
      await size('group', 1);
      await end(attemptOf(run, 0));
      expect(await take()).toEqual([]);
      await size('group', null);
      expect(await take()).toEqual([2, 3]);
      expect(await held('group')).toBeUndefined();
      await expect(size('group', -1)).rejects.toMatchObject({ tag: 'invalid-input' });
    });

    it('do not send an admitted attempt to a worker that is gone', async () => {
      await size('group', 1);
      const target = await joinWorker(store, self, 'w2');
      await queue([0], group);
      await commit(
        store,
        self,
        changeOf(run, { enqueue: [readyOf(attemptOf(run, 1), { target: 'w2', limits: { needs: group } })] }),
      );
      await store.loseWorker({ self, worker: 'w2', epoch: target, beat: 0, now: NOW });
      expect(await take()).toEqual([0]);
      await end(attemptOf(run, 0));
      expect(await take()).toEqual([1]);
    });
  });

  describe('of runs', () => {
    const needs = (slots: number): LimitNeed[] => [{ name: 'workflow default/flow', slots }, { name: 'all' }];
    const submit = async (
      count: number,
      slots: number,
      mode: 'serial-wait' | 'serial-discard' | 'serial-priority' | 'parallel' = 'parallel',
    ) => {
      const workflow = await publish(store);
      const commands = Array.from({ length: count }, () =>
        commandOf(workflow, { admission: { mode, needs: needs(slots) } }),
      );
      return store.submitCommands({ commands, now: NOW });
    };
    const claim = async (limit = 100) => (await claimStarts(store, self, limit)).map((start) => start.run);
    const finish = async (id: number) => {
      const inbox = (await readInboxes(store, self)).filter((entry) => entry.run === id);
      await commit(
        store,
        self,
        changeOf(id, {
          fields: fieldsOf('success'),
          endedAt: NOW,
          release: true,
          consumed: inbox.map(({ seq }) => seq),
          limits: { free: true },
        }),
      );
    };
    /** The runs without an owner that are told to go on, and nothing else. */
    const admitted = async () => {
      const claimed = (await claimOrphans(store, self, 100)).toSorted((a, b) => a - b);
      const loaded = await store.loadRuns({ runs: claimed });
      const told = loaded.map(({ id, inbox }) => [id, inbox.map(({ message }) => message.type)]);
      expect(told).toEqual(claimed.map((id) => [id, ['admitted']]));
      return claimed;
    };

    it('start as many as there are slots; the others wait without an owner and are told in their order', async () => {
      const [a, b, c, d] = await submit(4, 2);
      expect(await claim()).toEqual([a, b]);
      expect((await store.readRun({ id: c }))?.run).toMatchObject({ state: 'waiting', owner: null });
      expect(await admitted()).toEqual([]);
      await finish(a);
      expect(await admitted()).toEqual([c]);
      await finish(c);
      await finish(b);
      expect(await admitted()).toEqual([d]);
      await finish(d);
      expect(await held('workflow default/flow')).toEqual([0, 0]);
    });

    it('are claimed so many at a time where most of them must wait, and none is left out', async () => {
      const runs = await submit(250, 1, 'serial-wait');
      const claiming = () => store.claimWork({ self, orphans: 0, starts: 100, now: NOW });
      const { starts, more } = await claiming();
      expect([starts.map(({ run }) => run), more]).toEqual([[runs[0]], true]);
      expect(await store.readRun({ id: runs[199] })).toMatchObject({ run: { state: 'waiting' } });
      expect(await store.readRun({ id: runs[200] })).toBeUndefined();
      expect(await claiming()).toMatchObject({ starts: [], more: false });
      expect(await store.readRun({ id: runs[249] })).toMatchObject({ run: { state: 'waiting' } });
    });

    it('need a slot again when they are opened again: what asks for it waits until there is one', async () => {
      const [a, b] = await submit(2, 1);
      const message = { type: 'control', control: { type: 'recover' }, by: 'me' } as const;
      const recover = (run: number) => store.sendControl({ run, message, now: NOW });
      expect(await claim()).toEqual([a]);
      await finish(a);
      expect(await admitted()).toEqual([b]);
      await recover(a);
      await expect(recover(a)).rejects.toThrow('waits for a slot already; stop takes it back');
      expect(await claimOrphans(store, self, 100)).toEqual([]);
      expect((await store.readRunDetails({ id: a, from: 0, to: 0 }))?.controls).toEqual([
        { control: { type: 'recover' }, by: 'me', at: NOW },
      ]);
      expect(await held('workflow default/flow')).toEqual([1, 1]);
      await finish(b);
      expect(await claimOrphans(store, self, 100)).toEqual([a]);
      const [{ inbox }] = await store.loadRuns({ runs: [a] });
      expect(inbox.map((entry) => entry.message)).toEqual([{ ...message, admitted: true }]);
      expect(await held('workflow default/flow')).toEqual([1, 0]);
      // With the slot in hand nothing is asked for twice.
      await expect(recover(a)).rejects.toThrow('is about to begin');
      expect((await store.loadRuns({ runs: [a] }))[0].inbox).toHaveLength(1);
      expect(await held('workflow default/flow')).toEqual([1, 0]);
      await finish(a);
      expect(await held('workflow default/flow')).toEqual([0, 0]);
    });

    it('give back what opens a run again when that is stopped, and let the next of its line in', async () => {
      const [a, b, c] = await submit(3, 1);
      const send = (run: number, type: 'recover' | 'stop') =>
        store.sendControl({ run, message: { type: 'control', control: { type }, by: 'me' }, now: NOW });
      expect(await claim()).toEqual([a]);
      await finish(a);
      expect(await admitted()).toEqual([b]);
      await send(a, 'recover');
      expect(await held('workflow default/flow')).toEqual([1, 2]);
      await send(a, 'stop');
      expect(await held('workflow default/flow')).toEqual([1, 1]);
      expect(await claimOrphans(store, self, 100)).toEqual([a]);
      const [{ inbox }] = await store.loadRuns({ runs: [a] });
      expect(inbox.map(({ message }) => message)).toEqual([
        { type: 'control', control: { type: 'stop' }, by: 'me', tookBack: true },
      ]);
      await finish(b);
      expect(await admitted()).toEqual([c]);
    });

    it('hold for what a parent asks of its children as well', async () => {
      const [a, b] = await submit(2, 1);
      expect(await claim()).toEqual([a]);
      await finish(a);
      expect(await admitted()).toEqual([b]);
      const message = (type: 'recover' | 'pause' | 'stop') => ({
        run: a,
        message: { type: 'control', control: { type }, by: 'parent' } as const,
      });
      const ask = (type: 'recover' | 'pause' | 'stop') =>
        commit(store, self, changeOf(run, { messages: [message(type)] }));
      await ask('recover');
      expect(await held('workflow default/flow')).toEqual([1, 1]);
      // It stands where it ended, and what it could only refuse is not told to it.
      await ask('pause');
      expect(await claimOrphans(store, self, 100)).toEqual([]);
      await ask('stop');
      expect(await held('workflow default/flow')).toEqual([1, 0]);
      expect(await claimOrphans(store, self, 100)).toEqual([a]);
      const [{ inbox }] = await store.loadRuns({ runs: [a] });
      expect(inbox.map((entry) => entry.message)).toEqual([{ ...message('stop').message, tookBack: true }]);
      await ask('recover');
      await finish(b);
      const [told] = await store.loadRuns({ runs: [a] });
      expect(told.inbox.at(-1)?.message).toEqual({ ...message('recover').message, admitted: true });
    });

    it('are asked for once for many runs that are opened again, and admit them in their order', async () => {
      const runs = await submit(5, 2);
      const all = new Set<number>();
      for (const id of await claim()) all.add(id);
      for (const id of all) {
        await finish(id);
        for (const next of await claimOrphans(store, self, 100)) all.add(next);
      }
      expect([...all]).toEqual(runs);
      const answer = await store.sendControls({
        runs: runs.toReversed(),
        control: { type: 'rerun', scope: { kind: 'all', tasks: [] } },
        by: 'me',
        now: NOW,
      });
      expect(answer.told.map(({ run }) => run)).toEqual(runs.slice(0, 2));
      expect(answer.waiting).toEqual(runs.slice(2));
      expect(await held('workflow default/flow')).toEqual([2, 3]);
      expect((await claimOrphans(store, self, 100)).toSorted((x, y) => x - y)).toEqual(runs.slice(0, 2));
      await finish(runs[0]);
      expect(await claimOrphans(store, self, 100)).toEqual([runs[2]]);
    });

    it('claim on, past those that have to wait', async () => {
      const [a, b, c] = await submit(3, 1);
      const other = await publish(store, 'other');
      const [d] = await store.submitCommands({ commands: [commandOf(other)], now: NOW });
      expect(await claim(2)).toEqual([a, d]);
      expect((await store.readLimitWaits({ run: c }))[0]).toMatchObject({
        name: 'workflow default/flow',
        ahead: 1,
        task: -1,
      });
      expect(await store.readLimitWaits({ run: b })).toMatchObject([{ ahead: 0 }]);
    });

    it('never let a run overtake an earlier one of its workflow, wherever that waits', async () => {
      await size('all', 1);
      const [outside] = await startRuns(store, self);
      await commit(
        store,
        self,
        changeOf(outside, { limits: { take: { workflow: 99, needs: [{ name: 'all' }] } } }),
      );
      const [a, b] = await submit(2, 2);
      expect(await claim()).toEqual([]);
      expect(await store.readLimitWaits({ run: a })).toMatchObject([{ name: 'all' }]);
      await size('all', 5);
      expect(await admitted()).toEqual([a, b]);
    });

    it('never let a run of higher priority overtake one that nobody claimed yet', async () => {
      const workflow = await publish(store);
      const command = (priority: number) =>
        commandOf(workflow, { priority, admission: { mode: 'serial-wait', needs: needs(1) } });
      const [early, urgent] = await store.submitCommands({ commands: [command(3), command(0)], now: NOW });
      expect(await claim(1)).toEqual([early]);
      await finish(early);
      expect(await admitted()).toEqual([urgent]);
    });

    it('admit the next when one that was never claimed is stopped', async () => {
      const workflow = await publish(store);
      const command = (priority: number) =>
        commandOf(workflow, { priority, admission: { mode: 'serial-wait', needs: needs(1) } });
      const [early] = await store.submitCommands({ commands: [command(4)], now: NOW });
      const plain = await store.submitCommands({
        commands: [commandOf(workflow, { priority: 2 })],
        now: NOW,
      });
      const [urgent] = await store.submitCommands({ commands: [command(0)], now: NOW });
      expect(await claim(1)).toEqual(plain);
      expect(await admitted()).toEqual([]);
      const message = { type: 'control', control: { type: 'stop' }, by: 'me' } as const;
      await store.sendControl({ run: early, message, now: NOW });
      expect(await admitted()).toEqual([urgent]);
    });

    it('discard a new run while an earlier one is open', async () => {
      const [a, b] = await submit(2, 1, 'serial-discard');
      expect(await claim()).toEqual([a]);
      const discarded = await store.readRun({ id: b });
      expect(discarded?.run).toMatchObject({ state: 'stopped', endedAt: NOW });
      expect(discarded?.fields.reason).toBe(`run ${a} is still open`);
      await finish(a);
      const [c] = await submit(1, 1, 'serial-discard');
      expect(await claim()).toEqual([c]);
    });

    it('replace earlier runs: they are told to stop, and the new one starts when they have', async () => {
      const [a, b, c] = await submit(3, 1, 'serial-priority');
      expect(await claim()).toEqual([a]);
      const stops = (await readInboxes(store, self)).filter(({ message }) => message.type === 'control');
      expect(new Set(stops.map((entry) => entry.run))).toEqual(new Set([a]));
      const waiting = await claimOrphans(store, self, 9);
      expect(waiting).toEqual([b]);
      await finish(b);
      await finish(a);
      expect(await admitted()).toEqual([c]);
    });

    it('answer a run that asks by itself, and free it twice without harm', async () => {
      await size('all', 1);
      const [a, b] = await startRuns(store, self, 2);
      const ask = (id: number) =>
        changeOf(id, { limits: { take: { workflow: 1, needs: [{ name: 'all' }] } } });
      const { admissions } = await commit(store, self, ask(b), ask(a));
      expect(admissions).toMatchObject([
        { run: a, grant: { granted: true } },
        { run: b, grant: { granted: false, limit: 'all', reason: 'all is full (1 of 1)' } },
      ]);
      await commit(store, self, changeOf(a, { limits: { free: true } }));
      await commit(store, self, changeOf(a, { limits: { free: true } }));
      expect(await held('all')).toEqual([1, 0]);
      expect((await readInboxes(store, self)).map((entry) => [entry.run, entry.message.type])).toEqual([
        [b, 'admitted'],
      ]);
    });
  });

  it('are counted again by the sweep: slots of holders that are gone are freed, and waiters admitted', async () => {
    await size('group', 1);
    await size('z', 5);
    await queue([0, 1], [{ name: 'group' }]);
    const [lost] = await startRuns(store, self);
    await commit(store, self, changeOf(lost, { limits: { take: { workflow: 1, needs: [{ name: 'z' }] } } }));
    // The run ends without freeing, and its slot stays.
    await commit(store, self, changeOf(lost, { fields: fieldsOf('failed'), endedAt: NOW, release: true }));
    const sweep = (after?: string) => store.sweepLimits({ self, after, limit: 1, now: NOW });
    expect(await sweep()).toEqual({ freed: 0, admitted: 0, next: 'group' });
    expect(await sweep('group')).toEqual({ freed: 1, admitted: 0, next: 'z' });
    expect(await sweep('z')).toEqual({ freed: 0, admitted: 0, next: undefined });
    expect(await held('z')).toEqual([0, 0]);
    expect(await held('group')).toEqual([1, 1]);
    expect((await store.checkStore()).orphans['limits with a wrong count']).toBe(0);
  });

  it('are listed by page', async () => {
    for (const name of ['c', 'a', 'b']) await size(name, 1);
    expect((await store.listLimits({ limit: 2 })).map(({ name }) => name)).toEqual(['a', 'b']);
    expect(await store.listLimits({ after: 'b', limit: 2 })).toEqual([
      { name: 'c', slots: 1, held: 0, waiting: 0 },
    ]);
  });
});
