import { DATE_VALUES } from '@orrery/core/depend';
import { casesOf } from '@orrery/testkit/cases/recorded';
import { describe, expect, it } from 'vitest';
import { orrery, previewBatch } from '../run-binary.ts';

type Interval = [from: string, to: string];

interface IntervalCase {
  input: { businessTime: string; dateValue: string };
  expect: { intervals?: Interval[]; first?: Interval; last?: Interval; count?: number };
}

describe('preview dependency', () => {
  const example = [
    'preview',
    'dependency',
    'last2Days',
    '--at',
    '2019-02-05 08:00:00',
    '--tz',
    'Asia/Shanghai',
  ];

  it('answers in JSON with the local times of the zone', async () => {
    const { code, out } = await orrery([...example, '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual({
      intervals: [
        ['2019-02-03 00:00:00', '2019-02-03 23:59:59'],
        ['2019-02-04 00:00:00', '2019-02-04 23:59:59'],
      ],
    });
  });

  it('answers a person with a line for each interval', async () => {
    expect((await orrery(example)).out).toBe(
      '2019-02-03 00:00:00 to 2019-02-03 23:59:59\n2019-02-04 00:00:00 to 2019-02-04 23:59:59\n',
    );
  });

  it('takes every window that a workflow file takes', async () => {
    const lines = [
      { window: 'previous' },
      { window: 'previous', cron: '0 0 6 * * ?' },
      { window: '(-2,2)', cron: '0 0 6 * * ?' },
      { window: '( 0 , 2 )', cron: '0 0 6 * * ?', tz: 'Asia/Shanghai' },
      ...DATE_VALUES.map((window) => ({ window })),
    ].map((line) => ({ at: '2019-02-05 08:00:00', ...line }));
    const [bare, previous, two, ahead, ...named] = (await previewBatch('dependency', lines)) as {
      intervals?: Interval[];
      versions?: number[];
    }[];
    const tick = (time: string) => [time, time];
    expect(bare).toEqual({ intervals: [], versions: [-1] });
    expect(previous).toEqual({ intervals: [tick('2019-02-04 06:00:00')], versions: [-1] });
    expect(two).toEqual({
      intervals: [tick('2019-02-03 06:00:00'), tick('2019-02-04 06:00:00')],
      versions: [-2, -1],
    });
    expect(ahead.intervals).toEqual([tick('2019-02-05 06:00:00'), tick('2019-02-06 06:00:00')]);
    expect(named.filter(({ intervals = [] }) => intervals.length === 0)).toEqual([]);
  });

  it('covers what DolphinScheduler covers', async () => {
    // Their last24Hours is another day than ours.
    const cases = (casesOf('dep-interval') as unknown as IntervalCase[]).filter(
      ({ input }) => input.dateValue !== 'last24Hours',
    );
    const lines = cases.map(({ input }) => ({ window: input.dateValue, at: input.businessTime }));
    const answers = (await previewBatch('dependency', lines)) as { intervals: Interval[] }[];
    cases.forEach(({ expect: expected }, i) => {
      const { intervals } = answers[i];
      const { first = intervals[0], last = intervals.at(-1), count = intervals.length } = expected;
      expect(intervals).toEqual(expected.intervals ?? intervals);
      expect([intervals[0], intervals.at(-1), intervals.length]).toEqual([first, last, count]);
    });
  });

  it.each([
    [['lastYear'], '<window>: there is no window "lastYear"'],
    [['(-2,0)'], 'count 0 of a version range'],
    [['previous', '--cron', '* *'], '--cron: '],
    [[], '<window>: missing'],
    [['today', '--tz', 'Nowhere'], '--tz: unknown time zone "Nowhere"'],
  ])('refuses %j in one line', async (args, message) => {
    const { code, out, err } = await orrery(['preview', 'dependency', ...args]);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/^orrery: .*\n$/);
    expect(err).toContain(message);
  });
});
