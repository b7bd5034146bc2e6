import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

const registry = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'orrery-proto-'));
afterAll(() => rmSync(folder, { recursive: true }));

const filesOf = (root: string) =>
  Object.fromEntries(
    globSync('**/*.ts', { cwd: root })
      .sort()
      .map((file) => [file, readFileSync(join(root, file), 'utf8')]),
  );

describe('the generated messages', () => {
  it('are those of the .proto file; else "npm run generate -w packages/registry"', () => {
    const bin = join(registry, '..', '..', 'node_modules', '.bin');
    const { status, stderr } = spawnSync(join(bin, 'buf'), ['generate', '--output', folder], {
      cwd: registry,
      encoding: 'utf8',
      env: { ...process.env, PATH: `${bin}:${process.env.PATH}` },
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(filesOf(join(folder, 'src', 'generated'))).toEqual(filesOf(join(registry, 'src', 'generated')));
  });
});
