/** Test results: one JSON line per event while Vitest runs, so that an aborted run can still be counted. */

/** One test and how it ended. */
export interface TestResult {
  /** Its file, relative to the root of the project. */
  readonly file: string;
  /** Its name with those of the suites around it. */
  readonly name: string;
  readonly state: 'passed' | 'failed' | 'skipped';
}

/** The lines of the reporter. `file` means that all tests of a file are over; `end` that all files are. */
export type ReportLine =
  | { readonly type: 'start'; readonly files: readonly string[] }
  | ({ readonly type: 'test' } & TestResult)
  | { readonly type: 'file'; readonly file: string; readonly errors: readonly string[] }
  | { readonly type: 'end'; readonly errors: readonly string[] };

/** The results of a run. */
export interface Results {
  readonly tests: readonly TestResult[];
  /** What went wrong outside of any test: files that did not load, hooks, uncaught errors, a run that was cut off. */
  readonly faults: readonly string[];
}

/** Reads the lines of a run; files that never ended are faults. */
export function readReport(text: string): Results {
  const lines: ReportLine[] = text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  const tests: TestResult[] = [];
  const faults: string[] = [];
  const open = new Set<string>();
  let ended = false;
  for (const line of lines) {
    if (line.type === 'start') for (const file of line.files) open.add(file);
    else if (line.type === 'test') tests.push({ file: line.file, name: line.name, state: line.state });
    else if (line.type === 'file') {
      open.delete(line.file);
      for (const error of line.errors) faults.push(`${line.file}: ${error}`);
    } else {
      ended = true;
      faults.push(...line.errors);
    }
  }
  for (const file of open) faults.push(`${file}: did not finish`);
  if (!ended && open.size === 0) faults.push('Vitest did not finish');
  return { tests, faults };
}

/** A skipped test counts as failed, and so does every fault. */
export function count({ tests, faults }: Results): { passed: number; failed: number } {
  const passed = tests.filter(({ state }) => state === 'passed').length;
  return { passed, failed: tests.length - passed + faults.length };
}

/** The name under which a test is listed. */
export function fullName({ file, name }: TestResult): string {
  return `${file} > ${name}`;
}

/** One line of the table of a full run. */
export interface PartResult {
  readonly name: string;
  readonly passed: number;
  readonly failed: number;
  readonly seconds: number;
}
