/**
 * Databases for tests: SQLite in memory, and PostgreSQL in a schema of its own that goes when the tests are over.
 * PostgreSQL is the one of `npm run services`; it is started if it does not run, the fast way: no test ends it.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openPostgres, openSqlite, type PostgresOptions, type Store } from '@orrery/store';
import pg from 'pg';
import { startService } from '../../../scripts/services/lifecycle.ts';
import { postgres } from '../../../scripts/services/postgres.ts';

/** The quick tier of the tests needs no server. */
const isSqliteOnly = process.env.ORRERY_TEST_DATABASES === 'sqlite';

/** A kind of database; for `describe.each`. */
export interface TestDatabase {
  readonly name: string;
  /** An empty store; the one before it from here is closed. */
  open(): Promise<Store>;
  /** Ends what was opened. */
  close(): Promise<void>;
}

/** A schema that nobody else uses. */
export interface TestSchema {
  readonly options: PostgresOptions;
  /** Asks the database itself, as somebody outside would. */
  query<T>(text: string, params?: readonly unknown[]): Promise<T[]>;
  /** Deletes every row. */
  clear(): Promise<void>;
  drop(): Promise<void>;
}

/** Both databases, each its own for the test file that asks. */
export function testDatabases(): TestDatabase[] {
  return isSqliteOnly ? [memoryDatabase()] : [memoryDatabase(), schemaDatabase()];
}

/** A database whose rows can be damaged, as a disk or a hand may do; SQLite is a file then. */
export interface DamageableDatabase extends TestDatabase {
  /** Runs a statement beside the store. */
  damage(text: string): Promise<void>;
}

/** Both databases, for tests of what becomes of bad rows. */
export function damageableDatabases(): DamageableDatabase[] {
  return isSqliteOnly ? [fileDatabase()] : [fileDatabase(), schemaDatabase()];
}

/** The address of the PostgreSQL of this working copy, which is started if it does not run. */
export async function startPostgres(): Promise<string> {
  const { url } = await startService(postgres, join(import.meta.dirname, '../../../.services'), true);
  return url;
}

/** A new schema in the PostgreSQL of this working copy. */
export async function testSchema(): Promise<TestSchema> {
  const url = await startPostgres();
  const schema = `test_${process.pid}_${++schemas}`;
  const pool = new pg.Pool({ connectionString: url, max: 2, options: `-c search_path=${schema}` });
  pool.on('error', () => {});
  await pool.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
  return {
    options: { url, schema },
    query: async (text, params = []) => (await pool.query(text, [...params])).rows,
    clear: async () => {
      const { rows } = await pool.query(
        `SELECT tablename FROM pg_tables WHERE schemaname = $1 AND tablename NOT IN ('migration', 'store_identity')`,
        [schema],
      );
      await pool.query(rows.map(({ tablename }) => `DELETE FROM ${tablename}`).join('; '));
    },
    drop: async () => {
      await pool.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
      await pool.end();
    },
  };
}

/** A new, empty database in the PostgreSQL of this working copy, for processes that are given only its address. */
export async function testDatabase(): Promise<{ readonly url: string; drop(): Promise<void> }> {
  const folder = join(import.meta.dirname, '../../../.services');
  const { url } = await startService(postgres, folder, true);
  const name = `test_${process.pid}_${++schemas}`;
  const ask = async (statement: string): Promise<void> => {
    const client = new pg.Client(url);
    await client.connect();
    await client.query(statement).finally(() => client.end());
  };
  await ask(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  await ask(`CREATE DATABASE ${name}`);
  const own = new URL(url);
  own.pathname = `/${name}`;
  return { url: own.href, drop: () => ask(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) };
}

let schemas = 0;

function memoryDatabase(): TestDatabase {
  let store: Store | undefined;
  return {
    name: 'sqlite',
    async open() {
      await store?.close();
      store = await openSqlite(':memory:');
      return store;
    },
    close: async () => store?.close(),
  };
}

function fileDatabase(): DamageableDatabase {
  const folder = mkdtempSync(join(tmpdir(), 'orrery-damaged-'));
  let path = '';
  let files = 0;
  let store: Store | undefined;
  return {
    name: 'sqlite',
    async open() {
      await store?.close();
      path = join(folder, `${++files}.db`);
      store = await openSqlite(path);
      return store;
    },
    async damage(text) {
      const database = new DatabaseSync(path);
      database.exec(text);
      database.close();
    },
    async close() {
      await store?.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function schemaDatabase(): DamageableDatabase {
  let schema: TestSchema | undefined;
  let store: Store | undefined;
  return {
    name: 'postgres',
    async open() {
      schema ??= await testSchema();
      if (store) await schema.clear();
      store ??= await openPostgres(schema.options);
      return store;
    },
    async damage(text) {
      await schema?.query(text);
    },
    async close() {
      await store?.close();
      await schema?.drop();
    },
  };
}
