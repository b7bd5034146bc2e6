import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkLayers } from './layers.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'layers-'));
});
afterEach(() => rmSync(root, { recursive: true }));

function file(path: string, source: string): void {
  const full = join(root, path);
  mkdirSync(dirname(full), { recursive: true });
  writeFileSync(full, source);
}

describe('the layer check', () => {
  it('accepts what the table allows', () => {
    file('packages/core/src/a.ts', "import { z } from 'zod';\nimport { b } from './b.ts';\n");
    file(
      'packages/master/src/a.ts',
      "import { x } from '@orrery/store/ops';\nimport { y } from '@orrery/core/run';\n",
    );
    expect(checkLayers(root)).toEqual([]);
  });

  it('refuses node:fs in core, however it is written', () => {
    file('packages/core/src/a.ts', "import {\n  readFileSync,\n} from 'node:fs';\n");
    file('packages/core/src/b.ts', "export const load = () => import('fs');\n");
    file('packages/core/src/c.ts', "export { readFile } from 'node:fs/promises';\n");
    expect(checkLayers(root)).toEqual([
      'packages/core/src/a.ts:1: core may not import node:fs: no Node built-in',
      'packages/core/src/b.ts:1: core may not import fs: no Node built-in',
      'packages/core/src/c.ts:1: core may not import node:fs/promises: no Node built-in',
    ]);
  });

  it('refuses an import against the layers and a package that is not in the table', () => {
    file('packages/worker/src/a.ts', "import { s } from '@orrery/store/ops';\n");
    file('packages/shed/src/a.ts', 'export const a = 1;\n');
    expect(checkLayers(root)).toEqual([
      'packages/shed/src/a.ts: package shed is not in the table of scripts/layers.ts',
      'packages/worker/src/a.ts:1: worker may not import @orrery/store/ops: not in its layer',
    ]);
  });

  it('refuses a clock, a timer or randomness in a deterministic package, but not in a comment or a test', () => {
    file(
      'packages/master/src/a.ts',
      'const t = Date.now();\n// Date.now() is not used\nconst u = Math.random();\n',
    );
    file('packages/master/src/a.test.ts', 'const t = Date.now();\n');
    file('packages/worker/src/a.ts', 'const t = Date.now();\n');
    expect(checkLayers(root)).toHaveLength(2);
  });

  it('holds for this repository', () => {
    expect(checkLayers(process.cwd())).toEqual([]);
  });
});
