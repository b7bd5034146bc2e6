import { testDatabases } from '@orrery/testkit/databases';
import { fireTick } from '@orrery/testkit/fire-tick';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { FeedPosition, Self, Store } from '../../index.ts';
import {
  changeOf,
  claimOrphans,
  claimStarts,
  commandOf,
  commit,
  drain,
  fieldsOf,
  joinMaster,
  joinWorker,
  NOW,
  publish,
  scheduleOf,
  startRuns,
} from '../../testing.ts';

describe.each(testDatabases())('the feed on $name', ({ open, close }) => {
  let store: Store;
  let self: Self;
  let run: number;
  beforeEach(async () => {
    store = await open();
    self = await joinMaster(store);
    [run] = await startRuns(store, self);
  });
  afterAll(close);

  const event = (text: string) => changeOf(run, { event: text });
  const read = (position?: FeedPosition, limit = 100) => store.readFeed({ position, limit });
  const bodies = async (position: FeedPosition, limit?: number) =>
    (await read(position, limit)).events.map(({ body }) => body);

  it('gives what came after a position, in order, and where it stands then', async () => {
    const start = await read();
    expect(start).toMatchObject({ events: [], resync: false });
    await commit(store, self, event('a'));
    await commit(store, self, event('b'));
    const next = await read(start.position);
    expect(next.events.map(({ topic, subject, body }) => [topic, subject, body])).toEqual([
      ['run', run, 'a'],
      ['run', run, 'b'],
    ]);
    expect(await bodies(next.position)).toEqual([]);
    await commit(store, self, event('c'));
    expect(await bodies(next.position)).toEqual(['c']);
    expect(await bodies(start.position)).toEqual(['a', 'b', 'c']);
  });

  it('goes on where a full page ended', async () => {
    const { position } = await read();
    for (const text of ['a', 'b', 'c']) await commit(store, self, event(text));
    const page = await read(position, 2);
    expect(page.events.map(({ body }) => body)).toEqual(['a', 'b']);
    expect(await bodies(page.position, 2)).toEqual(['c']);
  });

  it('holds the events of every writer, each in its own order', async () => {
    const other = await joinMaster(store, 'm2');
    const [its] = await startRuns(store, other);
    const { position } = await read();
    await commit(store, other, changeOf(its, { event: 'x' }));
    await commit(store, self, event('a'));
    const next = await read(position);
    expect(next.events.map(({ body }) => body).sort()).toEqual(['a', 'x']);
    expect(next.resync).toBe(false);
    const again = await joinMaster(store);
    await claimOrphans(store, again, 9);
    await commit(store, again, event('b'));
    expect((await bodies(next.position)).at(-1)).toBe('b');
  });

  it('numbers the changes of a run across its owners', async () => {
    const { position } = await read();
    const revisionOf = async () => (await store.loadRuns({ runs: [run] }))[0].revision;
    const fields = fieldsOf('running');
    const first = (await revisionOf()) + 1;
    await commit(store, self, changeOf(run, { revision: first, fields, event: 'a' }));
    await commit(store, self, changeOf(run, { revision: first, event: 'b' }));
    expect(await revisionOf()).toBe(first);
    const next = await joinMaster(store);
    await claimOrphans(store, next, 9);
    const second = (await revisionOf()) + 1;
    await commit(store, next, changeOf(run, { revision: second, fields, event: 'c' }));
    expect(await revisionOf()).toBe(second);
    const { events } = await read(position);
    const of = (body: string) => events.find((entry) => entry.body === body)?.revision;
    expect([of('a'), of('b'), of('c')]).toEqual([first, first, second]);
    expect(second).toBeGreaterThan(first);
  });

  it('does not count what was rolled back', async () => {
    const { position } = await read();
    await expect(commit(store, self, event('a'), changeOf(999_999))).rejects.toThrow();
    await commit(store, self, event('b'));
    expect(await read(position)).toMatchObject({ events: [{ body: 'b' }], resync: false });
  });

  it('asks for a fresh start when a position is older than what is kept', async () => {
    const { position: old } = await read();
    const at = (now: number, text: string) => store.commitRuns({ self, changes: [event(text)], now });
    await at(1_000, 'a');
    const { position: recent } = await read(old);
    await at(2_000, 'b');
    const { position: newest } = await read(recent);
    expect(await store.sweepEvents({ before: 1_500, limit: 100 })).toBe(1);
    expect(await bodies(recent)).toEqual(['b']);
    expect(await read(old)).toMatchObject({ events: [], resync: true });
    expect(await store.sweepEvents({ before: 9_000_000, limit: 100 })).toBeGreaterThan(0);
    expect((await read(recent)).resync).toBe(true);
    const current = await read(newest);
    expect(current).toMatchObject({ events: [], resync: false });
    await at(3_000, 'c');
    expect(await bodies(current.position)).toEqual(['c']);
  });

  it('forgets a writer that is over with its last event, and then asks for a fresh start', async () => {
    const { position } = await read();
    const next = await joinMaster(store);
    await store.sweepEvents({ before: 9_000_000, limit: 100 });
    const answer = await read(position);
    expect(answer.resync).toBe(true);
    expect(answer.position).toHaveProperty(`${next.epoch}@m1`);
    expect(answer.position).not.toHaveProperty(`${self.epoch}@m1`);
    expect((await read(answer.position)).resync).toBe(false);
  });

  it('forgets a writer that left for good, also where no other of its name came', async () => {
    const other = await joinMaster(store, 'm2');
    await store.leaveNode({ self: other, now: NOW });
    await store.sweepEvents({ before: 9_000_000, limit: 100 });
    const { position } = await read();
    expect(Object.keys(position)).toContain(`${self.epoch}@m1`);
    expect(Object.keys(position)).not.toContain(`${other.epoch}@m2`);
  });

  it('keeps positions short, and misses nothing, however often a node joins again', async () => {
    const { position: first } = await read();
    const wanted: string[] = [];
    for (let k = 0; k < 500; k++) {
      self = await joinMaster(store);
      await claimOrphans(store, self, 9);
      for (const part of ['a', 'b']) {
        wanted.push(`${k}${part}`);
        await commit(store, self, event(`${k}${part}`));
      }
    }
    const { position: last } = await read();
    expect(Object.keys(last).length).toBeLessThan(25);
    // Page by page: of the earlier writers some are read to their end before others are.
    let position = first;
    const seen: string[] = [];
    for (;;) {
      const page = await read(position, 2);
      expect(page.resync).toBe(false);
      if (page.events.length === 0) break;
      seen.push(...page.events.map(({ body }) => body).filter((body) => /^\d/.test(body)));
      position = page.position;
    }
    expect(seen.toSorted()).toEqual(wanted.toSorted());
    expect(position).toEqual(last);
    await commit(store, self, event('next'));
    expect(await bodies(last)).toEqual(['next']);
    const over = await store.sweepEvents({ before: NOW - 1, limit: 100 });
    expect([over, await bodies(last)]).toEqual([0, ['next']]);
  });

  describe('of those who are no node', () => {
    const heard = async (work: () => Promise<unknown>) => {
      const { position } = await read();
      await work();
      const { events } = await read(position);
      return events.map(({ topic, subject, revision, body }) => [topic, subject, revision, JSON.parse(body)]);
    };

    it('tells of a run that is queued, and stopped before it began', async () => {
      const workflow = await publish(store);
      const parent = { run, task: 0, round: 1, element: 0 };
      let first = 0;
      const queued = await heard(async () => {
        ({ run: first } = await store.submitCommand({ command: commandOf(workflow), now: NOW }));
        await store.submitCommands({ commands: [commandOf(workflow, { parent })], now: NOW });
      });
      expect(queued).toEqual([
        ['run', first, 0, { state: 'queued', workflow }],
        ['run', expect.any(Number), 0, { state: 'queued', workflow, parent: run }],
      ]);
      const message = { type: 'control', control: { type: 'stop' }, by: 'someone' } as const;
      expect(await heard(() => store.sendControl({ run: first, message, now: NOW }))).toEqual([
        ['run', first, 1, { state: 'stopped', workflow }],
      ]);
    });

    it('tells of a run once, however often its command comes', async () => {
      const command = commandOf(await publish(store));
      const submit = () => store.submitCommand({ command, key: 'k', now: NOW });
      expect(await heard(submit)).toHaveLength(1);
      expect(await heard(submit)).toEqual([]);
    });

    it('tells of what is published, with the schedules that changed', async () => {
      const once = await heard(() => publish(store, 'new', [scheduleOf('a'), scheduleOf('b')]));
      const [[, workflow], [, a], [, b]] = once;
      expect(once).toEqual([
        ['workflow', workflow, 1, { project: 'default', name: 'new' }],
        ['schedule', a, 1, { what: 'set', workflow }],
        ['schedule', b, 1, { what: 'set', workflow }],
      ]);
      expect(await heard(() => publish(store, 'new', [scheduleOf('a'), scheduleOf('b')]))).toEqual([]);
      expect(await heard(() => publish(store, 'new', [scheduleOf('a', false)]))).toEqual([
        ['workflow', workflow, 2, { project: 'default', name: 'new' }],
        ['schedule', b, 2, { what: 'removed', workflow }],
        ['schedule', a, 2, { what: 'set', workflow }],
      ]);
      expect(
        await heard(() => store.setSchedule({ id: a, enabled: true, nextDue: NOW + 5, now: NOW })),
      ).toEqual([['schedule', a, 3, { what: 'set', workflow }]]);
    });

    it('tells of drafts, parameters of projects, limits and drained workers', async () => {
      await joinWorker(store, self);
      await joinWorker(store, self, 'w2');
      const draft = { project: 'default', name: 'flow', body: '', base: null, revision: 0, author: 'a' };
      let workflow = 0;
      const events = await heard(async () => {
        ({ workflow } = await store.saveDraft({ ...draft, now: NOW }));
        await store.discardDraft({ workflow, revision: 1, now: NOW });
        await store.setProjectParams({ project: 'p', params: {}, by: 'lw', now: NOW });
        await store.setLimit({ name: 'few', slots: 2, now: NOW });
        await drain(store, 'w1');
      });
      expect(events).toEqual([
        ['draft', workflow, 1, { what: 'saved' }],
        ['draft', workflow, 2, { what: 'discarded' }],
        ['project', 0, 1, { name: 'p' }],
        ['limit', 0, 0, { name: 'few', slots: 2 }],
        ['worker', 0, 1, { id: 'w1', what: 'draining' }],
      ]);
    });

    it('goes on counting when nothing of it is left', async () => {
      const command = commandOf(await publish(store));
      await store.submitCommand({ command, now: NOW });
      const { position } = await read();
      await store.sweepEvents({ before: NOW + 1, limit: 100 });
      await store.submitCommand({ command, now: NOW });
      expect(await read(position)).toMatchObject({ events: [{ topic: 'run' }], resync: false });
    });
  });

  it('tells of ticks, and of the runs they queue', async () => {
    const workflow = await publish(store, 'timed', [scheduleOf()]);
    const [{ id, version, firedUntil }] = await store.listSchedules({ workflow });
    const { position } = await read();
    const due = firedUntil + 1_000;
    const { runs } = await fireTick(store, {
      self,
      schedule: id,
      version,
      seen: firedUntil,
      firedUntil: due,
      nextDue: null,
      ticks: [{ due, command: commandOf(workflow) }],
      now: NOW,
    });
    const { events } = await read(position);
    expect(events.map(({ topic, subject, body }) => [topic, subject, JSON.parse(body)])).toEqual([
      ['run', runs[0], { state: 'queued', workflow }],
      ['schedule', id, { what: 'fired', workflow }],
    ]);
  });

  it('tells of claimed runs that must wait or are discarded', async () => {
    const workflow = await publish(store, 'alone');
    const needs = [{ name: 'one', slots: 1, owner: '', priority: 2 }];
    const start = async (mode: 'serial-wait' | 'serial-discard') => {
      const command = commandOf(workflow, { admission: { mode, needs } });
      const { run: started } = await store.submitCommand({ command, now: NOW });
      const { position } = await read();
      await claimStarts(store, self, 9);
      const { events } = await read(position);
      return events.map((entry) => [entry.subject === started, entry.revision, JSON.parse(entry.body).state]);
    };
    expect(await start('serial-wait')).toEqual([]);
    expect(await start('serial-wait')).toEqual([[true, 1, 'waiting']]);
    expect(await start('serial-discard')).toEqual([[true, 1, 'stopped']]);
  });
});
