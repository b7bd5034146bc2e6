/**
 * The recorded behaviour of DolphinScheduler's dependent tasks, case by case. Where theirs wait until the end of the
 * cycle of a cron (`cron-expire`), ours wait for a window of business time: that of a day.
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

  it.each(casesOf('cron-expire'))(
    '$id: ends with the day, whatever the cycle',
    ({ input, expect: expected }) => {
      const { start, cycle } = wordsOf<{ start: string; cycle: string }>(input, ['start', 'cycle']);
      if (!['DAY', 'WEEK', 'MONTH'].includes(cycle)) throw notUnderstood(cycle);
      expect(windowIntervals('today', at(start), shanghai).map(printed).at(-1)?.[1]).toBe(expected);
    },
  );

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
  // Their last24Hours is another day: see the test of ours above.
  const intervals = casesOf('dep-interval').filter(({ input }) => input.dateValue !== 'last24Hours');
  it.each(intervals)('$id: $input.dateValue at $input.businessTime', ({ input, expect: said }) => {
    const { dateValue, businessTime } = wordsOf<{ dateValue: DateValue; businessTime: string }>(input, [
      ...['dateValue', 'businessTime'],
    ]);
    const expected = wordsOf<Expected>(said, ['intervals', 'first', 'last', 'count']);
    const found = windowIntervals(dateValue, at(businessTime), shanghai).map(printed);
    if (expected.intervals) expect(found).toEqual(expected.intervals);
    if (expected.first) expect(found[0]).toEqual(expected.first);
    if (expected.last) expect(found.at(-1)).toEqual(expected.last);
    if (expected.count) expect(found).toHaveLength(expected.count);
  });
});

describe('relations', () => {
  it.each(casesOf('dep-relation'))(
    '$id: $input.relation of $input.results is $expect',
    ({ input, expect: expected }) => {
      const { relation, results } = wordsOf<{ relation: string; results: string[] }>(input, [
        ...['relation', 'results'],
      ]);
      if (relation !== 'AND' && relation !== 'OR') throw notUnderstood(relation);
      const states = results.map((state) => state.toLowerCase() as DependencyState);
      expect(combine(relation === 'AND' ? 'and' : 'or', states).toUpperCase()).toBe(expected);
    },
  );
});
