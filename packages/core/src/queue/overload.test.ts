import { casesOf, wordsOf } from '@orrery/testkit/cases/recorded';
import { describe, expect, it } from 'vitest';
import { defaultLoadLimits, overload, refusesWork, type WorkRequest } from './overload.ts';

describe('overload', () => {
  interface Input {
    readonly enabled: boolean;
    readonly cpu: number;
    readonly memory: number;
    readonly disk: number;
  }

  it.each(casesOf('overload'))('$id', ({ input, expect: expected }) => {
    const { enabled, ...reading } = wordsOf<Input>(input, ['enabled', 'cpu', 'memory', 'disk']);
    expect(overload(reading, enabled ? defaultLoadLimits : undefined).overloaded).toBe(expected);
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
    expect(overload({ cpu: 0.9, memory: 0.712, disk: 0.99 }, defaultLoadLimits)).toEqual({
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

describe('refusesWork', () => {
  const small: WorkRequest = {
    askedCores: 1,
    askedMemory: 1,
    cores: 10,
    memory: 10,
    cpuUse: 0.5,
    memoryUse: 0.5,
  };

  it('accepts what leaves room', () => {
    expect(refusesWork(small)).toEqual({ refuses: false, reasons: [] });
  });

  it('refuses when asked and used together reach 80 %, of processor or memory', () => {
    expect(refusesWork({ ...small, cpuUse: 0.7 }).reasons).toEqual([
      'cores: 10 % asked and 70 % used reach 80 %',
    ]);
    expect(refusesWork({ ...small, askedMemory: 3 }).reasons).toEqual([
      'memory: 30 % asked and 50 % used reach 80 %',
    ]);
    expect(refusesWork({ ...small, cpuUse: 0.699 }).refuses).toBe(false);
    expect(refusesWork({ ...small, askedCores: 0, cpuUse: 0.8 }).refuses).toBe(true);
  });

  it('takes another fill, and refuses a machine without size', () => {
    expect(refusesWork({ ...small, cpuUse: 0.8, memoryUse: 0.8 }, 0.95).refuses).toBe(false);
    expect(() => refusesWork({ ...small, cores: 0 })).toThrow('a machine with 0 cores');
  });
});
