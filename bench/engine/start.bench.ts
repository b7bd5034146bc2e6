/** The real `orrery dev`: how soon it is ready, and what it costs while nothing happens. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Row } from '../run.ts';
import { bySize } from '../size.ts';
import { aboutPostgres, askServer, databases, withDatabase, withFolder } from './databases.ts';
import { withEngine } from './engine.ts';
import { median, range } from './figures.ts';

export const title = 'orrery dev: start to ready, and what it costs while nothing happens';
export const about = aboutPostgres;

const STARTS = bySize(5, 1);
const IDLE = bySize(10_000, 100);
const binary = join(import.meta.dirname, '..', '..', 'packages', 'cli', 'bin', 'orrery.mjs');

export async function run(): Promise<Row[]> {
  return [...(await starts()), ...(await idleOnSqlite()), ...(await idleOnPostgres())];
}

/** Each with an empty data folder: the first start of a new user, migrations included. */
async function starts(): Promise<Row[]> {
  const ready: number[] = [];
  const healthy: number[] = [];
  for (let i = 0; i < STARTS; i++) {
    await withServer([], async (server) => {
      ready.push(server.ready);
      healthy.push(server.healthy);
    });
  }
  const note = (values: readonly number[]) => `${range(values)}; bar 2, aim 0.7; SQLite, empty data folder`;
  return [
    { what: 'start until it prints that it is ready', value: median(ready), unit: 's', note: note(ready) },
    { what: 'start until GET /health answers', value: median(healthy), unit: 's', note: note(healthy) },
  ];
}

async function idleOnSqlite(): Promise<Row[]> {
  const memory = await withServer([], async ({ child }) => {
    await sleep(IDLE);
    return residentBytes(child);
  });
  const note = `over ${IDLE / 1_000} s, master and worker; each is one transaction`;
  return [
    memoryRow('SQLite', memory),
    { what: 'SQLite, idle operations', value: await idleOperations(), unit: '/s', note },
  ];
}

/** What a master and a worker ask of their store, a second. */
function idleOperations(): Promise<number> {
  const [sqlite] = databases;
  return sqlite.withStore((store) => {
    let count = 0;
    const counted = new Proxy(store, {
      get(target, name, receiver) {
        count++;
        return Reflect.get(target, name, receiver);
      },
    });
    return withEngine(counted, async () => {
      await sleep(IDLE / 10);
      const before = count;
      await sleep(IDLE);
      return (count - before) / (IDLE / 1_000);
    });
  });
}

/** Transactions of its database, asked for from another one. */
async function idleOnPostgres(): Promise<Row[]> {
  return withDatabase((url, name) =>
    withServer(['--database', url], async ({ child }) => {
      await sleep(IDLE);
      const memory = residentBytes(child);
      const before = await transactions(name);
      await sleep(IDLE);
      const rate = ((await transactions(name)) - before) / (IDLE / 1_000);
      const note = `over ${IDLE / 1_000} s, by pg_stat_database`;
      return [
        memoryRow('PostgreSQL', memory),
        { what: 'PostgreSQL, idle transactions', value: rate, unit: '/s', note },
      ];
    }),
  );
}

function memoryRow(database: string, bytes: number): Row {
  const note = `resident, ${IDLE / 1_000} s after the start; bar 200, aim 100`;
  return { what: `${database}, idle memory`, value: bytes / 1_000_000, unit: 'MB', note };
}

async function transactions(database: string): Promise<number> {
  const [row] = await askServer<{ count: string }>(
    'SELECT xact_commit + xact_rollback AS count FROM pg_stat_database WHERE datname = $1',
    [database],
  );
  return Number(row.count);
}

function residentBytes({ pid }: ChildProcess): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return 1_024 * Number(kilobytes);
}

interface Server {
  readonly child: ChildProcess;
  /** Seconds from spawn to the line that says so, and to an answer. */
  readonly ready: number;
  readonly healthy: number;
}

/** Starts the binary with a port and data of its own and stops it. */
function withServer<T>(args: readonly string[], work: (server: Server) => Promise<T>): Promise<T> {
  return withFolder(async (folder) => {
    const begin = performance.now();
    const child = spawn(process.execPath, [binary, 'dev', '--port', '0', '--data', folder, ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'exit');
    try {
      const url = await readyAt(child);
      const ready = (performance.now() - begin) / 1_000;
      const answer = await fetch(`${url}/api/v1/health`);
      const healthy = (performance.now() - begin) / 1_000;
      if (!answer.ok) throw new Error(`GET /health answered ${answer.status}`);
      return await work({ child, ready, healthy });
    } finally {
      child.kill('SIGTERM');
      await ended;
    }
  });
}

async function readyAt(child: ChildProcess): Promise<string> {
  let printed = '';
  for await (const piece of child.stdout ?? []) {
    printed += piece;
    const url = /ready at (\S+)/.exec(printed)?.[1];
    if (url !== undefined) return url;
  }
  throw new Error(`orrery dev ended: ${printed}`);
}
