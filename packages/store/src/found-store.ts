/**
 * A database as it is found: looked at without being migrated, so that one can see what a migration or a newer
 * version would meet. The embedded one is held while it is open, as by a server.
 */
import { existsSync } from 'node:fs';
import { NotFound } from './errors.ts';
import { pendingMigrations } from './migrate.ts';
import { checkStore, type StoreCheck } from './operations/sweeps/checks.ts';
import type { PostgresOptions } from './postgres-connection.ts';
import { lock, SqliteDriver } from './sqlite.ts';

/** Which database: a file of the embedded one, or where PostgreSQL is. */
export type StorePlace = { readonly file: string } | PostgresOptions;

/** What can be asked of it. */
export interface FoundStore {
  /** The migrations that opening it as a store would apply, in order. */
  pendingMigrations(): Promise<readonly { readonly number: number; readonly name: string }[]>;
  /** Only for a schema with nothing pending: the tables of this version are asked for. */
  checkStore(): Promise<StoreCheck>;
  /** What is wrong with the file of an embedded database itself. */
  damages(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** Opens a database for a look. Refuses a file that is missing, or that another process uses. */
export async function findStore(place: StorePlace): Promise<FoundStore> {
  if ('file' in place) return findSqlite(place.file);
  const { PostgresDriver } = await import('./postgres.ts');
  const driver = PostgresDriver.asFound(place);
  return {
    pendingMigrations: () => driver.read(pendingMigrations),
    checkStore: () => driver.read(checkStore),
    damages: async () => [],
    close: () => driver.close(),
  };
}

function findSqlite(file: string): FoundStore {
  if (!existsSync(file)) throw new NotFound(`there is no database ${file}`);
  const guard = lock(file);
  let driver: SqliteDriver;
  try {
    driver = new SqliteDriver(file, { readOnly: true });
  } catch (error) {
    guard.close();
    throw error;
  }
  return {
    pendingMigrations: async () => driver.read(pendingMigrations),
    checkStore: async () => driver.read(checkStore),
    damages: async () => driver.damages(),
    close: async () => {
      driver.close();
      guard.close();
    },
  };
}
