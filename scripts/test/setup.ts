/**
 * Runs around every test file. Gives the file a temporary folder of its own, and fails it for files left there and for
 * processes that outlive it, which are killed. Fixes the seed of property tests.
 */
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect } from 'vitest';
import { commandLine } from '../services/process.ts';
import { carriers, TEMPORARY } from './carriers.ts';

/** The default seed of property tests; ORRERY_TEST_SEED overrides it. */
const SEED = 20_260_101;
/** How long a leftover process may take to end before it is killed. */
const GRACE = 5_000;

const before = process.env[TEMPORARY];
const folder = mkdtempSync(join(tmpdir(), 't-'));
// A server that a test starts may run under another account.
chmodSync(folder, 0o755);
process.env[TEMPORARY] = folder;

// Node and npm would keep compiled code in the temporary folder.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '../../node_modules/.cache/compiled');

const { testPath } = expect.getState();
if (testPath && readFileSync(testPath, 'utf8').includes("'fast-check'")) {
  const { configureGlobal } = await import('fast-check');
  configureGlobal({ seed: Number(process.env.ORRERY_TEST_SEED ?? SEED) });
}

afterAll(async () => {
  const processes = await endProcesses();
  const files = readdirSync(folder);
  rmSync(folder, { recursive: true, force: true });
  if (before === undefined) delete process.env[TEMPORARY];
  else process.env[TEMPORARY] = before;
  const faults = [
    ...(processes.length > 0 ? [`processes outlived their test: ${processes.join('; ')}`] : []),
    ...(files.length > 0 ? [`files left in the temporary folder: ${files.join(', ')}`] : []),
  ];
  if (faults.length > 0) throw new Error(faults.join('\n'));
});

/** Kills the processes left after the grace period. Returns their command lines. */
async function endProcesses(): Promise<string[]> {
  const deadline = Date.now() + GRACE;
  let left = carriers(folder);
  while (left.length > 0 && Date.now() < deadline) {
    await sleep(50);
    left = carriers(folder);
  }
  const lines = left.map(commandLine);
  for (const pid of left) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended meanwhile.
    }
  }
  return lines;
}
