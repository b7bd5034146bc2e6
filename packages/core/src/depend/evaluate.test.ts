import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { english, said } from '../texts/index.ts';
import { DAY, HOUR, MINUTE, zone } from '../time/zone.ts';
import { combine, type DependencyItem, type DependencyState, type RoundFact } from './condition.ts';
import { evaluateDependency, evaluateItem, itemIntervals } from './evaluate.ts';

const today = Date.parse('2026-11-15T00:00:00Z');
const yesterday = today - DAY;
const time = { businessTime: today, zone: zone('UTC'), now: today + 2 * HOUR, since: today + HOUR };

function item(more: Partial<DependencyItem> = {}): DependencyItem {
  return {
    project: 'etl',
    workflow: 'daily',
    watch: 'workflow',
    window: 'last1Days',
    onFailure: 'fail',
    ...more,
  };
}

function fact(more: Partial<RoundFact> = {}): RoundFact {
  return {
    project: 'etl',
    workflow: 'daily',
    businessTime: yesterday,
    state: 'success',
    tasks: {},
    endedAt: yesterday + HOUR,
    ...more,
  };
}

function evaluate(one: DependencyItem, facts: readonly RoundFact[], at = time) {
  const result = evaluateItem(one, itemIntervals(one, at), facts, at);
  return { ...result, reason: english(result.reason) };
}

describe('one item', () => {
  it('waits, with the reason, while there is no run or none that has finished', () => {
    expect(evaluate(item(), [])).toMatchObject({
      state: 'waiting',
      reason: 'waits for etl/daily of 2026-11-14 00:00: no run yet',
    });
    expect(evaluate(item(), [fact({ state: 'running', endedAt: undefined })])).toMatchObject({
      state: 'waiting',
      reason: 'waits for etl/daily of 2026-11-14 00:00: not finished',
    });
  });

  it('follows the latest business time inside the stretch', () => {
    const hourly = [
      fact({ businessTime: yesterday, state: 'failed' }),
      fact({ businessTime: yesterday + 5 * HOUR, state: 'success' }),
      fact({ businessTime: today, state: 'failed' }),
      fact({ businessTime: yesterday - 1, state: 'failed' }),
    ];
    expect(evaluate(item(), hourly).state).toBe('success');
    expect(evaluate(item(), [...hourly, fact({ businessTime: today - 1, state: 'stopped' })])).toMatchObject({
      state: 'failed',
      reason: 'etl/daily of 2026-11-14 23:59:59: was stopped',
    });
  });

  it('follows the latest round of a business time, in whatever order the facts come', () => {
    const failed = fact({ state: 'failed', endedAt: yesterday + HOUR });
    const repaired = fact({ state: 'success', endedAt: yesterday + 2 * HOUR });
    const again = fact({ state: 'running', endedAt: undefined });
    expect(evaluate(item(), [repaired, failed]).state).toBe('success');
    expect(evaluate(item(), [again, repaired, failed]).state).toBe('waiting');
  });

  it('needs every stretch of its window', () => {
    const facts = [1, 2, 4, 5, 6].map((days) => fact({ businessTime: today - days * DAY }));
    const week = item({ window: 'last7Days' });
    expect(evaluate(week, facts)).toMatchObject({
      state: 'waiting',
      reason: 'waits for etl/daily of 2026-11-08 00:00: no run yet (and 1 more)',
    });
    expect(
      evaluate(week, [...facts, fact({ businessTime: today - 3 * DAY, state: 'failed' })]),
    ).toMatchObject({
      state: 'failed',
      reason: 'etl/daily of 2026-11-12 00:00: failed',
    });
    expect(evaluate(week, facts).intervals.map(({ state }) => state)).toEqual([
      'waiting',
      'success',
      'success',
      'success',
      'waiting',
      'success',
      'success',
    ]);
  });

  it('ignores other workflows and projects', () => {
    const others = [fact({ workflow: 'weekly' }), fact({ project: 'bi' })];
    expect(evaluate(item(), others).state).toBe('waiting');
  });
});

describe('tasks', () => {
  const x = item({ watch: { task: 'x' } });
  const all = item({ watch: 'all' });

  it('a task that was passed over in a successful run does not fail "all"', () => {
    const run = fact({ tasks: { a: 'success', forbidden: 'skipped' } });
    expect(evaluate(all, [run]).state).toBe('success');
    expect(evaluate(item({ watch: { task: 'forbidden' } }), [run])).toMatchObject({
      state: 'success',
      reason: 'task forbidden of etl/daily of 2026-11-14 00:00: skipped, its run succeeded',
    });
  });

  it('"all" is stricter than the run: a failure that the run dealt with counts', () => {
    const run = fact({ tasks: { a: 'failed', handler: 'success' } });
    expect(evaluate(item(), [run]).state).toBe('success');
    expect(evaluate(all, [run])).toMatchObject({
      state: 'failed',
      reason: 'every task of etl/daily of 2026-11-14 00:00: task a failed',
    });
    expect(evaluate(all, [fact({ state: 'failed' })]).state).toBe('failed');
    expect(evaluate(all, [fact({ state: 'running', endedAt: undefined })]).state).toBe('waiting');
  });

  it('a task keeps its success when only another one is run again', () => {
    const first = fact({ tasks: { x: 'success', y: 'failed' }, state: 'failed' });
    for (const state of ['success', 'failed', 'running'] as const) {
      const again = fact({ tasks: { y: state }, state, endedAt: yesterday + 7 * HOUR });
      expect(evaluate(x, [again, first]).state).toBe('success');
    }
    expect(
      evaluate(all, [first, fact({ tasks: { y: 'success' }, endedAt: yesterday + 7 * HOUR })]).state,
    ).toBe('success');
  });

  it('a task may succeed before its run ends, and waits while it runs', () => {
    const running = fact({ state: 'running', endedAt: undefined, tasks: { x: 'success', y: 'running' } });
    expect(evaluate(x, [running]).state).toBe('success');
    expect(evaluate(item({ watch: { task: 'y' } }), [running])).toMatchObject({
      state: 'waiting',
      reason: 'waits for task y of etl/daily of 2026-11-14 00:00: not finished',
    });
    expect(evaluate(item({ watch: { task: 'z' } }), [running]).state).toBe('waiting');
  });

  it('a task that the run does not have fails, instead of waiting for ever', () => {
    const gone = item({ watch: { task: 'constructor' } });
    expect(evaluate(gone, [fact({ tasks: { x: 'success' } })])).toMatchObject({
      state: 'failed',
      reason: 'task constructor of etl/daily of 2026-11-14 00:00: the run has no such task',
    });
  });
});

describe('after a failure', () => {
  const patient = item({ onFailure: { wait: 30 * MINUTE } });
  const failed = fact({ state: 'failed', endedAt: yesterday + HOUR });

  it('waits from the later of the failure and its own beginning, then fails', () => {
    expect(evaluate(patient, [failed], { ...time, now: time.since + 29 * MINUTE })).toMatchObject({
      state: 'waiting',
      reason: 'waits for etl/daily of 2026-11-14 00:00: failed, for a rerun until 2026-11-15 01:30',
    });
    expect(evaluate(patient, [failed], { ...time, now: time.since + 30 * MINUTE }).state).toBe('failed');
    const late = fact({ state: 'failed', endedAt: time.since + HOUR });
    expect(evaluate(patient, [late], { ...time, now: time.since + 89 * MINUTE }).state).toBe('waiting');
    expect(evaluate(patient, [late], { ...time, now: time.since + 90 * MINUTE }).state).toBe('failed');
  });

  it('says when to look again', () => {
    const dependency = { relation: 'and', groups: [{ relation: 'and', items: [item(), patient] }] } as const;
    const other = fact({ state: 'running', endedAt: undefined });
    const now = time.since;
    expect(evaluateDependency(dependency, [other], { ...time, now })).not.toHaveProperty('recheckAt');
    const lone = { relation: 'and', groups: [{ relation: 'and', items: [patient] }] } as const;
    expect(evaluateDependency(lone, [failed], { ...time, now })).toMatchObject({
      state: 'waiting',
      recheckAt: time.since + 30 * MINUTE,
    });
    expect(evaluateDependency(dependency, [failed], { ...time, now })).not.toHaveProperty('recheckAt');
  });
});

describe('conditions', () => {
  const states: DependencyState[] = ['success', 'waiting', 'failed'];
  const workflow = { success: 'good', waiting: 'open', failed: 'bad' } as const;
  const facts = [fact({ workflow: 'good' }), fact({ workflow: 'bad', state: 'failed' })];

  it('join items by group and groups by the whole', () => {
    const relation = fc.constantFrom('and' as const, 'or' as const);
    const group = fc.record({
      relation,
      wanted: fc.array(fc.constantFrom(...states), { minLength: 1, maxLength: 4 }),
    });
    fc.assert(
      fc.property(relation, fc.array(group, { minLength: 1, maxLength: 4 }), (outer, groups) => {
        const result = evaluateDependency(
          {
            relation: outer,
            groups: groups.map(({ relation, wanted }) => ({
              relation,
              items: wanted.map((state) => item({ workflow: workflow[state] })),
            })),
          },
          facts,
          time,
        );
        expect(result.items.map(({ state }) => state)).toEqual(groups.flatMap(({ wanted }) => wanted));
        expect(result.state).toBe(
          combine(
            outer,
            groups.map(({ relation, wanted }) => combine(relation, wanted)),
          ),
        );
      }),
    );
  });

  it('AND and OR mirror each other', () => {
    const mirror = { success: 'failed', failed: 'success', waiting: 'waiting' } as const;
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...states)), (list) => {
        expect(
          combine(
            'or',
            list.map((state) => mirror[state]),
          ),
        ).toBe(mirror[combine('and', list)]);
      }),
    );
    expect(combine('and', ['failed', 'waiting'])).toBe('failed');
    expect(combine('and', ['success', 'success'])).toBe('success');
  });

  it('refuse to be empty', () => {
    expect(() => evaluateDependency({ relation: 'and', groups: [] }, [], time)).toThrow('at least one group');
    expect(() =>
      evaluateDependency({ relation: 'and', groups: [{ relation: 'or', items: [] }] }, [], time),
    ).toThrow('every group at least one item');
  });

  it('count versions by the schedule of the other workflow', () => {
    const versions = item({ window: { offset: -1, count: 1 } });
    const cadence = () => ({ before: (at: number) => at - DAY, after: (at: number) => at + DAY });
    const dependency = { relation: 'and', groups: [{ relation: 'and', items: [versions] }] } as const;
    const tick = cadence().before(cadence().before(today + 1));
    expect(evaluateDependency(dependency, [fact({ businessTime: tick })], { ...time, cadence }).state).toBe(
      'success',
    );
    expect(
      evaluateDependency(dependency, [fact({ businessTime: tick + 1 })], { ...time, cadence }).state,
    ).toBe('waiting');
  });
});

describe('a stretch without any due time', () => {
  const window = { ...item(), window: 'last1Days' } as const;
  const dependency = { relation: 'and', groups: [{ relation: 'and', items: [window] }] } as const;
  const without = { ...time, hasDue: () => false };

  it('asks for nothing, and says so', () => {
    expect(evaluateDependency(dependency, [], without)).toMatchObject({
      state: 'success',
      items: [
        {
          reason: said('depend.noDue', {
            workflow: 'etl/daily',
            from: '2026-11-14 00:00',
            to: '2026-11-15 00:00',
          }),
          intervals: [{ noDue: true }],
        },
      ],
    });
  });

  it('is judged by its runs where there are any, and is waited for where there is a due time or no schedule', () => {
    expect(evaluateDependency(dependency, [fact({ state: 'failed' })], without).state).toBe('failed');
    for (const hasDue of [() => true, () => undefined])
      expect(evaluateDependency(dependency, [], { ...time, hasDue }).state).toBe('waiting');
  });
});

describe('an open run', () => {
  it('is named with what it is doing', () => {
    const open = fact({ state: 'running', endedAt: undefined, tasks: {}, open: { run: 7, state: 'paused' } });
    for (const watch of ['workflow', 'all', { task: 'x' }] as const)
      expect(evaluate(item({ watch }), [open])).toMatchObject({
        state: 'waiting',
        reason: expect.stringMatching(/of 2026-11-14 00:00: run 7 is paused$/),
      });
  });
});

describe('self-dependency', () => {
  const tick = yesterday;
  const cadence = () => ({ before: () => tick, after: () => today });
  const own = { ...item(), window: { offset: -1, count: 1 } };
  const dependency = { relation: 'and', groups: [{ relation: 'and', items: [own] }] } as const;
  const state = (first: number | undefined, facts: RoundFact[]) =>
    evaluateDependency(dependency, facts, { ...time, cadence, first: () => first }).state;

  it('is met at once by the very first tick', () => {
    const result = evaluateDependency(dependency, [], { ...time, cadence, first: () => today });
    expect(result).toMatchObject({
      state: 'success',
      items: [{ reason: said('depend.nothing', { workflow: 'etl/daily' }) }],
    });
  });

  it('waits for the previous tick and for no other run', () => {
    expect(state(tick, [])).toBe('waiting');
    expect(state(tick, [fact({ businessTime: tick + 1 })])).toBe('waiting');
    expect(state(tick, [fact({ businessTime: tick })])).toBe('success');
    expect(state(tick, [fact({ businessTime: tick, state: 'failed' })])).toBe('failed');
    expect(state(undefined, [])).toBe('waiting');
  });
});
