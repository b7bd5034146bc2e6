/** Migrations: numbered, forward only, each applied once in the transaction that records it. */
import { first } from './migrations/001-first.ts';
import { change, type Operation, row, rows, type Text } from './operation.ts';

/** A numbered change of the schema: its statements. */
export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly statements: readonly Text[];
}

/** Every migration, in order. */
export const migrations: readonly Migration[] = [first];

/** Brings the schema up to date; the numbers that were applied. On PostgreSQL one node at a time. */
export function* migrate(): Operation<number[]> {
  yield* rows({ sqlite: 'SELECT 1', postgres: 'SELECT pg_advisory_xact_lock(7071947)' });
  yield* change('CREATE TABLE IF NOT EXISTS migration (number BIGINT PRIMARY KEY, name TEXT NOT NULL)');
  const newest = yield* row<{ number: number | null }>('SELECT max(number) AS number FROM migration');
  const applied: number[] = [];
  for (const { number, name, statements } of migrations) {
    if (number <= (newest?.number ?? 0)) continue;
    for (const statement of statements) yield* change(statement);
    yield* change('INSERT INTO migration (number, name) VALUES (?1, ?2)', number, name);
    applied.push(number);
  }
  return applied;
}
