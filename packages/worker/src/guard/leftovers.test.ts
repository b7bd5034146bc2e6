import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { eventually } from '../testing/eventually.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { recordGroup } from './group-record.ts';
import { cleanLeftovers, groupsFolder } from './leftovers.ts';
import { statOf, tokenOf } from './processes.ts';
import { tokensOfWorker } from './token.ts';

const children: ChildProcess[] = [];
const name = `left-${process.pid}`;

/** A process group without anybody who looks after it. */
async function orphan(token: string | undefined) {
  const child = spawn('/bin/sh', ['-c', 'trap "" TERM; while :; do sleep 1; done'], {
    detached: true,
    stdio: 'ignore',
    env: { PATH: process.env.PATH, ...(token === undefined ? {} : { ORRERY_TOKEN: token }) },
  });
  children.push(child);
  const pid = child.pid!;
  await eventually('it runs', () =>
    token === undefined ? statOf(pid) !== undefined : tokenOf(pid) === token,
  );
  return { pid, lives: () => statOf(pid)?.zombie === false };
}

afterEach(() => {
  for (const { pid } of children.splice(0)) {
    try {
      process.kill(-pid!, 'SIGKILL');
    } catch {}
  }
});

describe('cleaning up after a worker', () => {
  it('ends what carries a token of its name and folder, and nothing else', async () => {
    const folder = temporaryFolder();
    const own = await orphan(`${tokensOfWorker(name, folder)}life1/kill/1.0.1/0`);
    const kept = await orphan(`${tokensOfWorker(name, folder)}life2/keep/1.0.1/0`);
    const other = await orphan(`${tokensOfWorker(`${name}x`, folder)}life1/kill/1.0.1/0`);
    // Another cluster may have a worker of that name on this machine.
    const elsewhere = await orphan(`${tokensOfWorker(name, temporaryFolder())}life1/kill/1.0.1/0`);
    expect(await cleanLeftovers(folder, name)).toBeGreaterThanOrEqual(2);
    const live = [own, kept, other, elsewhere].map(({ lives }) => lives());
    expect(live).toEqual([false, false, true, true]);
    expect(await cleanLeftovers(folder, name)).toBe(0);
  });

  it('ends recorded groups that carry no token, and forgets them', async () => {
    const folder = temporaryFolder();
    const own = await orphan(undefined);
    const other = await orphan(undefined);
    recordGroup(groupsFolder(folder), own.pid, `${tokensOfWorker(name, folder)}life1/kill/2.0.1/0`);
    recordGroup(groupsFolder(folder), other.pid, `${tokensOfWorker('other', folder)}life1/kill/2.0.1/0`);
    await cleanLeftovers(folder, name);
    expect([own.lives(), other.lives()]).toEqual([false, true]);
    expect(readdirSync(groupsFolder(folder))).toHaveLength(1);
    await cleanLeftovers(folder, 'other');
    expect(other.lives()).toBe(false);
    expect(readdirSync(groupsFolder(folder))).toEqual([]);
  });

  it('spares a process that has got the number of a recorded group since', async () => {
    const folder = temporaryFolder();
    const stranger = await orphan(undefined);
    const started = statOf(stranger.pid)!.started;
    const record = join(groupsFolder(folder), `${stranger.pid}.${started - 1}`);
    mkdirSync(groupsFolder(folder));
    writeFileSync(record, `${tokensOfWorker(name, folder)}life1/kill/3.0.1/0`);
    await cleanLeftovers(folder, name);
    expect(stranger.lives()).toBe(true);
    expect(existsSync(record)).toBe(false);
  });

  it('ends a recorded group whose leader is gone', async () => {
    const folder = temporaryFolder();
    const mark = join(folder, 'pid');
    const script = `(trap "" TERM; echo started > ${mark}; while :; do sleep 1; done) & sleep 0.3`;
    const leader = spawn('/bin/sh', ['-c', script], {
      detached: true,
      stdio: 'ignore',
      env: { PATH: process.env.PATH },
    });
    children.push(leader);
    recordGroup(groupsFolder(folder), leader.pid!, `${tokensOfWorker(name, folder)}life1/kill/4.0.1/0`);
    await eventually('the leader is gone', () => existsSync(mark) && statOf(leader.pid!) === undefined);
    expect(await cleanLeftovers(folder, name)).toBeGreaterThan(0);
    expect(await cleanLeftovers(folder, name)).toBe(0);
  });

  it('of all names leaves a task that cleans up itself alive', async () => {
    const folder = temporaryFolder();
    const before = process.env.ORRERY_TOKEN;
    const own = await orphan(`${tokensOfWorker(name, folder)}self/kill/5.0.1/0`);
    process.env.ORRERY_TOKEN = `${tokensOfWorker(name, folder)}self/kill/5.0.1/0`;
    await cleanLeftovers(folder, name);
    expect(own.lives()).toBe(true);
    if (before === undefined) delete process.env.ORRERY_TOKEN;
    else process.env.ORRERY_TOKEN = before;
    await cleanLeftovers(folder, name);
    expect(own.lives()).toBe(false);
  });
});
