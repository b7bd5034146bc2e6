import { describe, expect, it } from 'vitest';
import { count, type FileResult, failedIn, merge } from './test-report.ts';

const file = (name: string, status: string, tests: Readonly<Record<string, string>> = {}): FileResult => ({
  name,
  status,
  assertionResults: Object.entries(tests).map(([fullName, status]) => ({ fullName, status })),
});

describe('the report of a run', () => {
  it('counts what was left out and what did not load as failed', () => {
    const files = [
      file('a', 'passed', { one: 'passed', two: 'skipped' }),
      file('b', 'failed', { three: 'failed', four: 'passed', five: 'todo' }),
      file('c', 'failed'),
    ];
    expect(count(files)).toEqual({ passed: 2, failed: 4 });
    expect(failedIn(files)).toEqual(['b', 'c']);
  });

  it('takes files that ran again as they were then, and names what failed only before', () => {
    const first = [
      file('a', 'failed', { one: 'failed', two: 'failed', three: 'passed' }),
      file('b', 'passed', { four: 'passed' }),
    ];
    const again = [file('a', 'failed', { one: 'passed', two: 'failed', three: 'passed' })];
    const { files, byChance } = merge(first, again);
    expect(byChance).toEqual(['a one']);
    expect(count(files)).toEqual({ passed: 3, failed: 1 });
  });
});
