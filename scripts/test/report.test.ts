import { describe, expect, it } from 'vitest';
import { count, type ReportLine, readReport } from './report.ts';

const text = (...lines: ReportLine[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join('');
const start: ReportLine = { type: 'start', files: ['a', 'b'] };
const test = (file: string, name: string, state: 'passed' | 'failed' | 'skipped'): ReportLine => ({
  type: 'test',
  file,
  name,
  state,
});
const over = (file: string, ...errors: string[]): ReportLine => ({ type: 'file', file, errors });
const end: ReportLine = { type: 'end', errors: [] };

describe('the report of a run', () => {
  it('counts skipped tests and files that did not load as failed', () => {
    const results = readReport(
      text(start, test('a', 'one', 'passed'), test('a', 'two', 'skipped'), over('a'), over('b', 'no'), end),
    );
    expect(results.faults).toEqual(['b: no']);
    expect(count(results)).toEqual({ passed: 1, failed: 2 });
  });

  it('counts what came before a run was cut off, and names the files that were open', () => {
    const results = readReport(
      text(start, test('a', 'one', 'passed'), test('b', 'two', 'passed'), over('a')),
    );
    expect(results.faults).toEqual(['b: did not finish']);
    expect(count(results)).toEqual({ passed: 2, failed: 1 });
  });

  it('says when Vitest ended without a word', () => {
    expect(count(readReport(''))).toEqual({ passed: 0, failed: 1 });
    expect(readReport(text(start, over('a'), over('b'))).faults).toEqual(['Vitest did not finish']);
    expect(readReport(text(start, over('a'), over('b'), end)).faults).toEqual([]);
  });
});
