import { expect, it } from 'vitest';
import { byDay, dayAfter, monthBeside, startOfDay, weeksOf } from './calendar-month.ts';

it('has whole weeks from Monday on', () => {
  const weeks = weeksOf('2026-03');
  expect(weeks.map((week) => week[0].date)).toEqual([
    '2026-02-23',
    '2026-03-02',
    '2026-03-09',
    '2026-03-16',
    '2026-03-23',
    '2026-03-30',
  ]);
  expect(weeks[0].filter(({ inMonth }) => inMonth).map(({ date }) => date)).toEqual(['2026-03-01']);
  expect(weeksOf('2027-02')).toHaveLength(4);
  expect([monthBeside('2026-01', -1), monthBeside('2026-12', 1), dayAfter('2026-02-28')]).toEqual([
    '2025-12',
    '2027-01',
    '2026-03-01',
  ]);
});

it('begins days where the zone does, also when clocks change', () => {
  expect(new Date(startOfDay('2026-03-29', 'Europe/Berlin')).toISOString()).toBe('2026-03-28T23:00:00.000Z');
  expect(new Date(startOfDay('2026-03-30', 'Europe/Berlin')).toISOString()).toBe('2026-03-29T22:00:00.000Z');
  expect(new Date(startOfDay('2026-03-30', 'Asia/Kathmandu')).toISOString()).toBe('2026-03-29T18:15:00.000Z');
});

it('counts ticks by the day of a zone', () => {
  const steps = {
    at: ['2026-03-01T15:45:00Z', '2026-03-01T16:00:00Z', '2026-03-02T00:00:00Z'],
    fired: [1, 2, 0],
    skipped: [0, 3, 0],
    due: [0, 0, 4],
  };
  expect(byDay(steps, 'Asia/Shanghai')).toEqual(
    new Map([
      ['2026-03-01', { fired: 1, skipped: 0, due: 0 }],
      ['2026-03-02', { fired: 2, skipped: 3, due: 4 }],
    ]),
  );
});
