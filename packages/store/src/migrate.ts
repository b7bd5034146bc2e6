/** Migrations: numbered, forward only, each applied once in the transaction that records it. */
import { Conflict } from './errors.ts';
import { first } from './migrations/001-first.ts';
import { tags } from './migrations/002-tags.ts';
import { life } from './migrations/003-life.ts';
import { elastic } from './migrations/004-elastic.ts';
import { change, type Operation, row, rows, type Text } from './operation.ts';

/** A numbered schema change and its statements. */
export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly statements: readonly Text[];
}

/** All migrations, in order. */
const migrations: readonly Migration[] = [first, tags, life, elastic];

/**
 * The schema this code was written for. The code also runs on the next schema, so that nodes can be upgraded
 * in turn.
 */
export const SCHEMA = migrations.length;

/** Migrates the schema; returns the applied numbers. On PostgreSQL one node migrates at a time. */
export function* migrate(): Operation<number[]> {
  yield* rows({ sqlite: 'SELECT 1', postgres: 'SELECT pg_advisory_xact_lock(7071947)' });
  yield* change('CREATE TABLE IF NOT EXISTS migration (number BIGINT PRIMARY KEY, name TEXT NOT NULL)');
  const newest = yield* newestMigration();
  const applied: number[] = [];
  for (const { number, name, statements } of migrations) {
    if (number <= newest) continue;
    for (const statement of statements) if (!(yield* hasColumn(statement))) yield* change(statement);
    yield* change('INSERT INTO migration (number, name) VALUES (?1, ?2)', number, name);
    applied.push(number);
  }
  return applied;
}

/**
 * Whether a statement adds an existing column. Some early databases of schema 1 already have columns that
 * others got with the second migration.
 */
function* hasColumn(statement: Text): Operation<boolean> {
  const text = typeof statement === 'string' ? statement : '';
  const [, table, column] = /^ALTER TABLE (\w+) ADD COLUMN (\w+)/.exec(text) ?? [];
  if (table === undefined) return false;
  const found = yield* row(
    {
      sqlite: 'SELECT 1 FROM pragma_table_info(?1) WHERE name = ?2',
      postgres:
        'SELECT 1 FROM pg_attribute WHERE attrelid = to_regclass(?1) AND attname = ?2 AND NOT attisdropped',
    },
    table,
    column,
  );
  return found !== undefined;
}

/** The migrations that `migrate` would apply, also to an empty database. */
export function* pendingMigrations(): Operation<Migration[]> {
  const table = yield* row({
    sqlite: `SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'migration'`,
    postgres: `SELECT 1 WHERE to_regclass('migration') IS NOT NULL`,
  });
  const newest = table ? yield* newestMigration() : 0;
  return migrations.filter(({ number }) => number > newest);
}

/** Refuses a schema more than one version ahead of this code. */
export function* checkSchema(): Operation<void> {
  const newest = yield* newestMigration();
  if (newest > SCHEMA + 1) {
    throw new Conflict(
      `the database has schema ${newest}, and this version of Orrery works with ${SCHEMA} and ${SCHEMA + 1}; use a newer one`,
    );
  }
}

/** The number of the last applied migration. */
export function* newestMigration(): Operation<number> {
  const newest = yield* row<{ number: number | null }>('SELECT max(number) AS number FROM migration');
  return newest?.number ?? 0;
}
