/**
 * Tests known to fail by chance, in `flaky.json`: the only ones that may pass at the second try. Each entry has a reason,
 * an owner and an end date; there are at most five, and none is past its date.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fullName, type TestResult } from './report.ts';

/** A test that may fail by chance until its date. */
export interface FlakyTest {
  /** Its file and full name, `path > name`, as a failed run prints it. */
  readonly test: string;
  readonly reason: string;
  readonly owner: string;
  /** The last day on which it may, `YYYY-MM-DD`. */
  readonly until: string;
}

/** More than these hide a fault of the product. */
const MOST = 5;

/** The project's list of flaky tests. */
export function readFlakyTests(): FlakyTest[] {
  return JSON.parse(readFileSync(join(import.meta.dirname, 'flaky.json'), 'utf8'));
}

/** The problems of the list on this day; empty if it is in order. */
export function problemsOf(list: readonly FlakyTest[], today: string): string[] {
  const problems = list.flatMap(({ test, reason, owner, until }) => {
    if (![test, reason, owner].every((text) => typeof text === 'string' && text.trim() !== ''))
      return [`flaky.json: ${test || 'an entry'} needs test, reason and owner`];
    if (!/^\d{4}-\d\d-\d\d$/.test(until)) return [`flaky.json: ${test}: until must be a date, YYYY-MM-DD`];
    return until < today ? [`flaky.json: ${test} was to be mended by ${until} (${owner})`] : [];
  });
  if (list.length > MOST) problems.push(`flaky.json: ${list.length} tests; at most ${MOST} are allowed`);
  return problems;
}

/** The failed tests that get a second try: those on the list. */
export function secondTries(tests: readonly TestResult[], list: readonly FlakyTest[]): TestResult[] {
  const names = new Set(list.map(({ test }) => test));
  return tests.filter((test) => test.state === 'failed' && names.has(fullName(test)));
}

/** The results with those of second tries in the place of the first. */
export function withSecondTries(
  tests: readonly TestResult[],
  tried: readonly TestResult[],
  again: readonly TestResult[],
): TestResult[] {
  const passed = new Set(again.filter(({ state }) => state === 'passed').map(fullName));
  return tests.map((test) =>
    tried.includes(test) && passed.has(fullName(test)) ? { ...test, state: 'passed' } : test,
  );
}
