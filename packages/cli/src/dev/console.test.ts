import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startConsole } from './console.ts';

let ui: string;
beforeEach(() => {
  ui = mkdtempSync(join(tmpdir(), 'orrery-console-'));
});
afterEach(() => rmSync(ui, { recursive: true, force: true, maxRetries: 5 }));

const script = (code: string) => writeFileSync(join(ui, 'build.ts'), code);

it('a console that came built is served at once', async () => {
  mkdirSync(join(ui, 'dist'));
  writeFileSync(join(ui, 'dist', 'index.html'), '');
  const console = startConsole(ui);
  expect(console.folder()).toBe(join(ui, 'dist'));
  expect(await console.built).toBeUndefined();
});

it('without one there is none, and nothing is built', async () => {
  const console = startConsole(ui);
  expect([console.folder(), await console.built]).toEqual([undefined, undefined]);
});

it('from sources it is built beside, and there when that is done', async () => {
  script(`import { mkdirSync, writeFileSync } from 'node:fs';
    mkdirSync(import.meta.dirname + '/dist');
    writeFileSync(import.meta.dirname + '/dist/index.html', process.argv[2]);`);
  const console = startConsole(ui);
  expect(console.folder()).toBeUndefined();
  expect(await console.built).toBeUndefined();
  expect(console.folder()).toBe(join(ui, 'dist'));
});

it('a build that fails says why', async () => {
  script(`throw new Error('no such module');`);
  expect(await startConsole(ui).built).toContain('no such module');
});

it('a build that takes too long ends when it is told to', async () => {
  script('setInterval(() => {}, 1000);');
  const console = startConsole(ui);
  console.stop();
  expect(await console.built).toBeUndefined();
});
