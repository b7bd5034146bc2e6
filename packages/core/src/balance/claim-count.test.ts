import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { claimRoom, shedCount } from './claim-count.ts';
import { shouldShed } from './decide.ts';
import { type ClaimView, limitOf, type MasterLoad } from './limit.ts';

type Master = { -readonly [K in keyof MasterLoad]: MasterLoad[K] };

function viewOf(loads: Partial<Master>[], free = 0): Omit<ClaimView, 'masters'> & { masters: Master[] } {
  const masters = loads.map((load, k) => {
    return { name: `m${k}`, tolerance: 1, alarmAbove: 9, held: 0, ...load };
  });
  return { schedules: masters.reduce((sum, { held }) => sum + held, free), masters };
}

const load = fc.record({
  tolerance: fc.integer({ min: 1, max: 4 }),
  held: fc.nat(60),
  weight: fc.constantFrom(1, 1, 1, 2, 5),
  offline: fc.constantFrom(false, false, false, true),
});

describe('claimRoom', () => {
  it('is the even share first, the limit for what others leave, and nothing when offline', () => {
    const view = viewOf([{}, {}, {}], 100);
    expect(claimRoom(view, 'm0', 'share')).toBe(34);
    expect(claimRoom(view, 'm0', 'limit')).toBe(51);
    view.masters[1].offline = true;
    expect(claimRoom(view, 'm0', 'share')).toBe(50);
    expect(claimRoom(view, 'm1', 'limit')).toBe(0);
  });

  it('gives a heavier master a larger share, and none to one that holds its share', () => {
    const view = viewOf([{ weight: 3 }, { held: 30 }], 70);
    expect(claimRoom(view, 'm0', 'share')).toBe(75);
    expect(claimRoom(view, 'm1', 'share')).toBe(0);
  });

  it('places every schedule when all masters claim their shares', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 8 }),
        fc.nat(300),
        (weights, free) => {
          const view = viewOf(
            weights.map((weight) => ({ weight })),
            free,
          );
          const room = view.masters.reduce((sum, { name }) => sum + claimRoom(view, name, 'share'), 0);
          expect(room).toBeGreaterThanOrEqual(free);
        },
      ),
    );
  });
});

describe('shedCount', () => {
  it('sheds at once what shouldShed gives back one after the other', () => {
    fc.assert(
      fc.property(
        fc.array(load, { minLength: 1, maxLength: 8 }),
        fc.nat(7),
        fc.integer({ min: 1, max: 100 }),
        (loads, pick, most) => {
          const view = viewOf(loads);
          const self = view.masters[pick % view.masters.length];
          const count = shedCount(view, self.name, most);
          let steps = 0;
          while (steps < most && shouldShed(view, self.name).yes) {
            self.held--;
            steps++;
            if (self.offline) continue;
            const takers = view.masters.filter(
              (one) => one !== self && !one.offline && one.held < limitOf(view, one.name),
            );
            takers.sort((a, b) => (a.held + 1) / (a.weight ?? 1) - (b.held + 1) / (b.weight ?? 1));
            takers[0].held++;
          }
          expect(count).toBe(steps);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('sheds nothing between masters that differ by one', () => {
    expect(shedCount(viewOf([{ held: 5, tolerance: 1 }, { held: 4 }, { held: 4 }]), 'm0', 10)).toBe(0);
  });

  it('goes down to the limit in one step', () => {
    const view = viewOf([{ held: 20 }, {}, {}]);
    expect(limitOf(view, 'm0')).toBe(11);
    expect(shedCount(view, 'm0', 1_000)).toBe(9);
    expect(shedCount(view, 'm0', 4)).toBe(4);
  });
});
