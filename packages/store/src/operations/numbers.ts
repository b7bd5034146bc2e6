/** New numbers for ids and orders: they only grow, and one is never given twice. */
import { type Operation, row, rows } from '../operation.ts';

/** Gives `count` new numbers, ascending. */
export function* newNumbers(count: number): Operation<number[]> {
  if (count <= 0) return [];
  const given = yield* rows<{ value: number }>(
    {
      sqlite: 'UPDATE numbers SET value = value + ?1 RETURNING value',
      postgres: `SELECT nextval('numbers') AS value FROM generate_series(1, ?1::int8)`,
    },
    count,
  );
  const values = given.map(({ value }) => value);
  // SQLite counts them out in one row and gives the last; PostgreSQL gives each, and others may lie between.
  if (values.length === count) return values;
  return Array.from({ length: count }, (_, k) => values[0] - count + 1 + k);
}

/** The newest number that anything was given: whoever has a larger one has it from somewhere else. */
export function* readNewestNumber(): Operation<number> {
  const found = yield* row<{ value: number }>({
    sqlite: 'SELECT value FROM numbers',
    postgres: 'SELECT last_value AS value FROM numbers',
  });
  return found?.value ?? 0;
}
