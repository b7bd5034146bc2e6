import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { pruneLogs, removedUntil } from './retention.ts';

/** A folder of logs, and what makes one of a run whose last line is of a time in seconds. */
function someLogs() {
  const logs = temporaryFolder();
  const make = (run: string, time: number) => {
    mkdirSync(join(logs, run), { recursive: true });
    writeFileSync(join(logs, run, '0.1.log'), 'x');
    utimesSync(join(logs, run, '0.1.log'), time, time);
    utimesSync(join(logs, run), 1, 1);
  };
  return { logs, make };
}

it('removes the logs of runs that are older than asked, and the folders that are empty then', async () => {
  const { logs, make } = someLogs();
  const keep = { now: 1_000_000, age: 500_000, most: 10 };
  make('old/1', 100);
  make('mixed/2', 100);
  make('mixed/3', 900);
  expect(await pruneLogs(logs, keep)).toBe(2);
  expect(existsSync(join(logs, 'old'))).toBe(false);
  expect(existsSync(join(logs, 'mixed/2'))).toBe(false);
  expect(existsSync(join(logs, 'mixed/3/0.1.log'))).toBe(true);
  expect(await pruneLogs(join(logs, 'none'), keep)).toBe(0);
  expect(await removedUntil(logs)).toBe(0);
});

it('removes the oldest where there are too many, but none that may still be written', async () => {
  const { logs, make } = someLogs();
  const hour = 3_600;
  for (const [run, time] of [
    ['a/1', 3 * hour],
    ['b/2', 1 * hour],
    ['b/3', 2 * hour],
    ['c/4', 9.5 * hour],
    ['c/5', 9.6 * hour],
  ] as const)
    make(run, time);
  const keep = { now: 10 * hour * 1_000, age: 100 * hour * 1_000 };
  expect(await pruneLogs(logs, { ...keep, most: 3 })).toBe(2);
  expect(existsSync(join(logs, 'b'))).toBe(false);
  expect(existsSync(join(logs, 'a/1/0.1.log'))).toBe(true);
  expect(await pruneLogs(logs, { ...keep, most: 1 })).toBe(1);
  expect(await removedUntil(logs)).toBe(3 * hour * 1_000);
  expect(await pruneLogs(logs, { ...keep, most: 1 })).toBe(0);
  expect(await removedUntil(logs)).toBe(3 * hour * 1_000);
  for (const run of ['c/4', 'c/5']) expect(existsSync(join(logs, run))).toBe(true);
});
