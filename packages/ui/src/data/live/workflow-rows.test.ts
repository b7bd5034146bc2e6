import { expect, it } from 'vitest';
import { rowsWithRun, rowsWithSchedule } from './workflow-rows.ts';

const times = { createdAt: '2026-03-01T08:00:00.000Z', publishedAt: null };
const row = (name: string, more = {}) => ({
  project: 'etl',
  name,
  version: 1,
  draft: null,
  actions: [],
  owner: 'someone',
  tags: [],
  offlineSince: null,
  module: null,
  ...times,
  ...more,
});
const strip = { runs: [], successRate: null, p50: null, p95: null };
const run = (id: number, state: string, seconds?: number) =>
  ({
    id,
    project: 'etl',
    name: 'daily',
    version: 1,
    state,
    counted: true,
    idle: 0,
    startedAt: '2026-03-01T08:00:00.000Z',
    endedAt:
      seconds === undefined
        ? null
        : new Date(Date.parse('2026-03-01T08:00:00.000Z') + seconds * 1_000).toISOString(),
  }) as Parameters<typeof rowsWithRun>[1];

it('a run comes into the strip of its workflow and ends there', () => {
  let rows: Parameters<typeof rowsWithRun>[0] = [row('other', { strip }), row('daily', { strip })];
  const [other] = rows;
  rows = rowsWithRun(rows, run(7, 'running'));
  expect(rows[1].strip).toMatchObject({
    runs: [{ id: 7, state: 'running', duration: null }],
    successRate: null,
  });
  rows = rowsWithRun(rows, run(7, 'success', 4));
  expect(rows[1].strip).toMatchObject({
    runs: [{ id: 7, duration: 4_000 }],
    successRate: 1,
    p50: 4_000,
    p95: 4_000,
  });
  rows = rowsWithRun(rows, run(8, 'failed', 1));
  expect(rows[1].strip).toMatchObject({ successRate: 0.5, p50: 4_000 });
  expect(rows[0]).toBe(other);
});

it('a strip has 30 runs, the newest last, whatever order they come in', () => {
  let rows: Parameters<typeof rowsWithRun>[0] = [row('daily', { strip })];
  for (const id of [...Array.from({ length: 35 }, (_, k) => k + 1), 3])
    rows = rowsWithRun(rows, run(id, 'success', id));
  expect(rows[0].strip?.runs.map(({ id }) => id)).toEqual(Array.from({ length: 30 }, (_, k) => k + 6));
});

it('rows without a strip and runs of workflows that are not shown change nothing', () => {
  const rows = [row('daily')];
  expect(rowsWithRun(rows, run(7, 'running'))).toBe(rows);
});

it('a tick moves the next due time; a pause is asked for again, because actions change with it', () => {
  const schedule = {
    id: 4,
    name: 's',
    timezone: 'UTC',
    state: 'on' as const,
    nextDue: '2026-03-01T08:00:00.000Z',
  };
  const rows = [row('daily', { schedules: [schedule], nextDue: schedule.nextDue })];
  const event = (state: 'on' | 'paused', nextDue: string | null, id = 4) =>
    ({
      topic: 'schedules',
      kind: 'schedule',
      id,
      version: 2,
      patch: { project: 'etl', workflow: 'daily', name: 's', state, nextDue, firedUntil: '' },
    }) as const;
  expect(rowsWithSchedule(rows, event('on', '2026-03-01T09:00:00.000Z'))).toMatchObject([
    { nextDue: '2026-03-01T09:00:00.000Z' },
  ]);
  expect(rowsWithSchedule(rows, event('paused', null))).toBeNull();
  expect(rowsWithSchedule(rows, event('on', null, 5))).toBeNull();
});
