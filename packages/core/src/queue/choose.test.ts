import { casesOf, notUnderstood, wordsOf } from '@orrery/testkit/cases/recorded';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ChoiceMemory, chooseWorker, type WorkerChoice, type WorkerLoad } from './choose.ts';

const names: WorkerChoice[] = ['random', 'round-robin', 'weighted', 'least-loaded'];
const all: WorkerChoice[] = [...names, 'sticky'];
const byUpstreamName: Record<string, WorkerChoice> = {
  RANDOM: 'random',
  ROUND_ROBIN: 'round-robin',
  FIXED_WEIGHTED_ROUND_ROBIN: 'weighted',
  DYNAMIC_WEIGHTED_ROUND_ROBIN: 'least-loaded',
};

function worker(name: string, more: Partial<WorkerLoad> = {}): WorkerLoad {
  return { name, busy: false, slots: 10, used: 0, cpu: 0, memory: 0, ...more };
}

/** Numbers in [0, 1), the same in every run (mulberry32). */
function numbers(seed: number): () => number {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The workers chosen, one after another, by a strategy that remembers. */
function choices(
  strategy: WorkerChoice,
  workers: readonly WorkerLoad[],
  count: number,
): (string | undefined)[] {
  const random = numbers(7);
  let memory: ChoiceMemory = {};
  return Array.from({ length: count }, () => {
    const choice = chooseWorker(strategy, workers, memory, random());
    memory = choice.memory;
    return choice.worker;
  });
}

function counts(chosen: readonly (string | undefined)[]): Record<string, number> {
  const result: Record<string, number> = {};
  for (const name of chosen) result[`${name}`] = (result[`${name}`] ?? 0) + 1;
  return result;
}

/**
 * Workers .1 to .3 are normal and .4 is busy, all in the group `default`, unless a case says otherwise; 10,000 choices.
 */
describe('DolphinScheduler load balance cases', () => {
  interface Input {
    readonly algo: string;
    readonly weights?: number[];
    readonly group?: string;
    /** NORMAL or BUSY, one for each worker. */
    readonly workers?: string[];
    readonly picks?: number;
  }
  interface Expected {
    readonly ratio?: string;
    readonly busyPicked?: number;
    readonly total?: number;
    readonly selected?: string | null;
  }

  it.each(casesOf('load-balance'))('$id', ({ input, expect: expected }) => {
    const {
      algo,
      weights,
      group = 'default',
      workers: states = ['NORMAL', 'NORMAL', 'NORMAL', 'BUSY'],
      picks = 10_000,
    } = wordsOf<Input>(input, ['algo', 'weights', 'group', 'workers', 'picks']);
    const workers = states.map((state, i) => {
      if (state !== 'NORMAL' && state !== 'BUSY') throw notUnderstood(state);
      return worker(`10.0.0.${i + 1}`, { busy: state === 'BUSY', weight: weights?.[i] ?? 1 });
    });
    const wanted = wordsOf<Expected>(expected, ['ratio', 'busyPicked', 'total', 'selected']);
    for (const strategy of algo === 'any' ? names : [byUpstreamName[algo]]) {
      if (!strategy) throw notUnderstood(algo);
      check(choices(strategy, group === 'default' ? workers : [], picks), workers, wanted);
    }
  });

  function check(chosen: readonly (string | undefined)[], workers: readonly WorkerLoad[], wanted: Expected) {
    const result = counts(chosen);
    const picked = chosen.filter((name) => name !== undefined).length;
    if (wanted.selected === null) expect(result).toEqual({ undefined: chosen.length });
    else if (wanted.selected !== undefined) expect(result).toEqual({ [wanted.selected]: chosen.length });
    if (wanted.total !== undefined) expect(picked).toBe(wanted.total);
    if (wanted.busyPicked !== undefined) {
      const busy = workers.filter((one) => one.busy).map(({ name }) => result[name] ?? 0);
      expect(busy.reduce((sum, count) => sum + count, 0)).toBe(wanted.busyPicked);
    }
    if (wanted.ratio === undefined) return;
    const [, about, ratio] = /^(about )?(\d+(?::\d+)*)$/.exec(wanted.ratio) ?? [];
    if (ratio === undefined) throw notUnderstood(wanted.ratio);
    const shares = ratio.split(':').map(Number);
    const whole = shares.reduce((sum, share) => sum + share);
    const open = workers.filter((one) => !one.busy);
    expect(open).toHaveLength(shares.length);
    // An exact ratio is out by less than a choice a worker; one that is only about right by a twentieth.
    open.forEach(({ name }, i) => {
      const off = Math.abs((result[name] ?? 0) - (picked * shares[i]) / whole);
      expect(off).toBeLessThan(about ? picked / 20 : 2);
    });
  }
});

describe.each(all)('%s', (name) => {
  it('never chooses a busy or full worker, and always one when there is one with room', () => {
    const some = fc.record({
      busy: fc.boolean(),
      slots: fc.integer({ min: 0, max: 4 }),
      used: fc.nat(4),
      cpu: fc.double({ min: 0, max: 1, noNaN: true }),
      memory: fc.double({ min: 0, max: 1, noNaN: true }),
      weight: fc.integer({ min: 1, max: 5 }),
    });
    const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.array(some, { maxLength: 6 }), random)), (rounds) => {
        let memory: ChoiceMemory = {};
        for (const [loads, number] of rounds) {
          const workers = loads.map((load, i) => worker(`w${i}`, load));
          const open = workers.filter((one) => !one.busy && one.used < one.slots).map((one) => one.name);
          const choice = chooseWorker(name, workers, memory, number);
          if (open.length === 0) expect(choice.worker).toBeUndefined();
          else expect(open).toContain(choice.worker);
          memory = choice.memory;
        }
      }),
    );
  });
});

describe('round-robin', () => {
  it('goes round by name, also when workers leave and join between choices', () => {
    const three = ['b', 'a', 'c'].map((name) => worker(name));
    expect(choices('round-robin', three, 5)).toEqual(['a', 'b', 'c', 'a', 'b']);
    const memory = { last: 'b' };
    expect(chooseWorker('round-robin', [worker('a'), worker('bb'), worker('c')], memory, 0).worker).toBe(
      'bb',
    );
    expect(chooseWorker('round-robin', [worker('a')], memory, 0).worker).toBe('a');
  });
});

describe('weighted', () => {
  it('spreads the choices of a heavy worker instead of bunching them', () => {
    const workers = [worker('a', { weight: 5 }), worker('b'), worker('c')];
    expect(choices('weighted', workers, 7).join('')).toBe('aabacaa');
  });

  it('forgets workers that are gone', () => {
    const { memory } = chooseWorker('weighted', [worker('a'), worker('b')], {}, 0);
    const next = chooseWorker('weighted', [worker('b')], memory, 0);
    expect([...next.memory.owed!.keys()]).toEqual(['b']);
  });

  it('refuses a weight that is not above 0', () => {
    for (const weight of [0, -1, Number.NaN, Infinity]) {
      expect(() => chooseWorker('weighted', [worker('a', { weight })], {}, 0)).toThrow('worker "a": weight');
    }
  });
});

describe('least-loaded', () => {
  it('prefers an idle worker to a loaded one, whatever the random number', () => {
    const idle = worker('idle');
    const loaded = worker('loaded', { used: 9, cpu: 0.95, memory: 0.9 });
    for (const random of [0, 0.5, 0.999]) {
      expect(chooseWorker('least-loaded', [loaded, idle], {}, random).worker).toBe('idle');
    }
  });

  it('counts processor, memory and slots', () => {
    const base = worker('base', { cpu: 0.5, memory: 0.5, used: 5 });
    for (const less of [{ cpu: 0.4 }, { memory: 0.4 }, { used: 4 }]) {
      const other = { ...base, ...less, name: 'less' };
      expect(chooseWorker('least-loaded', [base, other], {}, 0).worker).toBe('less');
    }
  });

  it('fills equal workers evenly between two heartbeats', () => {
    const random = numbers(3);
    let workers = ['a', 'b', 'c'].map((name) => worker(name));
    for (let i = 0; i < 30; i++) {
      const chosen = chooseWorker('least-loaded', workers, {}, random()).worker;
      workers = workers.map((one) => (one.name === chosen ? { ...one, used: one.used + 1 } : one));
      const used = workers.map((one) => one.used);
      expect(Math.max(...used) - Math.min(...used)).toBeLessThanOrEqual(1);
    }
    expect(chooseWorker('least-loaded', workers, {}, random()).worker).toBeUndefined();
  });
});

describe('sticky', () => {
  const pick = (workers: readonly WorkerLoad[], key: string) =>
    chooseWorker('sticky', workers, {}, 0, key).worker;
  const keys = Array.from({ length: 300 }, (_, run) => `run ${run}`);

  it('chooses the same worker for the same key, and spreads keys over the workers', () => {
    const workers = ['a', 'b', 'c'].map((name) => worker(name));
    for (const key of keys) expect(pick(workers.toReversed(), key)).toBe(pick(workers, key));
    for (const count of Object.values(counts(keys.map((key) => pick(workers, key)))))
      expect(count).toBeGreaterThan(60);
  });

  it('moves only the keys of a worker that is full or gone', () => {
    const workers = ['a', 'b', 'c'].map((name) => worker(name));
    const full = workers.map((one) => (one.name === 'b' ? { ...one, used: 10 } : one));
    for (const key of keys) {
      const before = pick(workers, key);
      if (before === 'b') expect(['a', 'c']).toContain(pick(full, key));
      else expect(pick(full, key)).toBe(before);
    }
  });
});

describe('chooseWorker', () => {
  it('refuses a strategy that does not exist', () => {
    expect(() => chooseWorker('fastest' as WorkerChoice, [], {}, 0)).toThrow(
      'unknown worker choice "fastest"; there are: random, round-robin, weighted, least-loaded, sticky',
    );
  });
});
