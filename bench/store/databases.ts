/** The databases that the store is measured on: SQLite in a file, inline and on threads, and PostgreSQL. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openPostgres, openSqlite, openSqliteThread, type Store } from '@orrery/store';
import { testSchema } from '@orrery/testkit/databases';

/** A store of its own, and how to look into what it stands on. */
export interface BenchStore extends AsyncDisposable {
  readonly name: string;
  readonly store: Store;
  /** Runs a statement beside the store. */
  exec(text: { readonly sqlite: string; readonly postgres: string }): Promise<void>;
}

/** Opens them one after the other; each is gone before the next begins. */
export const benchStores: readonly (() => Promise<BenchStore>)[] = [
  () => inFile('SQLite inline', openSqlite),
  () => inFile('SQLite threads', openSqliteThread),
  onPostgres,
];

async function inFile(name: string, open: (path: string) => Promise<Store>): Promise<BenchStore> {
  const folder = mkdtempSync(join(tmpdir(), 'orrery-bench-'));
  const path = join(folder, 'bench.db');
  const store = await open(path);
  return {
    name,
    store,
    exec: async ({ sqlite }) => {
      using database = new DatabaseSync(path);
      database.exec(sqlite);
    },
    [Symbol.asyncDispose]: async () => {
      await store.close();
      rmSync(folder, { recursive: true });
    },
  };
}

async function onPostgres(): Promise<BenchStore> {
  const schema = await testSchema();
  const store = await openPostgres(schema.options);
  return {
    name: 'PostgreSQL',
    store,
    exec: async ({ postgres }) => {
      await schema.query(postgres);
      // What was just written goes to the disk now, and not while something is measured.
      await schema.query('CHECKPOINT');
    },
    [Symbol.asyncDispose]: async () => {
      await store.close();
      await schema.drop();
    },
  };
}
