/** Databases to measure on: SQLite in a file, PostgreSQL with its own durability, each empty and gone afterwards. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPostgres, openSqliteThread, type Store } from '@orrery/store';
import pg from 'pg';
import { startService } from '../../scripts/services/lifecycle.ts';
import { postgres } from '../../scripts/services/postgres.ts';
import { smallest } from '../size.ts';
import { countService } from './figures.ts';

/** A kind of database. */
export interface Database {
  readonly name: 'SQLite' | 'PostgreSQL';
  /** How durable it is, and how it is set. */
  readonly settings: string;
  /** Calls `work` with an empty store and deletes it. */
  withStore<T>(work: (store: Store) => Promise<T>): Promise<T>;
}

const sqlite: Database = {
  name: 'SQLite',
  settings: 'file, WAL, synchronous FULL, on a thread',
  withStore: (work) =>
    withFolder(async (folder) => closing(await openSqliteThread(join(folder, 'orrery.db')), work)),
};

/** The PostgreSQL of `npm run services`, started if it does not run. */
const postgresql: Database = {
  name: 'PostgreSQL',
  settings: 'fsync on, synchronous_commit on',
  withStore: (work) => withDatabase(async (url) => closing(await openPostgres({ url, name: 'bench' }), work)),
};

async function closing<T>(store: Store, work: (store: Store) => Promise<T>): Promise<T> {
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Both kinds. */
export const databases = [sqlite, postgresql] as const;

/** Calls `work` with the address of an empty PostgreSQL database and drops it. */
export async function withDatabase<T>(work: (url: string, name: string) => Promise<T>): Promise<T> {
  const server = await serverUrl();
  const name = `bench_${process.pid}_${++made}`;
  await query(server, `CREATE DATABASE ${name}`);
  try {
    return await work(Object.assign(new URL(server), { pathname: name }).href, name);
  } finally {
    await query(server, `DROP DATABASE ${name} WITH (FORCE)`);
  }
}

let made = 0;

/** Calls `work` with an empty folder and deletes it. */
export async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'orrery-bench-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Asks the server from outside any database that is measured. */
export async function askServer<T>(text: string, params: readonly unknown[] = []): Promise<T[]> {
  return query<T>(await serverUrl(), text, params);
}

/** The version and the settings that speed depends on; one without durability is refused, unless nothing is measured. */
export async function aboutPostgres(): Promise<string> {
  const about = await describePostgres();
  if (!smallest && /(fsync|synchronous_commit) (?!on)/.test(about))
    throw new Error(
      'this PostgreSQL gives up durability for speed; npm run services -- stop postgres, then start it',
    );
  return about;
}

/** The same for any PostgreSQL, for benchmarks of reads. */
export async function describePostgres(): Promise<string> {
  const names = ['server_version', 'fsync', 'synchronous_commit', 'full_page_writes', 'shared_buffers'];
  const rows = await askServer<{ name: string; value: string }>(
    'SELECT name, current_setting(name) AS value FROM unnest($1::text[]) WITH ORDINALITY AS n(name, place) ORDER BY place',
    [names],
  );
  return `PostgreSQL: ${rows.map(({ name, value }) => `${name} ${value.split(' ')[0]}`).join(', ')}`;
}

/** Where services keep their data. */
export const servicesFolder = join(import.meta.dirname, '..', '..', '.services');

async function serverUrl(): Promise<string> {
  const { url, pid } = await startService(postgres, servicesFolder, false);
  countService(pid);
  return url;
}

async function query<T>(url: string, text: string, params: readonly unknown[] = []): Promise<T[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text, [...params])).rows;
  } finally {
    await client.end();
  }
}
