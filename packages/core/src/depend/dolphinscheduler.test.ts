/**
 * The recorded behaviour of DolphinScheduler's dependent tasks, case by case. Where theirs wait until the end of the
 * cycle of a cron (`cron-expire`), ours wait for a window of business time: that of a day, or of an hour.
 */
import { casesOf, notUnderstood, wordsOf } from '@orrery/testkit/cases/recorded';
import { describe, expect, it } from 'vitest';
import { fields, instant, SECOND, wall, zone } from '../time/zone.ts';
import { combine, DATE_VALUES, type DateValue, type DependencyState, windowIntervals } from './index.ts';

const shanghai = zone('Asia/Shanghai');

function at(text: string): number {
  return instant(fields(Date.parse(`${text.replace(' ', 'T')}Z`)), shanghai);
}

/** The recorded form of an interval ends with its last second. */
function printed([from, to]: readonly [number, number]): [string, string] {
  return [print(from), print(to - SECOND)];
}

function print(time: number): string {
  const { year, month, day, hour, minute, second } = wall(time, shanghai);
  return new Date(Date.UTC(year, month - 1, day, hour, minute, second))
    .toISOString()
    .slice(0, 19)
    .replace('T', ' ');
}

describe('windows', () => {
  it.each(casesOf('dep-values'))('$id: the names there are', ({ input, expect: expected }) => {
    const { list, of } = wordsOf<{ list: string; of?: string }>(input, ['list', 'of']);
    if (list !== 'dateValue') throw notUnderstood(list);
    const units = { hours: /Hours?$/, days: /^today$|Days$/, weeks: /Week$|last\w+day$/, months: /Month/ };
    if (of !== undefined && !Object.hasOwn(units, of)) throw notUnderstood(of);
    const names = of === undefined ? /./ : units[of as keyof typeof units];
    expect(DATE_VALUES.filter((name) => names.test(name))).toEqual(expected);
  });

  it.each(casesOf('cron-expire'))('$id', ({ input, expect: expected }) => {
    const { start, cycle } = wordsOf<{ start: string; cycle: string }>(input, ['start', 'cycle']);
    const begin = at(start);
    const endOf = (window: DateValue) =>
      windowIntervals(window, begin, shanghai).map(printed).at(-1)?.[1] ?? '';
    if (['DAY', 'WEEK', 'MONTH'].includes(cycle)) expect(endOf('today')).toBe(expected);
    else if (cycle === 'HOUR') {
      // There an hour from the start, but not past the day; here to the end of the hour.
      const day = endOf('today');
      const hour = print(begin + 3_600_000);
      expect(hour < day ? hour : day).toBe(expected);
      expect(endOf('currentHour')).toBe(`${start.slice(0, 13)}:59:59`);
      // Any other cycle has no time to wait there.
    } else if (['MINUTE', 'YEAR'].includes(cycle)) expect(start).toBe(expected);
    else throw notUnderstood(cycle);
  });

  it('last24Hours is a rolling day: the hours before the current one, where theirs begins yesterday at 01:00', () => {
    const found = windowIntervals('last24Hours', at('2019-02-05 07:10:00'), shanghai).map(printed);
    expect([found[0][0], found.at(-1)?.[1], found.length]).toEqual([
      '2019-02-04 07:00:00',
      '2019-02-05 06:59:59',
      24,
    ]);
  });

  interface Expected {
    intervals?: [string, string][];
    first?: [string, string];
    last?: [string, string];
    count?: number;
  }
  it.each(casesOf('dep-interval'))(
    '$id: $input.dateValue at $input.businessTime',
    ({ input, expect: said }) => {
      const { dateValue, businessTime } = wordsOf<{ dateValue: DateValue; businessTime: string }>(input, [
        ...['dateValue', 'businessTime'],
      ]);
      if (!DATE_VALUES.includes(dateValue)) throw notUnderstood(dateValue);
      const expected = wordsOf<Expected>(said, ['intervals', 'first', 'last', 'count']);
      const ours = windowIntervals(dateValue, at(businessTime), shanghai);
      const found = (dateValue === 'last24Hours' ? theirLast24Hours(ours, businessTime) : ours).map(printed);
      if (expected.intervals) expect(found).toEqual(expected.intervals);
      if (expected.first) expect(found[0]).toEqual(expected.first);
      if (expected.last) expect(found.at(-1)).toEqual(expected.last);
      if (expected.count) expect(found).toHaveLength(expected.count);
    },
  );
});

/** Theirs begins yesterday at 01:00, for any hour; ours has as many hours, and ends with the one before. */
function theirLast24Hours(
  ours: readonly (readonly [number, number])[],
  businessTime: string,
): (readonly [number, number])[] {
  const by = at(`${businessTime.slice(0, 10)} 01:00:00`) - at(`${businessTime.slice(0, 13)}:00:00`);
  return ours.map(([from, to]) => [from + by, to + by]);
}

describe('relations', () => {
  it.each(casesOf('dep-relation'))(
    '$id: $input.relation of $input.results is $expect',
    ({ input, expect: expected }) => {
      const { relation, results } = wordsOf<{ relation: string; results: string[] }>(input, [
        ...['relation', 'results'],
      ]);
      if (relation !== 'AND' && relation !== 'OR') throw notUnderstood(relation);
      const states = results.map((state) => {
        if (!['WAITING', 'SUCCESS', 'FAILED'].includes(state)) throw notUnderstood(state);
        return state.toLowerCase() as DependencyState;
      });
      expect(combine(relation === 'AND' ? 'and' : 'or', states).toUpperCase()).toBe(expected);
    },
  );
});
