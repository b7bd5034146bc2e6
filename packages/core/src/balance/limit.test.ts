import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import vectors from '../../fixtures/seed-vectors.json' with { type: 'json' };
import { type ClaimView, claimLimit, limitOf } from './limit.ts';

function view(schedules: number, masters: { tolerance?: number; weight?: number }[]): ClaimView {
  return {
    schedules,
    masters: masters.map((master, i) => ({
      name: `m${i}`,
      tolerance: 1,
      alarmAbove: 100,
      held: 0,
      ...master,
    })),
  };
}

function limits(given: ClaimView): number[] {
  return given.masters.map(({ name }) => limitOf(given, name));
}

describe('claimLimit', () => {
  const { S, n, rows } = vectors.nFault;

  it.each(rows)('for $K schedules and mixed tolerances', ({ K, N }) => {
    expect(n.map((tolerance) => claimLimit(K, S, tolerance))).toEqual(N);
    expect(
      limits(
        view(
          K,
          n.map((tolerance) => ({ tolerance })),
        ),
      ),
    ).toEqual(N);
  });

  it('raises a tolerance below 1, and lets one master hold everything', () => {
    expect(claimLimit(10, 5, 0)).toBe(claimLimit(10, 5, 1));
    expect(claimLimit(9, 1, 1)).toBe(10);
    expect(claimLimit(9, 2, 7)).toBe(10);
    expect(claimLimit(0, 3, 1)).toBe(1);
  });

  it('leaves room for every schedule after n deaths, for all S > n', () => {
    for (let masters = 2; masters <= 12; masters++) {
      for (let tolerance = 1; tolerance < masters; tolerance++) {
        for (let schedules = 0; schedules <= 200; schedules++) {
          const room = (masters - tolerance) * claimLimit(schedules, masters, tolerance);
          if (room < schedules) expect.fail(`S=${masters} n=${tolerance} K=${schedules}: room for ${room}`);
        }
      }
    }
  });

  it('may leave schedules without room after n + 1 deaths that nobody has noticed', () => {
    expect((3 - 2) * claimLimit(3, 3, 1)).toBeLessThan(3);
  });
});

const weight = fc.integer({ min: 1, max: 1_000 });

describe('limitOf', () => {
  it('is the plain limit when all weights are equal', () => {
    fc.assert(
      fc.property(
        fc.nat(500),
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 0, max: 14 }),
        weight,
        (K, S, n, w) => {
          const given = view(K, Array(S).fill({ tolerance: n, weight: w }));
          expect(limits(given)).toEqual(Array(S).fill(claimLimit(K, S, n)));
        },
      ),
    );
  });

  it('gives a heavier master more', () => {
    expect(limits(view(12, [{ weight: 4 }, { weight: 2 }, { weight: 1 }]))).toEqual([17, 9, 5]);
  });

  it('leaves room for every schedule after the death of any n masters', () => {
    fc.assert(
      fc.property(
        fc.nat(500),
        fc.integer({ min: 1, max: 4 }),
        fc.array(weight, { minLength: 1, maxLength: 10 }),
        fc.infiniteStream(fc.nat()),
        (K, n, weights, order) => {
          const given = view(
            K,
            weights.map((one) => ({ weight: one, tolerance: n })),
          );
          const survivors = limits(given)
            .map((limit) => ({ limit, at: order.next().value }))
            .sort((a, b) => a.at - b.at)
            .slice(0, Math.max(weights.length - n, 1));
          expect(survivors.reduce((sum, { limit }) => sum + limit, 0)).toBeGreaterThanOrEqual(K);
        },
      ),
    );
  });

  it('refuses a weight that is no whole number from 1, and an unknown master', () => {
    expect(() => limitOf(view(1, [{ weight: 0 }]), 'm0')).toThrow('node "m0": weight 0');
    expect(() => limitOf(view(1, [{}]), 'x')).toThrow('no master "x"; there are: m0');
  });
});
