import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { choose, cutMiddle, extend, goTo, nowhere, step, toggle } from './list.ts';

const ids = ['a', 'b', 'c', 'd', 'e'];

describe('walking', () => {
  it('begins at an end and stops at the ends', () => {
    expect(step(nowhere, ids, 1).current).toBe('a');
    expect(step(nowhere, ids, -1).current).toBe('e');
    expect(step(goTo(nowhere, 'e'), ids, 1).current).toBe('e');
    expect(step(goTo(nowhere, 'b'), ids, 10).current).toBe('e');
    expect(step(nowhere, [], 1)).toBe(nowhere);
  });

  it('goes on from the start when its row is gone', () => {
    expect(step(goTo(nowhere, 'gone'), ids, 1).current).toBe('a');
  });

  it('keeps its identity when nothing changes', () => {
    const place = goTo(nowhere, 'e');
    expect(step(place, ids, 1)).toBe(place);
  });
});

describe('choosing', () => {
  it('is one row, a range from it, all, or none', () => {
    const one = toggle(nowhere, 'b');
    expect([...one.chosen]).toEqual(['b']);
    expect([...extend(one, ids, 'd').chosen]).toEqual(['b', 'c', 'd']);
    expect([...extend(one, ids, 'a').chosen].sort()).toEqual(['a', 'b']);
    expect([...extend(nowhere, ids, 'c').chosen]).toEqual(['c']);
    expect(choose(one, ids).chosen.size).toBe(5);
    expect(toggle(one, 'b').chosen.size).toBe(0);
  });
});

it('a cut name keeps its beginning and its end, and never grows', () => {
  expect(cutMiddle('daily-orders-eu-west', 9)).toBe('dail…west');
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 3, max: 40 }), (name, most) => {
      const cut = cutMiddle(name, most);
      expect(Array.from(cut).length).toBeLessThanOrEqual(Math.max(most, 3));
      if (Array.from(name).length <= most) expect(cut).toBe(name);
    }),
  );
});
