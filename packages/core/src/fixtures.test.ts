import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import cases from '../fixtures/dolphinscheduler-cases.json' with { type: 'json' };

/** Suites that nothing here could answer, with the reason. */
const differences: Readonly<Record<string, string>> = {
  slots:
    'masters claim commands from one queue in order; there is no table of slots that could be out of date',
};

it('every suite of DolphinScheduler cases is run by a test, or listed as a difference', () => {
  const packages = join(import.meta.dirname, '..', '..');
  const tests = globSync('*/src/**/*.test.ts', { cwd: packages }).filter(
    (path) => !path.endsWith('fixtures.test.ts'),
  );
  const source = tests.map((path) => readFileSync(join(packages, path), 'utf8')).join('\n');
  const untested = cases.suites
    .map(({ id }) => id)
    .filter((id) => !(id in differences) && !new RegExp(`['"\`]${id}(-\\d+)?['"\`]`).test(source));
  expect(untested).toEqual([]);
});
