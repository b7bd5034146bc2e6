/** How an attempt is named in statements: (run, task, shard, number), in one text for each dialect. */
import type { AttemptId } from '@orrery/core/run/attempt';
import type { ColumnType, Value } from '../../operation.ts';
import { unnest } from '../../table.ts';

/** An attempt of a run. */
export type AttemptRef = AttemptId;

/** The columns of an attempt's key. */
export const keyColumns = 'run, task, shard, number';

/** Their types, for batches that begin with a key. */
export const keyTypes = ['int', 'int', 'int', 'int'] as const;

/** A row by its key, the first four parameters. */
export const isKey = 'run = ?1 AND task = ?2 AND shard = ?3 AND number = ?4';

/** How rows are found by the keys of a batch. */
interface Among {
  /** The columns of the batch after the key, and what they have to do with the row (`t`). */
  readonly further?: readonly string[];
  readonly types?: readonly ColumnType[];
  readonly condition?: string;
  /** Rows that are only looked at need no lock. */
  readonly locked?: boolean;
}

/**
 * On PostgreSQL, the condition that a row of `table` is among those of the batch; they are locked in its order. Each
 * is looked up by its key, whatever the planner believes about the table: as a join, once the table had been seen
 * empty, every row of the batch was compared with every row of the table (104 us a row instead of 3).
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

/** A key as one word, for maps and sets. */
export function keyText({ run, task, shard, number }: AttemptRef): string {
  return `${run}.${task}.${shard}.${number}`;
}

/** Rows are locked in the order of their keys, so that two masters wait for each other as seldom as can be. */
export function inKeyOrder<T extends AttemptRef>(list: readonly T[]): T[] {
  return [...list].sort(
    (a, b) => a.run - b.run || a.task - b.task || a.shard - b.shard || a.number - b.number,
  );
}

/** The first of each key: a report that comes twice in one batch is one report. */
export function firstOfEach<T extends AttemptRef>(list: readonly T[]): T[] {
  const seen = new Set<string>();
  return list.filter((entry) => {
    const key = keyText(entry);
    return !seen.has(key) && seen.add(key);
  });
}
