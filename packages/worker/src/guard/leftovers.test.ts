import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { eventually } from '../testing/eventually.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { recordGroup } from './group-record.ts';
import { marksOfLife, marksOfWorker, processMark } from './guard-mark.ts';
import { cleanLeftovers, groupsFolder } from './leftovers.ts';
import { membersOf, statOf } from './processes.ts';

const children: ChildProcess[] = [];
const name = `left-${process.pid}`;

/** A process group without anybody who looks after it. */
async function orphan(guard: string | undefined, script = 'trap "" TERM; while :; do sleep 1; done') {
  const child = spawn('/bin/sh', ['-c', script], {
    detached: true,
    stdio: 'ignore',
    env: { PATH: process.env.PATH, ...(guard === undefined ? {} : { ORRERY_GUARD: guard }) },
  });
  children.push(child);
  const pid = child.pid!;
  // A process that has only just begun shows no environment yet.
  await eventually('it runs', () => readFileSync(`/proc/${pid}/environ`).length > 0);
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
  it('ends what carries a mark of its name and folder, and nothing else', async () => {
    const folder = temporaryFolder();
    const own = await orphan(mark(name, folder));
    const kept = await orphan(mark(name, folder, 'keep'));
    const other = await orphan(mark(`${name}x`, folder));
    // Another cluster may have a worker of that name on this machine.
    const elsewhere = await orphan(mark(name, temporaryFolder()));
    expect(await cleanLeftovers(folder, name)).toBeGreaterThanOrEqual(2);
    const live = [own, kept, other, elsewhere].map(({ lives }) => lives());
    expect(live).toEqual([false, false, true, true]);
    expect(await cleanLeftovers(folder, name)).toBe(0);
  });

  it('ends what has no mark in the group of one that has, although nobody recorded the group', async () => {
    const folder = temporaryFolder();
    const { pid, lives } = await orphan(mark(name, folder), 'env -i sleep 1000 & sleep 1001');
    await eventually('both sleep', () => membersOf(pid).length === 3);
    await cleanLeftovers(folder, name);
    expect([lives(), membersOf(pid)]).toEqual([false, []]);
  });

  it('ends recorded groups that carry no mark, and forgets them', async () => {
    const folder = temporaryFolder();
    const own = await orphan(undefined);
    const other = await orphan(undefined);
    recordGroup(groupsFolder(folder), own.pid, mark(name, folder));
    recordGroup(groupsFolder(folder), other.pid, mark('other', folder));
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
    writeFileSync(record, mark(name, folder));
    await cleanLeftovers(folder, name);
    expect(stranger.lives()).toBe(true);
    expect(existsSync(record)).toBe(false);
  });

  it('ends a recorded group whose leader is gone', async () => {
    const folder = temporaryFolder();
    const started = join(folder, 'started');
    const script = `(trap "" TERM; echo started > ${started}; while :; do sleep 1; done) & sleep 0.3`;
    const leader = spawn('/bin/sh', ['-c', script], {
      detached: true,
      stdio: 'ignore',
      env: { PATH: process.env.PATH },
    });
    children.push(leader);
    recordGroup(groupsFolder(folder), leader.pid!, mark(name, folder));
    await eventually('the leader is gone', () => existsSync(started) && statOf(leader.pid!) === undefined);
    expect(await cleanLeftovers(folder, name)).toBeGreaterThan(0);
    expect(await cleanLeftovers(folder, name)).toBe(0);
  });

  it('of all names ends every worker of the folder, and nothing with another mark', async () => {
    const folder = temporaryFolder();
    const own = await Promise.all([name, `${name}x`].map((worker) => orphan(mark(worker, folder))));
    const others = await Promise.all([
      orphan(mark(name, temporaryFolder())),
      orphan('hello'),
      orphan(`${marksOfWorker(name, folder)}1/kill/1.0.1`),
    ]);
    expect(await cleanLeftovers(folder)).toBeGreaterThanOrEqual(2);
    expect([...own, ...others].map(({ lives }) => lives())).toEqual([false, false, true, true, true]);
    expect(await cleanLeftovers(folder)).toBe(0);
  });

  it('spares a recorded group whose record is not a mark', async () => {
    const folder = temporaryFolder();
    const stranger = await orphan(undefined);
    recordGroup(groupsFolder(folder), stranger.pid, marksOfWorker(name, folder));
    await cleanLeftovers(folder);
    expect(stranger.lives()).toBe(true);
  });

  it.each(['"$0" "$@"', 'env -u ORRERY_GUARD "$0" "$@"', 'env -u ORRERY_GUARD setsid -w "$0" "$@"'])(
    'by a task leaves that task alive: %s',
    async (command) => {
      const folder = temporaryFolder();
      const script = `
        const { cleanLeftovers } = await import('${new URL('./leftovers.ts', import.meta.url)}');
        console.log(await cleanLeftovers(${JSON.stringify(folder)}));
      `;
      const task = spawn(
        '/bin/sh',
        ['-c', `read -r go; ${command}; echo alive`, process.execPath, '--input-type=module', '-e', script],
        { detached: true, env: { PATH: process.env.PATH, ORRERY_GUARD: mark(name, folder) } },
      );
      children.push(task);
      recordGroup(groupsFolder(folder), task.pid!, mark(name, folder));
      task.stdin.end('go\n');
      expect(await text(task.stdout)).toBe('0\nalive\n');
    },
  );
});

/** The mark of a process that a worker of this name and folder started. */
function mark(worker: string, folder: string, onLostContact: 'kill' | 'keep' = 'kill'): string {
  const attempt = { run: 1, task: 0, shard: -1, number: 1 };
  return processMark(marksOfLife(marksOfWorker(worker, folder), '1f'), attempt, onLostContact, 0);
}
