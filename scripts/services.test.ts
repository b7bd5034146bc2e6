import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postgres } from './services/postgres.ts';
import { readServices } from './services.ts';

const script = join(import.meta.dirname, 'services.ts');
let folder: string;

/** Runs the script as a person would, on a folder of the test's own. */
async function services(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [script, ...args, '--folder', folder]);
  return stdout;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function query(sql: string): Promise<string> {
  const psql = join(postgres.find()!, '..', 'psql');
  const { stdout } = await promisify(execFile)(psql, ['-XAtc', sql, readServices(folder).postgres.url]);
  return stdout.trim();
}

function fourLetters(word: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(readServices(folder).zookeeper.port, '127.0.0.1', () => socket.write(word));
    socket.on('data', (data) => resolve(data.toString()));
    socket.on('error', reject);
  });
}

function connectTo(host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, host, () => resolve(socket.destroy() && undefined));
    socket.on('error', reject);
  });
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'services-'));
  await services('install', 'postgres', 'zookeeper', 'etcd');
  await services('start', '--fast');
}, 480_000);

afterAll(async () => {
  await services('stop');
  rmSync(realpathSync(join(folder, 'postgres', 'data')), { recursive: true });
  rmSync(folder, { recursive: true, force: true });
}, 120_000);

describe('the services script', { timeout: 120_000 }, () => {
  it('starts PostgreSQL, ZooKeeper and etcd so that each answers', async () => {
    expect(await query('select 6 * 7')).toBe('42');
    expect(await fourLetters('ruok')).toBe('imok');
    const health = await fetch(`${readServices(folder).etcd.url}/health`);
    expect(await health.json()).toEqual({ health: 'true' });
  });

  it('listens on 127.0.0.1 alone', async () => {
    for (const { port } of Object.values(readServices(folder))) {
      await expect(connectTo('127.0.0.2', port)).rejects.toThrow();
    }
  });

  it('reuses what runs, also when two start at once', async () => {
    const before = readServices(folder);
    const [first, second] = await Promise.all([services('start'), services('start')]);
    expect(readServices(folder)).toEqual(before);
    expect(first.match(/was running/g)).toHaveLength(3);
    expect(second.match(/was running/g)).toHaveLength(3);
  });

  it('stops exactly the process it recorded and leaves the others', async () => {
    const { postgres, zookeeper, etcd } = readServices(folder);
    expect(await services('stop', 'etcd')).toBe(`etcd: stopped process ${etcd.pid}\n`);
    await expect(fetch(etcd.url)).rejects.toThrow();
    expect(isAlive(postgres.pid)).toBe(true);
    expect(isAlive(zookeeper.pid)).toBe(true);
    expect(Object.keys(readServices(folder))).toEqual(['postgres', 'zookeeper']);
    expect(await services('stop', 'etcd')).toBe('etcd: was not running\n');
    await services('start', 'etcd');
    expect(readServices(folder).etcd.pid).not.toBe(etcd.pid);
  });

  it('keeps data and port over a restart, also after a crash', async () => {
    await query('create table kept as select 7 as value');
    await query('checkpoint');
    const before = readServices(folder).postgres;
    process.kill(before.pid, 'SIGKILL');
    await services('start', 'postgres');
    const after = readServices(folder).postgres;
    expect(after.pid).not.toBe(before.pid);
    expect(after.url).toBe(before.url);
    expect(await query('select value from kept')).toBe('7');
  });

  it('takes a recorded process that is another program now for gone, and does not touch it', async () => {
    const stranger = spawn('sleep', ['600'], { stdio: 'ignore' });
    try {
      const records = readServices(folder);
      const stale = { ...records.etcd, pid: stranger.pid };
      const own = mkdtempSync(join(tmpdir(), 'services-stale-'));
      writeFileSync(join(own, 'services.json'), JSON.stringify({ etcd: stale }));
      expect(readServices(own)).toEqual({});
      await promisify(execFile)(process.execPath, [script, 'stop', 'etcd', '--folder', own]);
      expect(isAlive(stranger.pid!)).toBe(true);
      expect(readdirSync(own)).toContain('services.json');
      rmSync(own, { recursive: true });
    } finally {
      stranger.kill('SIGKILL');
    }
  });

  it('refuses an unknown name with those there are', async () => {
    await expect(services('start', 'oracle')).rejects.toThrow(
      'services: no oracle here; there are: postgres, zookeeper, etcd',
    );
  });
});
