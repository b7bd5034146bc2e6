/** Every benchmark still runs: each is started at its smallest size and leaves no file behind. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { killGroup } from '@orrery/testkit/kill-group';
import { expect, it, onTestFinished } from 'vitest';

const here = import.meta.dirname;
const names = globSync('*/*.bench.ts', { cwd: here }).map(
  (file) => `${dirname(file)}/${basename(file, '.bench.ts')}`,
);

it.each(names)('%s runs at its smallest size', async (name) => {
  const folder = mkdtempSync(join(tmpdir(), 'orrery-benches-'));
  const bench = spawn(process.execPath, ['--expose-gc', join(here, 'run.ts'), '--smallest', name], {
    env: { ...process.env, TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  onTestFinished(() => {
    killGroup(bench);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  });
  const [out, err, [code]] = await Promise.all([
    text(bench.stdout),
    text(bench.stderr),
    once(bench, 'close'),
  ]);
  expect(code, err).toBe(0);
  expect(out).toMatch(/^machine: .+\nversions: node .+\n/);
  const figure = / {2,}[\d,.]+ \S+/;
  expect(out.split(`\n${name}: `)[1]).toMatch(figure);
  expect(readdirSync(folder)).toEqual([]);
});
