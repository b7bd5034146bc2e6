import { describe, expect, it } from 'vitest';
import { DAY, HOUR, MINUTE } from './civil.ts';
import { spansBetween } from './zone-spans.ts';

/** A zone that is `before` ahead of UTC, and `after` from instant `at` on. */
const changing = (at: number, before: number, after: number) => (instant: number) =>
  instant < at ? before : after;

describe('spans', () => {
  it('leave out the local times that clocks pass over when they go forward', () => {
    expect(spansBetween(changing(20 * DAY, 0, HOUR), 0, 50 * DAY)).toEqual([
      { from: 0, to: 20 * DAY, offset: 0, localFrom: 0, localTo: 20 * DAY },
      { from: 20 * DAY, to: 50 * DAY, offset: HOUR, localFrom: 20 * DAY + HOUR, localTo: 50 * DAY + HOUR },
    ]);
  });

  it('give the local times that clocks repeat to the later span', () => {
    expect(spansBetween(changing(20 * DAY, HOUR, 0), 0, 50 * DAY)).toEqual([
      { from: 0, to: 20 * DAY, offset: HOUR, localFrom: HOUR, localTo: 20 * DAY },
      { from: 20 * DAY, to: 50 * DAY, offset: 0, localFrom: 20 * DAY, localTo: 50 * DAY },
    ]);
  });

  it('do so across the edge of what was read', () => {
    const change = 50 * DAY + 10 * MINUTE;
    const readOffset = changing(change, HOUR, 0);
    expect(spansBetween(readOffset, 0, 50 * DAY)).toEqual([
      { from: 0, to: 50 * DAY, offset: HOUR, localFrom: HOUR, localTo: change },
    ]);
    expect(spansBetween(readOffset, 50 * DAY, 90 * DAY)).toEqual([
      { from: 50 * DAY, to: change, offset: HOUR, localFrom: change, localTo: change },
      { from: change, to: 90 * DAY, offset: 0, localFrom: change, localTo: 90 * DAY },
    ]);
  });

  it('end where the reading ends, even if the offset changes right there', () => {
    expect(spansBetween(changing(50 * DAY, HOUR, 0), 0, 50 * DAY)).toEqual([
      { from: 0, to: 50 * DAY, offset: HOUR, localFrom: HOUR, localTo: 50 * DAY },
    ]);
  });
});
