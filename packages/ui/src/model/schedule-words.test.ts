import { cronNext, DAY, daysInMonth, HOUR, MINUTE, parseCron, SECOND, zone } from '@orrery/core/time';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type CronSaid, cronSaid, type DaysSaid, runsOf, type TimeSaid } from './schedule-words.ts';

it.each([
  ['0 6 * * *', { kind: 'times', times: ['06:00'] }, { kind: 'all' }],
  ['0 30 2 * * ?', { kind: 'times', times: ['02:30'] }, { kind: 'all' }],
  ['30 0 6 * * ? *', { kind: 'times', times: ['06:00:30'] }, { kind: 'all' }],
  ['15 8 * * MON,fri', { kind: 'times', times: ['08:15'] }, { kind: 'week', weekdays: [1, 5] }],
  ['0 0 8 ? * 2-6', { kind: 'times', times: ['08:00'] }, { kind: 'week', weekdays: [1, 2, 3, 4, 5] }],
  ['@weekly', { kind: 'times', times: ['00:00'] }, { kind: 'week', weekdays: [0] }],
  ['@yearly', { kind: 'times', times: ['00:00'] }, { kind: 'month', days: [1], months: [1] }],
  ['0 0 6 L * ?', { kind: 'times', times: ['06:00'] }, { kind: 'last', months: null }],
  ['0 0 6 ? * MON#2', { kind: 'times', times: ['06:00'] }, { kind: 'nth', weekday: 1, nth: 2, months: null }],
  ['0 0 6 ? 6 6L', { kind: 'times', times: ['06:00'] }, { kind: 'nth', weekday: 5, nth: 0, months: [6] }],
  ['0 0/30 * * * ?', { kind: 'every', count: 30, unit: 'm', between: null }, { kind: 'all' }],
  ['0/15 * * * * ?', { kind: 'every', count: 15, unit: 's', between: null }, { kind: 'all' }],
  ['0 */2 * * *', { kind: 'every', count: 2, unit: 'h', between: null }, { kind: 'all' }],
  ['5,35 * * * *', { kind: 'hourly', minutes: [5, 35] }, { kind: 'all' }],
  ['*/15 8-17 * * *', { kind: 'every', count: 15, unit: 'm', between: ['08:00', '17:45'] }, { kind: 'all' }],
  ['30 9-17/2 * * *', { kind: 'every', count: 2, unit: 'h', between: ['09:30', '17:30'] }, { kind: 'all' }],
  ['0 22-5 * * *', { kind: 'every', count: 1, unit: 'h', between: ['22:00', '05:00'] }, { kind: 'all' }],
])('%s can be said', (cron, time, days) => {
  expect(cronSaid(cron)).toEqual({ time, days });
});

it.each([
  ['*/7 * * * *', 'the last step of an hour is shorter'],
  ['0 6 13 * FRI', 'a day of either kind counts'],
  ['0 6 * 1 *', 'each day of some months'],
  ['0 0 6 * * ? 2030', 'a year'],
  ['0 0 6 15W * ?', 'the nearest weekday'],
  ['*/5 0-3,9 * * *', 'hours with a gap'],
  ['0 22-5 * * MON', 'over midnight, but not into Tuesday'],
  ['1,2,3,5,8,13,21 * * * *', 'too many to list'],
  ['0 25 * * *', 'not a cron'],
  ['', 'nothing'],
])('%s cannot: %s', (cron) => {
  expect(cronSaid(cron)).toBe(null);
});

it('runs are told by their ends', () => {
  expect(runsOf([1, 2, 3, 5, 7, 8])).toEqual([
    [1, 3],
    [5, 5],
    [7, 8],
  ]);
  expect(runsOf([])).toEqual([]);
});

/** The moments of a day that someone who reads what is said would expect, in ms from midnight. */
function momentsOf(time: TimeSaid): number[] {
  const clock = (said: string) => {
    const [h, m, s = 0] = said.split(':').map(Number);
    return h * HOUR + m * MINUTE + s * SECOND;
  };
  if (time.kind === 'times') return time.times.map(clock);
  if (time.kind === 'hourly')
    return Array.from({ length: 24 }, (_, h) => time.minutes.map((m) => h * HOUR + m * MINUTE)).flat();
  const size = { s: SECOND, m: MINUTE, h: HOUR }[time.unit] * time.count;
  const [first, last] = time.between?.map(clock) ?? [0, DAY - 1];
  const end = last < first ? last + DAY : last;
  const found: number[] = [];
  for (let at = first; at <= end; at += size) found.push(at % DAY);
  return found.sort((one, other) => one - other);
}

/** Whether a reader would expect the day. */
function isMeant(days: DaysSaid, midnight: number): boolean {
  const { year, month, day, weekday } = dateOf(midnight);
  if (days.kind === 'all') return true;
  if (days.kind === 'week') return days.weekdays.includes(weekday);
  if (days.months !== null && !days.months.includes(month)) return false;
  if (days.kind === 'month') return days.days.includes(day);
  const last = daysInMonth(year, month);
  if (days.kind === 'last') return day === last;
  if (weekday !== days.weekday) return false;
  return days.nth === 0 ? day + 7 > last : Math.ceil(day / 7) === days.nth;
}

function dateOf(midnight: number) {
  const date = new Date(midnight);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    weekday: date.getUTCDay(),
  };
}

function expected({ time, days }: CronSaid, from: number, to: number, most: number): number[] {
  const moments = momentsOf(time);
  const found: number[] = [];
  for (let midnight = from; midnight < to && found.length < most; midnight += DAY)
    if (isMeant(days, midnight)) found.push(...moments.map((moment) => midnight + moment));
  return found.slice(0, most);
}

const number = (min: number, max: number) => fc.integer({ min, max }).map(String);
const item = (min: number, max: number) =>
  fc.oneof(
    number(min, max),
    fc.tuple(number(min, max), number(min, max)).map(([from, to]) => `${from}-${to}`),
    fc.tuple(number(min, max), number(1, 6)).map(([from, by]) => `${from}/${by}`),
    number(1, 6).map((by) => `*/${by}`),
    fc.tuple(number(min, max), number(min, max), number(1, 6)).map(([from, to, by]) => `${from}-${to}/${by}`),
  );
const field = (min: number, max: number) =>
  fc.oneof(
    fc.constant('*'),
    fc.constant(String(min)),
    fc.array(item(min, max), { minLength: 1, maxLength: 3 }).map((items) => items.join(',')),
  );
const month = fc.oneof({ weight: 5, arbitrary: fc.constant('*') }, { weight: 1, arbitrary: field(1, 12) });
const unix = fc
  .tuple(field(0, 59), field(0, 23), field(1, 31), month, field(0, 7))
  .map((fields) => fields.join(' '));
const daysOfQuartz = fc.oneof(
  fc.constantFrom('* ?', 'L ?', 'LW ?', '? L', '? MON-FRI', '? 6L', '? TUE#5', '? sun,wed', '15W ?', 'L-2 ?'),
  field(1, 31).map((days) => `${days} ?`),
  field(1, 7).map((days) => `? ${days}`),
);
const quartz = fc
  .tuple(field(0, 59), field(0, 59), field(0, 23), daysOfQuartz, month)
  .map(([s, m, h, days, months]) => `${s} ${m} ${h} ${days.replace(' ', ` ${months} `)}`);

it('what is said is when the server fires, the next twenty times', () => {
  const start = Date.UTC(2027, 10, 29);
  const end = start + 3 * 366 * DAY;
  let said = 0;
  fc.assert(
    fc.property(fc.oneof(unix, quartz), (text) => {
      const says = cronSaid(text);
      if (!says) return;
      said++;
      const cron = parseCron(text);
      const ticks: number[] = [];
      for (let tick: number | undefined = start - 1; ticks.length < 20; ticks.push(tick)) {
        tick = cronNext(cron, tick, zone('UTC'));
        if (tick === undefined || tick >= end) break;
      }
      expect(expected(says, start, end, 20)).toEqual(ticks);
    }),
    { numRuns: 1_500 },
  );
  expect(said).toBeGreaterThan(150);
});
