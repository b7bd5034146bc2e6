/** New numbers for ids and orders: they only grow, and one is never given twice. */
import { type Operation, rows } from '../operation.ts';

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
