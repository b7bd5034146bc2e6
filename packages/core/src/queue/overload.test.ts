import { casesOf, wordsOf } from '@orrery/testkit/cases/recorded';
import { describe, expect, it } from 'vitest';
import { type LoadLimits, overload } from './overload.ts';

/** Those that DolphinScheduler has unless told otherwise. */
const theirs: LoadLimits = { cpu: 0.7, memory: 0.7, disk: 0.7, loadPerCore: 2 };

describe('overload', () => {
  interface Input {
    readonly enabled: boolean;
    readonly cpu: number;
    readonly memory: number;
    readonly disk: number;
  }

  it.each(casesOf('overload'))('$id', ({ input, expect: expected }) => {
    const { enabled, ...reading } = wordsOf<Input>(input, ['enabled', 'cpu', 'memory', 'disk']);
    expect(overload(reading, enabled ? theirs : undefined).overloaded).toBe(expected);
  });

  it('is only above a share, and at a count', () => {
    const limits = { cpu: 0.7, loadPerCore: 2, maxRuns: 5, maxTasks: 9 };
    expect(overload({ cpu: 0.7, loadPerCore: 2, runs: 4, tasks: 8 }, limits)).toEqual({
      overloaded: false,
      reasons: [],
    });
    expect(overload({ runs: 5 }, limits).reasons).toEqual(['5 of at most 5 runs']);
    expect(overload({ tasks: 9 }, limits).reasons).toEqual(['9 of at most 9 tasks']);
    expect(overload({ loadPerCore: 2.01 }, limits).reasons).toEqual([
      'load average per core 2.01 is above 2.00',
    ]);
  });

  it('gives every reason', () => {
    expect(overload({ cpu: 0.9, memory: 0.712, disk: 0.99 }, theirs)).toEqual({
      overloaded: true,
      reasons: [
        'processor use 90 % is above 70 %',
        'memory use 71.2 % is above 70 %',
        'disk use 99 % is above 70 %',
      ],
    });
  });

  it('ignores what is not measured or not limited', () => {
    expect(overload({}, { cpu: 0, maxRuns: 0 }).overloaded).toBe(false);
    expect(overload({ cpu: 1, disk: 1, runs: 1_000_000 }, {}).overloaded).toBe(false);
  });
});
