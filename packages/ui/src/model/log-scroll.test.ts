import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lastTop, lineAt, MOST_PIXELS, scrollHeight, topOf } from './log-scroll.ts';

const window = { lineHeight: 18, height: 600 };

describe('the place of a line', () => {
  it('is plain pixels while the log is short enough', () => {
    const scroll = { ...window, lines: 10_000 };
    expect(scrollHeight(scroll)).toBe(180_000);
    expect(topOf(scroll, 100)).toBeCloseTo(1_800);
    expect(lineAt(scroll, 1_800)).toBeCloseTo(100);
  });

  it('is a ratio in a long log, and its last line is reached', () => {
    const scroll = { ...window, lines: 1_000_000 };
    expect(scrollHeight(scroll)).toBe(MOST_PIXELS);
    expect(lineAt(scroll, MOST_PIXELS - window.height)).toBeCloseTo(lastTop(scroll));
    expect(lineAt(scroll, 0)).toBe(0);
  });

  it('is found again from the position it gave', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50_000_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (lines, part) => {
          const scroll = { ...window, lines };
          const line = part * lastTop(scroll);
          expect(Math.abs(lineAt(scroll, topOf(scroll, line)) - line)).toBeLessThan(1e-3);
        },
      ),
    );
  });

  it('of a log that fits is the start', () => {
    expect(lineAt({ ...window, lines: 5 }, 0)).toBe(0);
    expect(topOf({ ...window, lines: 5 }, 4)).toBe(0);
  });
});
