/**
 * The first minutes of someone who has a clone of the repository and its README: start it, find out why a run failed,
 * and run it again from the task that failed, by what is on the screen alone.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { killGroup } from '@orrery/testkit/kill-group';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { violations } from './harness/axe.ts';
import { useBrowser } from './harness/browser.ts';
import { picture } from './harness/pictures.ts';

const root = join(import.meta.dirname, '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'orrery-newcomer-'));
const browsing = useBrowser();
let server: ChildProcess | undefined;
let printed = '';

/** What a clone does not have. */
const made = new Set(['.git', 'node_modules', 'dist', 'coverage', '.orrery', '.services', '.vitest']);

/** What a clone has after `npm ci`: the files of the repository, with its own packages among all others. */
function clone(): void {
  cpSync(root, folder, { recursive: true, filter: (from) => !made.has(basename(from)) });
  for (const place of ['', ...readdirSync(join(root, 'packages')).map((name) => join('packages', name))])
    linkModules(join(place, 'node_modules'));
}

function linkModules(place: string): void {
  if (!existsSync(join(root, place))) return;
  mkdirSync(join(folder, place));
  for (const name of readdirSync(join(root, place))) {
    const [from, to] = [join(root, place, name), join(folder, place, name)];
    // Links that lead from one to another within a clone are kept as they are.
    if (['.bin', '@orrery', 'orrery-scheduler'].includes(name))
      cpSync(from, to, { recursive: true, verbatimSymlinks: true });
    else symlinkSync(from, to);
  }
}

/** Runs what the README says, on any free port; resolves with the address it prints and what it says of samples. */
async function start(): Promise<{ url: string; samples: readonly string[] }> {
  const [, command] =
    /```sh\nnpm ci && (npm start)\n/.exec(readFileSync(join(folder, 'README.md'), 'utf8')) ?? [];
  server = spawn(`${command} -- --port 0`, {
    cwd: folder,
    shell: true,
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return new Promise((resolve, reject) => {
    server?.stdout?.on('data', (piece) => {
      printed += piece;
      const ready = /ready at (\S+)/.exec(printed);
      const samples = [...printed.matchAll(/^the sample .* runs: (\S+)/gm)].map(([, address]) => address);
      if (ready && samples.length === 2) resolve({ url: ready[1], samples });
    });
    server?.once('exit', (code) => reject(new Error(`it ended with ${code}: ${printed}`)));
  });
}

let url: string;
let samples: readonly string[];
beforeAll(async () => {
  clone();
  ({ url, samples } = await start());
});
afterAll(() => {
  if (server) killGroup(server);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
});

it('sees why the sample failed and runs it again from there', async () => {
  const page = await browsing.open(url);
  // Opened at once: the page waits by itself until the console is built.
  browsing.expectErrors(page, /503/);
  const need = page.getByRole('listitem').filter({ hasText: 'orders: load failed' });
  await picture(page, 'newcomer-home');
  await need.getByRole('button', { name: 'Open' }).click();

  const heading = page.getByRole('heading', { level: 1, name: /default\/orders/ });
  await heading.getByText('failed').waitFor();
  const details = page.getByRole('complementary', { name: 'Details of load' });
  const log = details.getByRole('region', { name: 'Log' });
  await log.getByText('ERROR connection refused: warehouse:5432 is restarting').waitFor();
  await log.getByText('run it again from this task.').waitFor();
  expect(await log.evaluate((box) => box.scrollWidth <= box.clientWidth)).toBe(true);
  expect(await violations(page)).toEqual([]);
  await picture(page, 'newcomer-failed');

  await details.getByRole('button', { name: 'Run from here' }).click();
  const again = page.getByRole('complementary', { name: 'Run again' });
  await again.getByRole('radio', { name: 'From load on', checked: true }).waitFor();
  await again.getByRole('heading', { name: '2 tasks would run of 4' }).waitFor();
  await again.getByRole('button', { name: 'Run 2 tasks' }).click();

  await heading.getByText('success').waitFor();
  await log.getByText('loaded by attempt 2').waitFor();
  await page.getByRole('button', { name: /^load, shell task, success, attempt 2, .*ran / }).waitFor();
  await picture(page, 'newcomer-recovered');

  await page.getByRole('navigation').getByRole('link', { name: 'Home' }).click();
  await page.getByRole('heading', { level: 1, name: 'Nothing needs you' }).waitFor();
});

it('is led by the terminal to the pages of both runs', async () => {
  for (const [address, workflow] of [
    [samples[0], 'hello'],
    [samples[1], 'orders'],
  ] as const) {
    const page = await browsing.open(address);
    browsing.expectErrors(page, /503/);
    await page.getByRole('heading', { level: 1, name: new RegExp(`default/${workflow}`) }).waitFor();
  }
});
