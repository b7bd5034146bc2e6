import { testDatabases } from '@orrery/testkit/databases';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { Command, Self, Store } from '../../index.ts';
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
  startRuns,
} from '../../testing.ts';

const everything = { filter: {}, queued: true, claimed: true };

describe.each(testDatabases())('bulks on $name', (database) => {
  let store: Store;
  let self: Self;
  let workflow: number;

  beforeEach(async () => {
    store = await database.open();
    self = await joinMaster(store);
    workflow = await publish(store);
  });
  afterAll(() => database.close());

  type Input = Parameters<Store['createBulk']>[0];
  const create = async (more: Partial<Input>): Promise<number> => {
    const input = { action: 'stop', choice: { ids: [] }, project: null, by: 'me', now: NOW } as const;
    return (await store.createBulk({ ...input, ...more })).id;
  };
  const step = (limit = 3, as = self) => store.stepBulk({ self: as, limit, now: NOW + 1 });
  const finish = async (limit = 3): Promise<void> => {
    while ((await step(limit)).more);
  };
  const read = async (id: number) => (await store.readBulks({ ids: [id] }))[0];
  const results = async (bulk: number) =>
    (await store.listBulkRuns({ bulk, limit: 1_000 })).map(({ run, outcome, reason }) => [
      run,
      outcome,
      reason,
    ]);
  const end = (run: number, state: 'success' | 'failed' = 'success') =>
    commit(
      store,
      self,
      changeOf(run, { fields: fieldsOf(state), endedAt: NOW, release: true, limits: { free: true } }),
    );
  const queue = (count: number, more: Partial<Command> = {}) =>
    store.submitCommands({
      commands: Array.from({ length: count }, () => commandOf(workflow, more)),
      now: NOW,
    });
  const told = async () => (await readInboxes(store, self)).map(({ run, message }) => [run, message]);

  it('write down first which runs match, then tell each once or say why not, in steps of few', async () => {
    const runs = await startRuns(store, self, 4, { workflow });
    await end(runs[1]);
    const queued = await queue(2);
    const id = await create({ choice: { list: everything, asked: { q: '' } }, reason: 'enough' });
    const late = await queue(1);
    expect(await read(id)).toMatchObject({ state: 'running', gathering: true, total: 0, asked: '{"q":""}' });
    expect(await store.beat({ self, now: NOW })).toMatchObject({ bulks: true });

    await step(4);
    expect(await read(id)).toMatchObject({ gathering: true, total: 4, told: 0 });
    expect(await told()).toEqual([]);
    await step(4);
    expect(await read(id)).toMatchObject({ gathering: false, total: 6, told: 0 });
    expect(await step(4)).toEqual({ inboxes: true, more: true });
    expect(await read(id)).toMatchObject({ state: 'running', told: 3, refused: 1 });
    await finish(4);

    expect(await read(id)).toEqual({
      id,
      action: 'stop',
      tags: null,
      state: 'done',
      project: null,
      asked: '{"q":""}',
      gathering: false,
      by: 'me',
      reason: 'enough',
      total: 6,
      told: 5,
      refused: 1,
      refusals: { 'the run has ended': 1 },
      revision: 5,
      createdAt: NOW,
      endedAt: NOW + 1,
      endedBy: null,
    });
    expect(await results(id)).toEqual([
      [runs[0], 'told', null],
      [runs[1], 'refused', 'the run has ended'],
      [runs[2], 'told', null],
      [runs[3], 'told', null],
      [queued[0], 'told', null],
      [queued[1], 'told', null],
    ]);
    const stop = { type: 'control', control: { type: 'stop' }, by: 'me' };
    expect(await told()).toEqual([runs[0], runs[2], runs[3]].map((run) => [run, stop]));
    expect((await store.readRunsById({ ids: queued })).runs).toMatchObject([
      { state: 'stopped' },
      { state: 'stopped' },
    ]);
    expect(await store.readCommand({ run: late[0] })).toBeDefined();
    expect(await store.beat({ self, now: NOW })).toMatchObject({ bulks: false });
    const [entry] = await store.listHistory({ of: { kind: 'run', subject: String(runs[0]) }, limit: 1 });
    expect(JSON.parse(entry.body)).toMatchObject({ bulk: id, reason: 'enough' });
  });

  it('mean the runs that matched when they were written down, whatever becomes of those meanwhile', async () => {
    const [a, b] = await startRuns(store, self, 2, { workflow });
    const running = { filter: { states: ['running'] }, queued: false, claimed: true } as const;
    const id = await create({ choice: { list: running, asked: {} } });
    await step();
    await end(b);
    await finish();
    expect(await results(id)).toEqual([
      [a, 'told', null],
      [b, 'refused', 'the run has ended'],
    ]);
  });

  it('refuse given runs that there are not, or that are of another project', async () => {
    const [mine] = await startRuns(store, self, 1, { workflow });
    const [other] = await startRuns(store, self, 1, { workflow, project: 'other' });
    const [queued] = await queue(1, { project: 'other' });
    const id = await create({ choice: { ids: [mine, other, queued, 4_711, mine] }, project: 'default' });
    await finish();
    const none = 'run not found';
    expect(await read(id)).toMatchObject({ total: 4, told: 1, refused: 3, refusals: { [none]: 3 } });
    expect(await results(id)).toEqual([
      [mine, 'told', null],
      [other, 'refused', none],
      [queued, 'refused', none],
      [4_711, 'refused', none],
    ]);
  });

  it('stop an ended run whose rerun waits for a slot, and rerun none twice', async () => {
    const needs = [{ name: 'workflow default/flow', slots: 1 }];
    const admission = { mode: 'serial-wait', needs } as const;
    const [a, b] = await queue(2, { admission });
    expect((await claimStarts(store, self, 2)).map(({ run }) => run)).toEqual([a]);
    await end(a, 'failed');
    // Its slot went to b, so a rerun has to wait.
    await store.sendControl({
      run: a,
      message: { type: 'control', control: { type: 'rerun', scope: { kind: 'all', tasks: [] } }, by: 'you' },
      now: NOW,
    });
    const again = await create({ action: 'rerun', choice: { ids: [a] } });
    await finish();
    expect(await results(again)).toEqual([[a, 'refused', 'a rerun of this run was already requested']]);
    const ask = { project: null, choice: { ids: [a, b] }, limit: 10 };
    expect(await store.tryBulk({ ...ask, action: 'stop' })).toMatchObject({ allowed: 2, refusals: {} });
    const back = await create({ choice: { ids: [a] } });
    await finish();
    expect(await results(back)).toEqual([[a, 'told', null]]);
    expect(await store.readLimitWaits({ run: a })).toEqual([]);
  });

  it('of one project leave alone a backfill that runs workflows of another, claimed or not', async () => {
    const request = commandOf(workflow).request;
    const backfillOf = (project?: string): Partial<Command> => ({
      kind: 'backfill',
      request: {
        ...request,
        backfill: {
          workflow: { name: 'flow' },
          ...{ params: {}, times: [], parallelism: 1, onFailure: 'continue' },
          downstream: [{ project, name: 'after' }],
        },
      },
    });
    const [own, wide] = [backfillOf(), backfillOf('other')];
    const [a] = await startRuns(store, self, 1, { workflow, ...own });
    const [b] = await startRuns(store, self, 1, { workflow, ...wide });
    const [[c], [d]] = [await queue(1, own), await queue(1, wide)];
    expect(await Promise.all([a, b, c, d].map((id) => store.readRunReach({ id })))).toEqual([
      ['default', 'default'],
      ['default', 'other'],
      ['default', 'default'],
      ['default', 'other'],
    ]);
    const ids = [a, b, c, d];
    const id = await create({ project: 'default', choice: { ids } });
    await finish();
    const refusal = 'it runs workflows of other projects too; control it alone, with a token of all projects';
    expect(await results(id)).toEqual([
      [a, 'told', null],
      [b, 'refused', refusal],
      [c, 'told', null],
      [d, 'refused', refusal],
    ]);
    const all = { action: 'stop', project: null, choice: { ids: [b, d] }, limit: 9 } as const;
    expect(await store.tryBulk(all)).toMatchObject({ allowed: 2 });
  });

  it('say what they would do without doing it, page by page', async () => {
    const runs = await startRuns(store, self, 4, { workflow });
    await end(runs[3]);
    const ask = { action: 'recover', project: null, choice: { list: everything }, limit: 3 } as const;
    const first = await store.tryBulk(ask);
    expect(first).toEqual({
      allowed: 0,
      refusals: {
        'the run succeeded; there is nothing to recover': 1,
        'the run is still running; stop it first': 2,
      },
      next: runs[1],
    });
    expect(await store.tryBulk({ ...ask, before: first.next })).toMatchObject({
      next: undefined,
      allowed: 0,
    });
    expect(await told()).toEqual([]);
    expect(await store.listBulks({ limit: 10 })).toEqual([]);
  });

  it('are aborted between two steps: what was told stays told, the rest is left', async () => {
    const runs = await startRuns(store, self, 4, { workflow });
    const id = await create({ choice: { ids: runs } });
    await step();
    expect(await store.abortBulk({ id, by: 'you', now: NOW + 2 })).toBe(true);
    expect(await store.abortBulk({ id, by: 'you', now: NOW + 2 })).toBe(false);
    expect(await step()).toEqual({ inboxes: false, more: false });
    expect(await read(id)).toMatchObject({ state: 'aborted', told: 3, endedAt: NOW + 2, endedBy: 'you' });
    expect(await store.listBulkRuns({ bulk: id, outcome: 'left', limit: 9 })).toEqual([
      { run: runs[3], outcome: 'left', reason: null },
    ]);
    expect(await told()).toHaveLength(3);
  });

  it('take turns: a small one does not wait for the end of a large one', async () => {
    const runs = await startRuns(store, self, 9, { workflow });
    const large = await create({ action: 'pause', choice: { ids: runs } });
    await step(2);
    const small = await create({ choice: { ids: [runs[0]] } });
    await step(2);
    expect(await read(small)).toMatchObject({ state: 'done', told: 1 });
    expect(await read(large)).toMatchObject({ state: 'running', told: 2 });
  });

  it('answer a second request with the same key with the first one', async () => {
    const [run] = await startRuns(store, self, 1, { workflow });
    const input = {
      action: 'stop',
      choice: { ids: [run] },
      project: null,
      by: 'me',
      key: 'k',
      now: NOW,
    } as const;
    const first = await store.createBulk(input);
    expect(await store.createBulk(input)).toEqual({ id: first.id, repeated: true });
    expect(await store.listBulks({ limit: 10 })).toHaveLength(1);
  });

  it('are listed newest first, of one project or of all, and their runs page by page', async () => {
    const runs = await startRuns(store, self, 3, { workflow });
    const a = await create({ choice: { ids: runs } });
    const b = await create({ choice: { ids: runs }, project: 'default' });
    const ids = async (input: Parameters<Store['listBulks']>[0]) =>
      (await store.listBulks(input)).map(({ id }) => id);
    expect(await ids({ limit: 9 })).toEqual([b, a]);
    expect(await ids({ limit: 9, before: b })).toEqual([a]);
    expect(await ids({ limit: 9, project: 'default' })).toEqual([b]);
    const page = await store.listBulkRuns({ bulk: a, after: runs[0], limit: 1 });
    expect(page.map(({ run }) => run)).toEqual([runs[1]]);
  });

  it('tell those who watch of each step', async () => {
    const [run] = await startRuns(store, self, 1, { workflow });
    const { position } = await store.readFeed({ limit: 1 });
    const id = await create({ choice: { ids: [run] } });
    await finish();
    const { events } = await store.readFeed({ position, limit: 100 });
    const about = events.filter(({ topic }) => topic === 'bulk');
    expect(about.map(({ subject, revision }) => [subject, revision])).toEqual([
      [id, 1],
      [id, 2],
    ]);
  });

  it('give and take tags, also of runs that have ended or wait, and refuse more than there may be', async () => {
    const [ended, open] = await startRuns(store, self, 2, { workflow, tags: ['eu'] });
    await end(ended);
    const [queued] = await queue(1, { tags: ['eu', 'night'] });
    const [full] = await queue(1, { tags: Array.from({ length: 50 }, (_, k) => `t${k}`) });
    const ids = [ended, open, queued, full, 4711];
    const { position } = await store.readFeed({ limit: 1 });
    const tagged = await create({ action: 'tag', tags: ['late', 'eu'], choice: { ids }, reason: 'for june' });
    expect(await store.tryBulk({ action: 'tag', project: null, choice: { ids }, limit: 9 })).toMatchObject({
      allowed: 4,
      refusals: { 'run not found': 1 },
    });
    expect(await step(9)).toEqual({ inboxes: false, more: true });
    expect(await read(tagged)).toMatchObject({ state: 'done', tags: ['late', 'eu'], told: 3, refused: 2 });
    expect(await results(tagged)).toEqual([
      [ended, 'told', null],
      [open, 'told', null],
      [queued, 'told', null],
      [full, 'refused', 'it would have more than 50 tags'],
      [4711, 'refused', 'run not found'],
    ]);
    const tagsOf = async () => {
      const { runs, queued: commands } = await store.readRunsById({ ids: [ended, open, queued] });
      const listed = await store.readListed({ ids: runs.map(({ id }) => id) });
      return [...listed.map(({ tags }) => tags), ...commands.map(({ command }) => command.tags)];
    };
    expect(await tagsOf()).toEqual([
      ['eu', 'late'],
      ['eu', 'late'],
      ['eu', 'late', 'night'],
    ]);
    const { events } = await store.readFeed({ position, limit: 100 });
    expect(events.flatMap(({ topic, subject }) => (topic === 'run' ? [subject] : []))).toEqual([ended, open]);
    const [{ action, body }] = await store.listHistory({
      of: { kind: 'run', subject: String(open) },
      limit: 1,
    });
    expect([action, JSON.parse(body)]).toEqual(['tag', { reason: 'eu, late: for june', bulk: tagged }]);

    await create({ action: 'untag', tags: ['eu', 'gone'], choice: { ids: [ended, open, queued] } });
    await finish();
    expect(await tagsOf()).toEqual([['late'], ['late'], ['late', 'night']]);
  });

  it('are forgotten after a time, a little at a time, and never while they are open', async () => {
    const runs = await startRuns(store, self, 3, { workflow });
    const old = await create({ choice: { ids: runs } });
    await finish(10);
    const open = await create({ choice: { ids: runs } });
    const sweep = () => store.sweepBulks({ before: NOW + 2, limit: 2 });
    expect([await sweep(), await sweep(), await sweep()]).toEqual([2, 2, 0]);
    expect((await store.listBulks({ limit: 9 })).map(({ id }) => id)).toEqual([open]);
    expect(await results(old)).toEqual([]);
    expect(await results(open)).toHaveLength(3);
  });
});
