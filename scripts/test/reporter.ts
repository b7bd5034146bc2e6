/** A Vitest reporter that appends each result to a file as it comes. */
import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, TestCase, TestModule } from 'vitest/node';
import type { ReportLine } from './report.ts';

export class LineReporter implements Reporter {
  private readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  onTestRunStart(specifications: readonly { readonly moduleId: string }[]): void {
    this.write({ type: 'start', files: specifications.map(({ moduleId }) => inProject(moduleId)) });
  }

  onTestCaseResult(test: TestCase): void {
    const { state } = test.result();
    this.write({
      type: 'test',
      file: inProject(test.module.moduleId),
      name: test.fullName,
      state: state === 'passed' || state === 'skipped' ? state : 'failed',
    });
  }

  onTestModuleEnd(module: TestModule): void {
    const suites = [...module.children.allSuites()].flatMap((suite) => suite.errors());
    const errors = [...module.errors(), ...suites].map(({ message }) => message);
    // Nothing else reports a file without a single test as wrong.
    if (module.state() === 'failed' && errors.length === 0 && module.ok()) errors.push('failed');
    this.write({ type: 'file', file: inProject(module.moduleId), errors });
  }

  onTestRunEnd(_: readonly TestModule[], errors: readonly { readonly message: string }[]): void {
    this.write({ type: 'end', errors: errors.map(({ message }) => message) });
  }

  private write(line: ReportLine): void {
    appendFileSync(this.path, `${JSON.stringify(line)}\n`);
  }
}

function inProject(path: string): string {
  return relative(process.cwd(), path).replaceAll('\\', '/');
}
