import { describe, expect, it } from 'vitest';
import { type FlakyTest, problemsOf, readFlakyTests } from './flaky.ts';

const entry = (until: string): FlakyTest => ({ test: 'a.test.ts > b', reason: 'r', owner: 'o', until });

describe('the list of flaky tests', () => {
  it('allows an entry through its last day and not longer', () => {
    expect(problemsOf([entry('2026-03-01')], '2026-03-01')).toEqual([]);
    expect(problemsOf([entry('2026-03-01')], '2026-03-02')).toEqual([
      'flaky.json: a.test.ts > b was to be mended by 2026-03-01 (o)',
    ]);
  });

  it('refuses a sixth entry, and one without reason, owner or date', () => {
    const day = '2026-03-01';
    expect(problemsOf(Array(5).fill(entry(day)), day)).toEqual([]);
    expect(problemsOf(Array(6).fill(entry(day)), day)).toEqual([
      'flaky.json: 6 tests; at most 5 are allowed',
    ]);
    expect(problemsOf([{ ...entry(day), reason: ' ' }], day)).toHaveLength(1);
    expect(problemsOf([{ ...entry(day), owner: '' }], day)).toHaveLength(1);
    expect(problemsOf([entry('soon')], day)).toHaveLength(1);
  });

  it('is in order as it stands', () => {
    expect(problemsOf(readFlakyTests(), new Date().toISOString().slice(0, 10))).toEqual([]);
  });
});
