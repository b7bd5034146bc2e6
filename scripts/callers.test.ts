import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { checkCallers } from './callers.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'orrery-callers-'));
  file(
    'packages/store/src/catalogue.ts',
    'export const writing = {\n  add: x.add,\n  drop,\n};\nexport const reading = {\n  list: x.list,\n};\n',
  );
  file(
    'packages/core/src/time/index.ts',
    "export { next, type Time } from './next.ts';\nexport { last } from './last.ts';\n",
  );
  file('packages/core/src/time/next.ts', 'export const next = 1;\n');
  file('packages/core/src/time/last.ts', 'export const last = 1;\n');
});
afterEach(() => rmSync(root, { recursive: true }));

function file(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

it('names operations and exports that only tests use', () => {
  file(
    'packages/master/src/a.ts',
    "import { next } from '@orrery/core/time';\nstore.add(next);\n// store.drop()\n",
  );
  file('packages/master/src/a.test.ts', 'store.drop(last);\nstore.list();\n');
  expect(checkCallers(root, [])).toEqual([
    'packages/store/src/catalogue.ts: nothing calls drop',
    'packages/store/src/catalogue.ts: nothing calls list',
    'packages/core/src/time/index.ts: nothing calls last',
  ]);
});

it('takes what is listed, and refuses a list that is out of date', () => {
  file('packages/master/src/a.ts', 'store.add(next, last);\nstore.list();\n');
  expect(checkCallers(root, ['drop'])).toEqual([]);
  expect(checkCallers(root, ['drop', 'add', 'gone']).join('\n')).toMatch(
    /add is listed[\s\S]*gone is listed/,
  );
});

it('holds here', () => {
  expect(checkCallers(resolve(import.meta.dirname, '..'))).toEqual([]);
});
