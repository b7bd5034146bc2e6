import { describe, expect, it } from 'vitest';
import { type FlakyTest, problemsOf, readFlakyTests, secondTries, withSecondTries } from './flaky.ts';
import type { TestResult } from './report.ts';

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

describe('a second try', () => {
  const result = (name: string, state: TestResult['state']): TestResult => ({
    file: 'a.test.ts',
    name,
    state,
  });
  const first = [result('b', 'failed'), result('c', 'failed'), result('d', 'passed')];

  it('is given to tests on the list alone', () => {
    expect(secondTries(first, [])).toEqual([]);
    expect(secondTries(first, [entry('2026-03-01')])).toEqual([first[0]]);
  });

  it('counts for the tests that got it, and for no other of their file', () => {
    const again = first.map((test): TestResult => ({ ...test, state: 'passed' }));
    const states = (tests: readonly TestResult[]) => tests.map(({ state }) => state);
    expect(states(withSecondTries(first, [first[0]], again))).toEqual(['passed', 'failed', 'passed']);
    expect(states(withSecondTries(first, [first[0]], first))).toEqual(['failed', 'failed', 'passed']);
  });
});
