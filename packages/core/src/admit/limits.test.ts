import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ask, type Limit, limitOfGroup, limitsOfRun } from './limits.ts';

const limits = (...list: [string, number, number][]) =>
  new Map(list.map(([name, slots, held]): [string, Limit] => [name, { name, slots, held }]));

describe('limits', () => {
  it('are granted together or not at all, and the first full one is named', () => {
    const table = limits(['a', 2, 1], ['b', 1, 1], ['c', 1, 1]);
    expect(ask(['a'], table)).toEqual({ granted: true });
    expect(ask(['a', 'b', 'c'], table)).toEqual({ granted: false, limit: 'b', reason: 'b is full (1 of 1)' });
  });

  it('without a bound are always granted', () => {
    expect(ask(['unknown'], limits())).toEqual({ granted: true });
  });

  it('of a child run are its own workflow alone: it stands under the caps of its root', () => {
    const place = { project: 'etl', workflow: 'daily', tenant: 'sales' };
    expect(limitsOfRun({ ...place, child: false })).toEqual([
      'workflow etl/daily',
      'tenant sales',
      'all runs',
    ]);
    expect(limitsOfRun({ ...place, child: true })).toEqual(['workflow etl/daily']);
    expect(limitOfGroup('etl', 'warehouse')).toBe('task group etl/warehouse');
  });

  it('never let more in than they have slots, and never leave anyone waiting for ever', () => {
    const names = ['workflow a', 'workflow b', 'tenant t', 'all runs'];
    fc.assert(
      fc.property(
        fc.array(fc.subarray(names, { minLength: 1 }), { minLength: 1, maxLength: 30 }),
        fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 4, maxLength: 4 }),
        fc.infiniteStream(fc.nat()),
        (needs, slots, choices) => {
          const table = limits(...names.map((name, k): [string, number, number] => [name, slots[k], 0]));
          const hold = (needed: readonly string[], by: number) => {
            for (const name of needed) {
              const limit = table.get(name)!;
              table.set(name, { ...limit, held: limit.held + by });
              expect(table.get(name)!.held).toBeLessThanOrEqual(limit.slots);
            }
          };
          let waiting = [...needs];
          const holding: string[][] = [];
          while (waiting.length > 0 || holding.length > 0) {
            waiting = waiting.filter((needed) => {
              if (!ask(needed, table).granted) return true;
              hold(needed, 1);
              holding.push(needed);
              return false;
            });
            expect(holding.length).toBeGreaterThan(0);
            const [ended] = holding.splice(choices.next().value % holding.length, 1);
            hold(ended, -1);
          }
        },
      ),
    );
  });
});
