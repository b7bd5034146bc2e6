import { describe, expect, it } from 'vitest';
import { claimantOf, ownershipDefaults } from './ownership.ts';
import { ownershipSchema } from './schema.ts';

describe('the settings of ownership', () => {
  it('fill in what is left out', () => {
    expect(ownershipSchema.parse({ mode: 'claim' })).toEqual({ ...ownershipDefaults, mode: 'claim' });
    expect(ownershipDefaults).toMatchObject({ mode: 'scope', tolerance: 1, sweepEvery: 30_000 });
  });

  it.each([
    [{ mode: 'both' }],
    [{ tolerance: 0 }],
    [{ tolerance: 1.5 }],
    [{ alarmAbove: -1 }],
    [{ sweepEvery: 10 }],
    [{ masters: { a: { weight: 0 } } }],
    [{ masters: { a: { tolerance: 0 } } }],
    [{ masters: { a: { other: 1 } } }],
    [{ other: 1 }],
  ])('refuse %j', (given) => {
    expect(ownershipSchema.safeParse(given).success).toBe(false);
  });

  it('let a master differ from the others', () => {
    const settings = ownershipSchema.parse({ tolerance: 2, masters: { big: { alarmAbove: 50, weight: 4 } } });
    expect(claimantOf(settings, 'big')).toEqual({ tolerance: 2, alarmAbove: 50, weight: 4 });
    expect(claimantOf(settings, 'constructor')).toEqual({ tolerance: 2, alarmAbove: 10_000, weight: 1 });
  });
});

it('has the defaults of its schema', () => {
  expect(ownershipSchema.parse({})).toEqual(ownershipDefaults);
});
