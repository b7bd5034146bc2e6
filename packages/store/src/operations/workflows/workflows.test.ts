import { testDatabases } from '@orrery/testkit/databases';
import { fireTick } from '@orrery/testkit/fire-tick';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { Conflict, type Store } from '../../index.ts';
import { commandOf, joinMaster, NOW, publish, scheduleOf, workflowOf } from '../../testing.ts';

describe.each(testDatabases())('workflows on $name', ({ open, close }) => {
  let store: Store;
  beforeEach(async () => {
    store = await open();
  });
  afterAll(close);

  const publishAs = (hash: string, schedules = [scheduleOf()], due = NOW + 1_000, now = NOW) =>
    store.publishWorkflow({
      workflow: workflowOf('flow', schedules),
      hash,
      source: 'text of it',
      note: `note ${hash}`,
      author: 'someone',
      due: Object.fromEntries(schedules.map(({ name }) => [name, due])),
      now,
    });

  it('makes a version of new content, and none of the same content', async () => {
    const first = await publishAs('a');
    expect(first).toMatchObject({ version: 1, changed: true });
    expect(await publishAs('a')).toEqual({ ...first, changed: false });
    expect(await publishAs('b')).toEqual({ id: first.id, version: 2, changed: true });
    expect(await publishAs('a')).toEqual({ id: first.id, version: 3, changed: true });
  });

  it('makes no version where another one is live than was seen', async () => {
    const flow = { workflow: workflowOf('flow'), source: '', note: '', author: 'someone', due: {}, now: NOW };
    await expect(store.publishWorkflow({ ...flow, hash: 'a', base: 1 })).rejects.toThrow(Conflict);
    expect(await store.publishWorkflow({ ...flow, hash: 'a', base: null })).toMatchObject({ version: 1 });
    await expect(store.publishWorkflow({ ...flow, hash: 'b', base: null })).rejects.toThrow(Conflict);
    expect(await store.publishWorkflow({ ...flow, hash: 'b', base: 1 })).toMatchObject({ version: 2 });
  });

  it('publishes the workflows of a file, or none of them where one is refused', async () => {
    const of = (name: string, base?: number | null) => ({
      ...{ workflow: workflowOf(name), hash: name, source: '', note: '', author: 'someone' },
      ...{ base, due: {}, now: NOW },
    });
    const refused = store.publishWorkflows({ versions: [of('a'), of('b'), of('c', 7)] });
    await expect(refused).rejects.toThrow(Conflict);
    expect(await store.listWorkflows({})).toEqual([]);
    expect(await store.publishWorkflows({ versions: [of('a'), of('b', null)] })).toMatchObject([
      { version: 1, changed: true },
      { version: 1, changed: true },
    ]);
  });

  it('reads the live version or any other, by name or id', async () => {
    const { id } = await publishAs('a', []);
    await publishAs('b');
    expect((await store.readWorkflow({ project: 'default', name: 'flow' }))?.version).toBe(2);
    expect((await store.readWorkflow({ id }))?.workflow.schedules).toHaveLength(1);
    expect((await store.readWorkflow({ id, version: 1 }))?.workflow.schedules).toHaveLength(0);
    expect(await store.readWorkflow({ project: 'default', name: 'flow', version: 1 })).toMatchObject({
      id,
      version: 1,
    });
    expect(await store.readWorkflow({ id, version: 9 })).toBeUndefined();
    expect(await store.readWorkflow({ project: 'other', name: 'flow' })).toBeUndefined();
  });

  it('lists workflows of all projects or one, and versions newest first by page', async () => {
    const { id } = await publishAs('a');
    for (const hash of ['b', 'c', 'd']) await publishAs(hash);
    await publish(store, 'another');
    expect((await store.listWorkflows({})).map(({ name, version }) => [name, version])).toEqual([
      ['another', 1],
      ['flow', 4],
    ]);
    expect(await store.listWorkflows({ project: 'other' })).toEqual([]);
    const page = await store.listVersions({ workflow: id, limit: 2 });
    expect(page.map(({ version }) => version)).toEqual([4, 3]);
    const rest = await store.listVersions({ workflow: id, before: 3, limit: 2 });
    expect(rest.map(({ version, note }) => [version, note])).toEqual([
      [2, 'note b'],
      [1, 'note a'],
    ]);
  });

  it('leaves a schedule that was paused by hand so with each new version, unless that says whether it fires', async () => {
    const spec = (every: number, enabled?: boolean) => ({ ...scheduleOf(), every, enabled });
    const { id } = await publishAs('a', [spec(1_000)]);
    const shown = async () => {
      const [{ enabled, nextDue }] = await store.listSchedules({ workflow: id });
      return [enabled, nextDue];
    };
    const [{ id: schedule }] = await store.listSchedules({ workflow: id });
    const byHand = (enabled: boolean) =>
      store.setSchedule({ id: schedule, enabled, nextDue: enabled ? NOW : null, now: NOW });
    expect(await shown()).toEqual([true, NOW + 1_000]);
    await byHand(false);
    await publishAs('b', [spec(2_000)]);
    expect(await shown()).toEqual([false, null]);
    await publishAs('c', [spec(3_000, true)]);
    expect(await shown()).toEqual([true, NOW + 1_000]);
    await publishAs('d', [spec(4_000, false)]);
    expect(await shown()).toEqual([false, null]);
    // The file no longer pauses it, and nobody else did.
    await publishAs('e', [spec(5_000)]);
    expect(await shown()).toEqual([true, NOW + 1_000]);
    await publishAs('f', [spec(6_000, false)]);
    await byHand(true);
    await publishAs('g', [spec(7_000)]);
    expect(await shown()).toEqual([true, NOW + 1_000]);
  });

  it('lets a schedule that did not change go on, and starts a changed one afresh', async () => {
    const { id } = await publishAs('a', [scheduleOf('same'), scheduleOf('other')]);
    const self = await joinMaster(store);
    for (const schedule of await store.listSchedules({ workflow: id })) {
      await fireTick(store, {
        self,
        schedule: schedule.id,
        version: schedule.version,
        seen: schedule.firedUntil,
        firedUntil: NOW + 500,
        nextDue: NOW + 1_500,
        ticks: [],
        now: NOW,
      });
    }
    const changed = { ...scheduleOf('other'), every: 7 };
    await publishAs('b', [scheduleOf('same'), changed, scheduleOf('new')], NOW + 2_000, NOW + 700);
    const schedules = await store.listSchedules({ workflow: id });
    const of = (name: string) => schedules.find((schedule) => schedule.name === name);
    expect(of('same')).toMatchObject({ version: 1, firedUntil: NOW + 500, nextDue: NOW + 1_500 });
    expect(of('other')).toMatchObject({
      version: 2,
      firedUntil: NOW + 700,
      nextDue: NOW + 2_000,
      spec: changed,
    });
    expect(of('new')).toMatchObject({ version: 1, firedUntil: NOW + 700 });
    await publishAs('c', []);
    expect(await store.listSchedules({ workflow: id })).toEqual([]);
  });

  it('keeps a schedule off that was turned off, as long as its own text stays', async () => {
    const { id } = await publishAs('a');
    const [{ id: schedule }] = await store.listSchedules({ workflow: id });
    await store.setSchedule({ id: schedule, enabled: false, nextDue: null, now: NOW });
    await publishAs('b');
    expect((await store.listSchedules({}))[0]).toMatchObject({ enabled: false, nextDue: null });
  });

  it('saves a draft only on top of the revision that was read, and never shows it as live', async () => {
    const draft = { project: 'default', name: 'new', base: null, author: 'a', now: NOW };
    const { workflow, revision } = await store.saveDraft({ ...draft, body: 'one', revision: 0 });
    expect(revision).toBe(1);
    await expect(store.saveDraft({ ...draft, body: 'x', revision: 0 })).rejects.toThrow(Conflict);
    await store.saveDraft({ ...draft, body: 'two', revision: 1 });
    await expect(store.saveDraft({ ...draft, body: 'x', revision: 1 })).rejects.toThrow(Conflict);
    expect(await store.readDraft(draft)).toEqual({
      workflow,
      body: 'two',
      base: null,
      revision: 2,
      author: 'a',
      savedAt: NOW,
    });
    expect(await store.readWorkflow(draft)).toBeUndefined();
    expect(await store.listWorkflows({})).toEqual([]);
    expect(await store.discardDraft({ workflow, revision: 1, now: NOW })).toBe(false);
    expect(await store.discardDraft({ workflow, revision: 2, now: NOW })).toBe(true);
    expect(await store.readDraft(draft)).toBeUndefined();
  });

  it('keeps drafts for test runs below zero, apart from versions, as long as a run may need them', async () => {
    const keep = (hash: string, now = NOW) =>
      store.keepDraftVersion({ workflow: workflowOf('flow'), hash, source: hash, author: 'a', now });
    expect([await keep('a'), await keep('b'), await keep('a')].map(({ version }) => version)).toEqual([
      -1, -2, -1,
    ]);
    const { id, version } = await publishAs('a');
    expect(version).toBe(1);
    expect((await publishAs('b')).version).toBe(2);
    const listed = await store.listVersions({ workflow: id, limit: 9 });
    expect(listed.map((one) => one.version)).toEqual([2, 1]);
    expect((await store.listPublications({ limit: 9 })).map((one) => one.version).toSorted()).toEqual([1, 2]);
    // A day later those without a run are gone, but not while a command of before is queued.
    const { run } = await store.submitCommand({ command: commandOf(id, { version: -2 }), now: NOW });
    await keep('c', NOW + 90_000_000);
    expect((await store.readWorkflow({ id, version: -1 }))?.version).toBe(-1);
    const message = { type: 'control', control: { type: 'stop' }, by: 'me' } as const;
    await store.sendControl({ run, message, now: NOW });
    await keep('d', NOW + 91_000_000);
    expect(await store.readWorkflow({ id, version: -1 })).toBeUndefined();
    expect((await store.readWorkflow({ id, version: -2 }))?.version).toBe(-2);
  });

  it('reads short drafts beside what is live, many at once', async () => {
    const { id, version } = await publishAs('a');
    const other = await publish(store, 'other');
    const save = (name: string, body: string) =>
      store.saveDraft({ project: 'default', name, body, base: 1, revision: 0, author: 'a', now: NOW });
    await save('flow', 'short');
    await save('other', 'x'.repeat(11));
    const { workflow: unpublished } = await save('new', 'short');
    const read = (most: number) => store.readShortDrafts({ workflows: [id, other, unpublished, 99], most });
    const flow = {
      workflow: id,
      revision: 1,
      text: 'short',
      live: version,
      before: workflowOf('flow', [scheduleOf()]),
    };
    expect(await read(10)).toEqual([flow]);
    expect((await read(11)).map(({ workflow }) => workflow).sort()).toEqual([id, other].sort());
  });

  it('keeps the parameters of a project, and refuses a change on top of an older revision', async () => {
    expect(await store.readProject({ project: 'default' })).toBeUndefined();
    await publish(store);
    expect(await store.readProject({ project: 'default' })).toMatchObject({ params: {}, revision: 0 });
    const set = (params: Record<string, string>, revision?: number) =>
      store.setProjectParams({ project: 'default', params, revision, by: 'lw', now: NOW });
    expect(await set({ a: '1' }, 0)).toMatchObject({ params: { a: '1' }, revision: 1 });
    await expect(set({ a: '2' }, 0)).rejects.toThrow(Conflict);
    expect(await set({ b: '3' })).toMatchObject({ revision: 2 });
    expect(await store.listAudit({ limit: 1 })).toMatchObject([
      { actor: 'lw', action: 'project.set', subject: 'default', detail: { changed: 'a, b' } },
    ]);
    await store.setProjectParams({ project: 'another', params: { c: '4' }, by: 'lw', now: NOW });
    expect((await store.listProjects()).map(({ name, params }) => [name, params])).toEqual([
      ['another', { c: '4' }],
      ['default', { b: '3' }],
    ]);
  });
});
