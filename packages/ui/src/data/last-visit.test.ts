import { describe, expect, it } from 'vitest';
import { visitAt } from './last-visit.ts';

const HOUR = 3_600_000;

describe('the visit before', () => {
  it('is none at first', () => {
    expect(visitAt(5 * HOUR, null)).toEqual({ seen: 5 * HOUR, before: null });
  });

  it('ended when the console was last looked at, if that is a while ago', () => {
    expect(visitAt(5 * HOUR, { seen: 2 * HOUR, before: HOUR })).toEqual({ seen: 5 * HOUR, before: 2 * HOUR });
  });

  it('stays the same while one goes on looking', () => {
    expect(visitAt(5 * HOUR, { seen: 5 * HOUR - 60_000, before: HOUR })).toEqual({
      seen: 5 * HOUR,
      before: HOUR,
    });
  });
});
