/** New numbers for ids and orders: they only grow, and none is assigned twice. */
import { type Operation, row } from '../../operation.ts';

/**
 * Assigns `count` new numbers, ascending. They are almost always consecutive, so one row describes them: a
 * row for each was a tenth of a tick's cost on its master.
 */
export function* newNumbers(count: number): Operation<number[]> {
  if (count <= 0) return [];
  const given = yield* row<{ last: number; each: string | null }>(
    {
      sqlite: 'UPDATE numbers SET value = value + ?1 RETURNING value AS last, NULL AS each',
      // Other connections may have taken numbers in between.
      postgres: `SELECT max(value) AS last,
          CASE WHEN max(value) - min(value) >= count(*) THEN string_agg(value::text, ',' ORDER BY value) END AS each
        FROM (SELECT nextval('numbers') AS value FROM generate_series(1, ?1::int8)) given`,
    },
    count,
  );
  if (given?.each) return given.each.split(',').map(Number);
  const last = given?.last ?? 0;
  return Array.from({ length: count }, (_, k) => last - count + 1 + k);
}

/** The newest assigned number: any larger one comes from elsewhere. */
export function* readNewestNumber(): Operation<number> {
  const found = yield* row<{ value: number }>({
    sqlite: 'SELECT value FROM numbers',
    postgres: 'SELECT last_value AS value FROM numbers',
  });
  return found?.value ?? 0;
}
