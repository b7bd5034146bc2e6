/** The snippets of the documentation compile as they stand, and its links lead somewhere. */
import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..', '..');
const pages = globSync('docs/{sdk,start}/*.md', { cwd: root }).sort();

it('compiles', () => {
  const folder = mkdtempSync(join(tmpdir(), 'orrery-docs-'));
  const files = pages
    .filter((page) => page.startsWith('docs/sdk'))
    .flatMap((page) => {
      const text = readFileSync(join(root, page), 'utf8');
      return [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code], k) => {
        const file = join(folder, `${page.replaceAll('/', '-')}-${k}.mts`);
        writeFileSync(file, code);
        return file;
      });
    });
  expect(files.length).toBeGreaterThan(5);
  const config = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: {
      paths: { 'orrery-scheduler': [join(root, 'packages/cli/src/orrery.ts')] },
      typeRoots: [join(root, 'node_modules/@types')],
    },
    include: [],
    files,
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  let said = '';
  try {
    execFileSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' });
  } catch (error) {
    said = (error as { stdout: string }).stdout;
  }
  rmSync(folder, { recursive: true });
  expect(said).toBe('');
});

it('links to files that exist', () => {
  for (const page of pages) {
    for (const [, link] of readFileSync(join(root, page), 'utf8').matchAll(/\]\((?!https:|#)([^)#]+)/g))
      expect(globSync(join(root, dirname(page), link)), `${page}: ${link}`).toHaveLength(1);
  }
});
