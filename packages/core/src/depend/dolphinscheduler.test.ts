/** The recorded behaviour of DolphinScheduler's dependent tasks, case by case. */
import { casesOf, wordsOf } from '@orrery/testkit/cases/recorded';
import { describe, expect, it } from 'vitest';
import { fields, instant, SECOND, wall, zone } from '../time/zone.ts';
import { combine, DATE_VALUES, type DateValue, type DependencyState, windowIntervals } from './index.ts';

interface Case<Input, Expected> {
  readonly id: string;
  readonly input: Input;
  readonly expect: Expected;
}

const cases = <Input, Expected>(suite: string) => casesOf(suite) as unknown as Case<Input, Expected>[];

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
  it('dep-values: knows every name', () => {
    expect(DATE_VALUES).toEqual(cases<unknown, string[]>('dep-values')[0].expect);
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
  // Their last24Hours is another day: see the test of ours above.
  const intervals = cases<{ businessTime: string; dateValue: DateValue }, Expected>('dep-interval').filter(
    ({ input }) => input.dateValue !== 'last24Hours',
  );
  it.each(intervals)('$id: $input.dateValue at $input.businessTime', ({ input, expect: expected }) => {
    wordsOf<Expected>(expected, ['intervals', 'first', 'last', 'count']);
    const found = windowIntervals(input.dateValue, at(input.businessTime), shanghai).map(printed);
    if (expected.intervals) expect(found).toEqual(expected.intervals);
    if (expected.first) expect(found[0]).toEqual(expected.first);
    if (expected.last) expect(found.at(-1)).toEqual(expected.last);
    if (expected.count) expect(found).toHaveLength(expected.count);
  });
});

describe('relations', () => {
  it.each(cases<{ relation: string; results: string[] }, string>('dep-relation'))(
    '$id: $input.relation of $input.results is $expect',
    ({ input, expect: expected }) => {
      const states = input.results.map((state) => state.toLowerCase() as DependencyState);
      expect(combine(input.relation === 'AND' ? 'and' : 'or', states)).toBe(expected.toLowerCase());
    },
  );
});
