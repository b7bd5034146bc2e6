import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { ServerProcess } from '../dev/server-process.ts';
import { orrery } from '../run-binary.ts';

const folder = mkdtempSync(join(tmpdir(), 'orrery-clean-'));
const strangers: ChildProcess[] = [];
const started: number[] = [];

afterEach(() => {
  for (const child of strangers.splice(0)) child.kill('SIGKILL');
  for (const pid of started.splice(0)) if (lives(pid)) process.kill(pid, 'SIGKILL');
});
afterAll(() => rmSync(folder, { recursive: true }));

describe.runIf(process.platform === 'linux')('worker clean', () => {
  it('says that nothing was left', async () => {
    const { code, out } = await clean('none', '--name', 'nobody-at-all');
    expect([code, out]).toEqual([0, 'nothing was left behind\n']);
  });

  it('ends what workers of its data folder left, and no other process', async () => {
    const others = await Promise.all([
      stranger({ ORRERY_TOKEN: 'secret' }),
      stranger({ ORRERY_TOKEN: 'w@0123456789abcdef/0123456789abcdef/kill/1.0.1/0' }),
      stranger({ ORRERY_GUARD: 'hello' }),
    ]);
    const { task, worker } = await leftover('data');
    expect(await clean('other')).toMatchObject({ code: 0, out: 'nothing was left behind\n' });
    expect(await clean('data', '--name', `${worker}x`)).toMatchObject({ out: 'nothing was left behind\n' });
    expect(lives(task)).toBe(true);
    expect(await clean('data')).toMatchObject({ code: 0, out: 'ended 1 process\n' });
    expect(lives(task)).toBe(false);
    expect(others.map(lives)).toEqual([true, true, true]);
  });
});

const clean = (data: string, ...args: string[]) =>
  orrery(['worker', 'clean', '--data', join(folder, data), ...args]);

/** A process that no worker started. */
async function stranger(environment: Record<string, string>): Promise<number> {
  const child = spawn('/bin/sleep', ['1000'], { env: environment, stdio: 'ignore' });
  strangers.push(child);
  await once(child, 'spawn');
  return child.pid!;
}

/** A daemon of a task whose worker was killed while its keeper stood still; and the name of that worker. */
async function leftover(name: string) {
  const data = join(folder, name);
  const server = await ServerProcess.start(data);
  try {
    const file = join(folder, `${name}.pid`);
    const script = `setsid sh -c 'echo $$ > ${file}; exec sleep 1000' & sleep 1000`;
    const tasks = [{ name: 'leave', type: 'shell', with: { script } }];
    await server.post('/workflows', JSON.stringify({ name, tasks }));
    await server.post('/runs', JSON.stringify({ workflow: name }));
    const task = await seen(() => existsSync(file) && Number(readFileSync(file, 'utf8')));
    const keeper = await seen(() => processes().find((pid) => isKeeper(pid, data)));
    started.push(task, keeper);
    process.kill(keeper, 'SIGSTOP');
    const { workers } = await server.get<{ workers: { id: string }[] }>('/nodes');
    return { task, worker: workers[0].id };
  } finally {
    await server.end('SIGKILL');
  }
}

const seen = <T>(look: () => T) => vi.waitUntil(look, { timeout: 30_000 });

function isKeeper(pid: number, data: string): boolean {
  const command = read(pid, 'cmdline');
  return command.includes('keeper-process') && command.includes(data);
}

const processes = () => readdirSync('/proc').map(Number).filter(Number.isInteger);

const lives = (pid: number) => !/^(|.*\) [ZX] .*)$/s.test(read(pid, 'stat'));

function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return '';
  }
}
