import type { ScheduleSpec } from '@orrery/core/model';
import { testDatabases } from '@orrery/testkit/databases';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { Conflict, type Store } from '../../index.ts';
import { joinMaster, NOW, publish, workflowOf } from '../../testing.ts';
import type { CalendarBody } from '../ticks/holidays.ts';

const DAY = 86_400_000;
const key = { project: 'default', name: 'holidays' };
const by = { by: 'lw', now: NOW };
const none: CalendarBody = { description: '', dates: [], yearly: [], weekdays: [] };
/** 1970-01-02: the day of the next tick after `NOW`. */
const friday: CalendarBody = { ...none, dates: ['1970-01-02'] };

const daily: ScheduleSpec = {
  name: 'main',
  cron: '0 0 * * *',
  timezone: 'UTC',
  calendar: 'holidays',
  misfire: { policy: 'fire-once', threshold: 60_000 },
  params: {},
};

describe.each(testDatabases())('calendars on $name', ({ open, close }) => {
  let store: Store;
  beforeEach(async () => {
    store = await open();
    await joinMaster(store);
  });
  afterAll(close);

  const set = (calendar: CalendarBody, more: object = {}) =>
    store.setCalendar({ ...key, calendar, ...by, ...more });
  const only = async () => (await store.listSchedules({}))[0];

  it('are kept apart by project, by revision', async () => {
    expect(await set(friday, { revision: 0 })).toEqual({
      calendar: { ...key, ...friday, revision: 1, changedAt: NOW, schedules: 0 },
      moved: [],
    });
    await expect(set(none, { revision: 0 })).rejects.toThrow(Conflict);
    expect((await set(none, { revision: 1 })).calendar).toMatchObject({ revision: 2, dates: [] });
    await set(friday, { project: 'sales' });
    expect(await store.listCalendars({})).toHaveLength(2);
    expect(await store.listCalendars({ project: 'sales' })).toMatchObject([{ dates: ['1970-01-02'] }]);
    expect(await store.deleteCalendar({ ...key, ...by })).toBe(true);
    expect(await store.deleteCalendar({ ...key, ...by })).toBe(false);
    expect(await store.listCalendars(key)).toEqual([]);
  });

  it('move the next due time of the schedules that refer to them, and of no other', async () => {
    await set(none);
    await publish(store, 'flow', [daily]);
    await publish(store, 'other', [{ ...daily, calendar: undefined }]);
    const [before, other] = await store.listSchedules({});
    expect(before).toMatchObject({ nextDue: DAY, version: 1, spec: { holidays: { dates: [] } } });
    const dry = await set(friday, { dryRun: true });
    expect(dry.moved).toMatchObject([{ workflow: 'flow', name: 'main', before: DAY, after: 2 * DAY }]);
    expect(await only()).toEqual(before);
    const edits = await store.editedSchedules({ after: 0, limit: 10 });
    expect((await set(friday)).moved).toEqual(dry.moved);
    const [after, same] = await store.listSchedules({});
    expect(after).toMatchObject({ nextDue: 2 * DAY, version: 2, firedUntil: before.firedUntil });
    expect(same).toEqual(other);
    const heard = await store.editedSchedules({ after: edits.at(-1)?.revision ?? 0, limit: 10 });
    expect(heard.map(({ id }) => id)).toEqual([before.id]);
    expect((await store.readSchedules({ ids: [after.id] }))[0].spec.holidays).toMatchObject({
      dates: ['1970-01-02'],
    });
    expect(await store.readSchedule({ id: after.id })).toMatchObject({
      spec: { holidays: { dates: ['1970-01-02'] } },
    });
    // A day that is given back is due again.
    expect((await set(none)).moved).toMatchObject([{ before: 2 * DAY, after: DAY }]);
  });

  it('let a paused schedule stay paused, and one without days left have no next tick', async () => {
    await set(none);
    await publish(store, 'flow', [{ ...daily, enabled: false }]);
    expect((await set(friday)).moved).toEqual([]);
    expect((await only()).nextDue).toBeNull();
    await publish(store, 'flow', [daily]);
    expect((await set({ ...none, weekdays: [0, 1, 2, 3, 4, 5, 6] })).moved).toMatchObject([
      { before: 2 * DAY, after: null },
    ]);
  });

  it('must be there for a schedule, and stay while one refers to them', async () => {
    await expect(publish(store, 'flow', [daily])).rejects.toThrow(
      'project default has no calendar "holidays"; make it first',
    );
    await set(friday);
    await publish(store, 'flow', [daily]);
    expect(await store.listCalendars(key)).toMatchObject([{ schedules: 1 }]);
    await expect(store.deleteCalendar({ ...key, ...by })).rejects.toThrow(
      'holidays is used by default/flow; change those first',
    );
    await publish(store, 'flow', [{ ...daily, calendar: undefined }]);
    expect(await store.deleteCalendar({ ...key, ...by })).toBe(true);
  });

  it('are those of the project that a workflow moves to', async () => {
    await set(none);
    await publish(store, 'flow', [daily]);
    const workflow = { ...workflowOf('flow', [daily]), project: 'sales' };
    const version = { workflow, hash: 'moved', source: '', note: '', author: 'lw', base: 1 };
    const move = () =>
      store.renameWorkflow({ from: { project: 'default', name: 'flow' }, version, now: NOW });
    await expect(move()).rejects.toThrow('project sales has no calendar');
    await set(friday, { project: 'sales' });
    await move();
    expect(await only()).toMatchObject({ nextDue: 2 * DAY, spec: { holidays: { dates: ['1970-01-02'] } } });
  });

  it('are audited by how many days they have', async () => {
    await set(friday);
    await store.deleteCalendar({ ...key, ...by });
    expect(await store.listAudit({ limit: 2 })).toMatchObject([
      { action: 'calendar.delete', subject: 'default/holidays' },
      { action: 'calendar.set', detail: { before: 0, after: 1, dates: 1, schedules: 0 } },
    ]);
  });
});
