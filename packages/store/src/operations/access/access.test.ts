import { testDatabases } from '@orrery/testkit/databases';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../index.ts';
import { commandOf, joinMaster, NOW, publish, scheduleOf, startRuns } from '../../testing.ts';

describe.each(testDatabases())('access on $name', ({ open, close }) => {
  let store: Store;
  beforeEach(async () => {
    store = await open();
  });
  afterAll(close);

  const create = (name: string, project: string | null = null) =>
    store.createToken({
      hash: `hash of ${name}`,
      hint: 'orr_abcd',
      name,
      role: 'viewer',
      project,
      expiresAt: NOW + 1_000,
      by: 'admin',
      now: NOW,
    });

  it('finds a token by its hash alone, and shows nothing to make it from', async () => {
    const made = await create('ci', 'etl');
    const found = await store.findToken({ hash: 'hash of ci' });
    expect(found).toEqual(made);
    expect(await store.readToken({ id: made.id })).toEqual(made);
    expect(JSON.stringify(found)).not.toContain('hash of');
    expect(await store.findToken({ hash: 'ci' })).toBeUndefined();
    await expect(create('ci')).rejects.toThrow();
  });

  it('lists tokens newest first, by page and by project', async () => {
    const ids = [];
    for (const name of ['a', 'b', 'c']) ids.push((await create(name, name === 'b' ? 'etl' : null)).id);
    const [a, b, c] = ids;
    const list = async (input: { project?: string; before?: number; limit: number }) =>
      (await store.listTokens(input)).map(({ id }) => id);
    expect(await list({ limit: 2 })).toEqual([c, b]);
    expect(await list({ limit: 2, before: b })).toEqual([a]);
    expect(await list({ limit: 9, project: 'etl' })).toEqual([b]);
  });

  it('ends a token once, tells its holder, and keeps to a project', async () => {
    const { id } = await create('ci', 'etl');
    const { position } = await store.readFeed({ limit: 0 });
    expect(await store.revokeToken({ id, project: 'other', by: 'x', now: NOW + 1 })).toBeUndefined();
    expect(await store.revokeToken({ id: 999_999, by: 'x', now: NOW + 1 })).toBeUndefined();
    expect(await store.revokeToken({ id, by: 'ada', now: NOW + 2 })).toMatchObject({ revokedAt: NOW + 2 });
    expect(await store.revokeToken({ id, by: 'eve', now: NOW + 3 })).toMatchObject({ revokedAt: NOW + 2 });
    const { events } = await store.readFeed({ position, limit: 9 });
    expect(events).toMatchObject([{ topic: 'access', subject: id, body: '{"what":"rights"}' }]);
    const entries = await store.listAudit({ limit: 9 });
    expect(entries.map(({ actor, action, subject }) => [actor, action, subject])).toEqual([
      ['ada', 'token.revoke', String(id)],
      ['admin', 'token.create', String(id)],
    ]);
    expect(entries[1].detail).toEqual({ name: 'ci', role: 'viewer', project: 'etl', expiresAt: NOW + 1_000 });
    expect(await store.listAudit({ limit: 9, before: entries[0].id })).toEqual([entries[1]]);
    const only = (filter: object) => store.listAudit({ limit: 9, ...filter });
    expect(await only({ actor: 'ada' })).toEqual([entries[0]]);
    expect(await only({ action: 'token.*', subject: String(id) })).toEqual(entries);
    expect(await only({ action: '*.create' })).toEqual([entries[1]]);
    // Only `*` stands for something.
    expect(await only({ action: 'token_revoke' })).toEqual([]);
    expect(await only({ subject: '%' })).toEqual([]);
  });

  it('notes when a token was used', async () => {
    const { id } = await create('ci');
    await store.touchToken({ id, now: NOW + 5 });
    expect(await store.findToken({ hash: 'hash of ci' })).toMatchObject({ lastUsedAt: NOW + 5 });
  });

  it('keeps the preferences of each holder', async () => {
    await store.savePreferences({ token: 0, body: '{"zone":"UTC"}', now: NOW });
    await store.savePreferences({ token: 7, body: '{}', now: NOW });
    await store.savePreferences({ token: 0, body: '{"zone":"local"}', now: NOW });
    expect(await store.readPreferences({ token: 0 })).toBe('{"zone":"local"}');
    expect(await store.readPreferences({ token: 7 })).toBe('{}');
    expect(await store.readPreferences({ token: 8 })).toBeUndefined();
  });

  it('changes some preferences and leaves the others, also those that are set at the same time', async () => {
    const set = (name: string) =>
      store.changePreferences({ token: 0, change: `{"views":{"${name}":1}}`, most: 1_000, now: NOW });
    await store.savePreferences({ token: 0, body: '{"zone":"UTC"}', now: NOW });
    const names = Array.from({ length: 20 }, (_, k) => `view-${k}`);
    await Promise.all(names.map(set));
    const { zone, views } = JSON.parse((await store.readPreferences({ token: 0 })) ?? '{}');
    expect([zone, Object.keys(views).sort()]).toEqual(['UTC', names.sort()]);

    const first = { token: 5, change: '{"a":1}', most: 7, now: NOW };
    expect(await store.changePreferences(first)).toBe('{"a":1}');
    expect(await store.changePreferences({ ...first, change: '{"a":12}' })).toBeUndefined();
    expect(await store.readPreferences({ token: 5 })).toBe('{"a":1}');
  });

  it('knows the project of a run, claimed or not, and of a schedule', async () => {
    const self = await joinMaster(store);
    const [run] = await startRuns(store, self);
    const workflow = await publish(store, 'timed', [scheduleOf()]);
    const [queued] = await store.submitCommands({ commands: [commandOf(workflow)], now: NOW });
    const [{ id: schedule }] = await store.listSchedules({ workflow });
    expect(await store.readRunProject({ id: run })).toBe('default');
    expect(await store.readRunProject({ id: queued })).toBe('default');
    expect(await store.readRunProject({ id: 999_999 })).toBeUndefined();
    expect(await store.readRunReach({ id: run })).toEqual(['default']);
    expect(await store.readRunReach({ id: 999_999 })).toEqual([]);
    expect(await store.readScheduleProject({ id: schedule })).toBe('default');
    expect(await store.readScheduleProject({ id: 999_999 })).toBeUndefined();
  });
});
