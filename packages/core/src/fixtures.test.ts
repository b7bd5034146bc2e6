import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { casesOf, suiteNames } from '@orrery/testkit/cases/recorded';
import { expect, it } from 'vitest';

it('a test runs every suite of DolphinScheduler cases', () => {
  const packages = join(import.meta.dirname, '..', '..');
  const tests = globSync('*/src/**/*.test.ts', { cwd: packages }).filter(
    (path) => !path.endsWith('fixtures.test.ts'),
  );
  const source = tests.map((path) => readFileSync(join(packages, path), 'utf8')).join('\n');
  expect(suiteNames.filter((id) => !source.includes(`'${id}'`))).toEqual([]);
});

it('every suite has three cases of ours beside the recorded ones', () => {
  const ours = (id: string) => casesOf(id).filter((one) => one.id.startsWith('own-'));
  expect(suiteNames.filter((id) => ours(id).length < 3)).toEqual([]);
});
