import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { pruneLogs } from './retention.ts';

it('removes the logs of runs that are older than asked, and the folders that are empty then', async () => {
  const logs = temporaryFolder();
  const make = (run: string, time: number) => {
    mkdirSync(join(logs, run), { recursive: true });
    writeFileSync(join(logs, run, '0.1.log'), 'x');
    utimesSync(join(logs, run, '0.1.log'), time, time);
    utimesSync(join(logs, run), 1, 1);
  };
  make('old/1', 100);
  make('mixed/2', 100);
  make('mixed/3', 900);
  expect(await pruneLogs(logs, 500_000)).toBe(2);
  expect(existsSync(join(logs, 'old'))).toBe(false);
  expect(existsSync(join(logs, 'mixed/2'))).toBe(false);
  expect(existsSync(join(logs, 'mixed/3/0.1.log'))).toBe(true);
  expect(await pruneLogs(join(logs, 'none'), 0)).toBe(0);
});
