/**
 * A database opened without migrating it, to inspect what a migration or a newer version would find. An
 * embedded database is locked while open, as by a server.
 */
import { existsSync } from 'node:fs';
import { NotFound } from './errors.ts';
import { pendingMigrations } from './migrate.ts';
import { checkStore, type StoreCheck } from './operations/sweeps/checks.ts';
import type { PostgresOptions } from './postgres-connection.ts';
import { lock, SqliteDriver } from './sqlite.ts';

/** A database: the file of an embedded one, or the address of PostgreSQL. */
export type StorePlace = { readonly file: string } | PostgresOptions;

/** Inspections of a database. */
export interface FoundStore {
  /** The migrations that opening it as a store would apply, in order. */
  pendingMigrations(): Promise<readonly { readonly number: number; readonly name: string }[]>;
  /** Requires a schema without pending migrations, because it reads the tables of this version. */
  checkStore(): Promise<StoreCheck>;
  /** Corruption of an embedded database's file. */
  damages(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** Opens a database for inspection. Refuses a missing file, and one that another process uses. */
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
