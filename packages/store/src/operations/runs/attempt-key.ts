/** The key of an attempt in statements: (run, task, shard, number), with one text per dialect. */
import type { AttemptId } from '@orrery/core/run/attempt';
import type { ColumnType, Value } from '../../operation.ts';
import { unnest } from '../../table.ts';

/** An attempt of a run. */
export type AttemptRef = AttemptId;

/** The columns of an attempt's key. */
export const keyColumns = 'run, task, shard, number';

/** Column types of the key, for batches that begin with it. */
export const keyTypes = ['int', 'int', 'int', 'int'] as const;

/** SQL: a row by its key, the first four parameters. */
export const isKey = 'run = ?1 AND task = ?2 AND shard = ?3 AND number = ?4';

/** How to find rows by the keys of a batch. */
interface Among {
  /** Further columns of the batch, and conditions that relate them to the row (`t`). */
  readonly further?: readonly string[];
  readonly types?: readonly ColumnType[];
  readonly condition?: string;
  /** False for rows that are only read. */
  readonly locked?: boolean;
}

/**
 * SQL for PostgreSQL: a row of `table` is among those of the batch; rows are locked in its order. Each is
 * looked up by its key, whatever the planner's statistics say: as a join, after the table had been seen
 * empty, every row of the batch was compared with every row of the table (104 us per row instead of 3).
 */
export function isAmong(
  table: string,
  { further = [], types = keyTypes, condition = '', locked = true }: Among = {},
): string {
  return `ctid = ANY (ARRAY(SELECT x.ctid FROM ${unnest(types)} AS k(${[keyColumns, ...further].join(', ')})
    CROSS JOIN LATERAL (SELECT t.ctid FROM ${table} t WHERE t.run = k.run AND t.task = k.task AND t.shard = k.shard
      AND t.number = k.number ${condition} ${locked ? 'FOR UPDATE' : 'OFFSET 0'}) x))`;
}

/** A key as parameters. */
export function keyValues({ run, task, shard, number }: AttemptRef): Value[] {
  return [run, task, shard, number];
}

/** A key as text, for maps and sets. */
export function keyText({ run, task, shard, number }: AttemptRef): string {
  return `${run}.${task}.${shard}.${number}`;
}

/** Sorts by key: rows locked in this order seldom make two masters wait for each other. */
export function inKeyOrder<T extends AttemptRef>(list: readonly T[]): T[] {
  return [...list].sort(
    (a, b) => a.run - b.run || a.task - b.task || a.shard - b.shard || a.number - b.number,
  );
}

/** The first of each key: a report that comes twice in one batch counts once. */
export function firstOfEach<T extends AttemptRef>(list: readonly T[]): T[] {
  const seen = new Set<string>();
  return list.filter((entry) => {
    const key = keyText(entry);
    return !seen.has(key) && seen.add(key);
  });
}
