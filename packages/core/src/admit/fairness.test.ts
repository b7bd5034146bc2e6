import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fairOrder } from './fairness.ts';

const waiter = (owner: string, seq: number, priority = 2) => ({ owner, seq, priority });
const noShares = { held: new Map<string, number>() };

describe('a fair wait list', () => {
  it('lets a tenant with one run in before the ninth of another', () => {
    const waiters = [...Array.from({ length: 9 }, (_, k) => waiter('big', k)), waiter('small', 100)];
    expect(fairOrder(waiters, noShares, 4).map(({ owner, seq }) => `${owner}${seq}`)).toEqual([
      'big0',
      'small100',
      'big1',
      'big2',
    ]);
  });

  it('counts what each holds already, by weight', () => {
    const waiters = [waiter('a', 1), waiter('b', 2), waiter('a', 3), waiter('b', 4)];
    const shares = {
      held: new Map([
        ['a', 4],
        ['b', 1],
      ]),
      weights: new Map([['a', 4]]),
    };
    expect(fairOrder(waiters, shares, 4).map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
  });

  it('keeps priority, then sequence, within one owner', () => {
    const waiters = [waiter('a', 3), waiter('a', 9, 0), waiter('a', 1)];
    expect(fairOrder(waiters, noShares, 9).map(({ seq }) => seq)).toEqual([9, 1, 3]);
  });

  it('admits everyone in the end, and while both wait no owner gets two ahead of another', () => {
    const arbitrary = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.nat(4)), { maxLength: 40 });
    fc.assert(
      fc.property(arbitrary, (list) => {
        const waiters = list.map(([owner, priority], seq) => waiter(owner, seq, priority));
        const order = fairOrder(waiters, noShares, waiters.length);
        expect([...order].sort((x, y) => x.seq - y.seq)).toEqual(waiters);
        const left = new Map<string, number>();
        for (const { owner } of waiters) left.set(owner, (left.get(owner) ?? 0) + 1);
        const held = new Map<string, number>();
        for (const { owner } of order) {
          left.set(owner, left.get(owner)! - 1);
          held.set(owner, (held.get(owner) ?? 0) + 1);
          for (const [other, count] of left) {
            if (count > 0) expect(held.get(owner)! - (held.get(other) ?? 0)).toBeLessThanOrEqual(1);
          }
        }
      }),
    );
  });
});
