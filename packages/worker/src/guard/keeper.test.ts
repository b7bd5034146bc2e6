import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { eventually } from '../testing/eventually.ts';
import { hostClock } from '../testing/host-clock.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { marksOfLife, marksOfWorker } from './guard-mark.ts';
import { Keeper } from './keeper.ts';
import { markOf, processIds, statOf } from './processes.ts';

it('a keeper that dies is started again and goes on with the lease', async () => {
  const groups = temporaryFolder();
  const marks = marksOfLife(marksOfWorker('keeper', groups), '1');
  const warnings: string[] = [];
  const keeper = new Keeper(marks, groups, hostClock, (text) => warnings.push(text));
  const keepers = () =>
    processIds().filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(groups);
      } catch {
        return false;
      }
    });
  keeper.extend(600_000);
  expect(keepers()).toEqual([]);
  keeper.require();
  const only = () => {
    const found = keepers();
    return found.length === 1 && found[0];
  };
  const first = await eventually('it runs', only);
  process.kill(first, 'SIGKILL');
  await eventually('another runs', () => {
    const next = only();
    return next !== false && next !== first;
  });
  expect(warnings).toEqual(['the keeper ended (SIGKILL); starting it again']);
  const env = { PATH: process.env.PATH, ORRERY_GUARD: `${marks}kill/1.0.1/0` };
  const task = spawn('/bin/sleep', ['1000'], { env, detached: true, stdio: 'ignore' });
  await eventually('it sleeps', () => markOf(task.pid!) === env.ORRERY_GUARD);
  keeper.extend(300);
  await eventually('it was ended with the lease', () => statOf(task.pid!)?.zombie !== false);
  keeper.close();
  await eventually('the keeper ends', () => keepers().length === 0);
});
