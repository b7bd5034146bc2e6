import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shouldClaim } from './decide.ts';
import { claimWarnings, mayDrain } from './drain.ts';
import { type ClaimView, limitOf, type MasterLoad } from './limit.ts';

type Master = { -readonly [K in keyof MasterLoad]: MasterLoad[K] };

function masters(tolerances: readonly number[], held: readonly number[] = []): Master[] {
  return tolerances.map((tolerance, i) => ({
    name: 'ABCDEFGH'[i],
    tolerance,
    alarmAbove: 99,
    held: held[i] ?? 0,
  }));
}

const mixed = [1, 1, 2, 3, 4];

describe('mayDrain', () => {
  it('allows to drain all but the one that may hold everything', () => {
    const view: ClaimView = { schedules: 10, masters: masters(mixed) };
    expect(limitOf(view, 'E')).toBe(11);
    for (const name of 'ABC') {
      expect(mayDrain(view, name).yes).toBe(true);
      const master = view.masters.find((one) => one.name === name) as Master;
      master.offline = true;
    }
    expect(mayDrain(view, 'D')).toEqual({ yes: true, reason: 'the others may hold 11 of 10 schedules' });
  });

  it('refuses when those that stay may not hold all: D alone holds 6 of 10', () => {
    const view: ClaimView = { schedules: 10, masters: masters(mixed) };
    for (const master of view.masters as Master[]) master.offline = 'ABC'.includes(master.name);
    expect(mayDrain(view, 'E')).toEqual({ yes: false, reason: 'the others may hold 6 of 10 schedules' });
  });

  it('drains one at a time when tolerances differ, unless told otherwise', () => {
    const view: ClaimView = { schedules: 10, masters: masters(mixed, [2, 2, 2, 2, 2]) };
    (view.masters[0] as Master).offline = true;
    expect(mayDrain(view, 'B')).toEqual({
      yes: false,
      reason: 'A is still draining and tolerances differ: one at a time',
    });
    expect(mayDrain(view, 'B', { together: true }).yes).toBe(true);
    (view.masters[0] as Master).held = 0;
    expect(mayDrain(view, 'B').yes).toBe(true);
  });

  it('lets equal tolerances drain together as long as the sum holds', () => {
    const view: ClaimView = { schedules: 10, masters: masters([2, 2, 2, 2], [3, 3, 2, 2]) };
    (view.masters[0] as Master).offline = true;
    expect(mayDrain(view, 'B').yes).toBe(true);
    (view.masters[1] as Master).offline = true;
    expect(mayDrain(view, 'C')).toEqual({ yes: false, reason: 'the others may hold 6 of 10 schedules' });
    expect(mayDrain(view, 'A').yes).toBe(true);
  });

  it('refuses the only master while there is work', () => {
    expect(mayDrain({ schedules: 1, masters: masters([1]) }, 'A').yes).toBe(false);
  });

  it('allows a drain if and only if every schedule finds a taker afterwards', () => {
    fc.assert(
      fc.property(
        fc.nat(60),
        fc.array(fc.tuple(fc.integer({ min: 1, max: 5 }), fc.boolean()), { minLength: 2, maxLength: 6 }),
        fc.nat(5),
        (schedules, list, pick) => {
          const view = { schedules, masters: masters(list.map(([tolerance]) => tolerance)) };
          list.forEach(([, offline], i) => {
            view.masters[i].offline = offline;
          });
          const leaving = view.masters[pick % view.masters.length];
          fc.pre(!leaving.offline);
          const { yes } = mayDrain(view, leaving.name);
          leaving.offline = true;
          let free = schedules;
          for (const master of view.masters) {
            while (free > 0 && shouldClaim(view, master.name).yes) {
              master.held++;
              free--;
            }
          }
          expect(free === 0).toBe(yes);
        },
      ),
    );
  });
});

describe('claimWarnings', () => {
  it('warns about fewer than three masters and about too little room', () => {
    expect(claimWarnings({ schedules: 5, masters: masters([1, 1, 1]) })).toEqual([]);
    expect(claimWarnings({ schedules: 5, masters: masters([1, 1]) })).toEqual([
      '2 masters run; with fewer than 3 a failure leaves none to spare',
    ]);
    const view: ClaimView = { schedules: 5, masters: masters([1, 1, 1]) };
    for (const master of view.masters.slice(1) as Master[]) master.offline = true;
    expect(claimWarnings(view)).toEqual(['masters that are online may hold 3 of 5 schedules']);
  });
});
