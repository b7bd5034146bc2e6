/** How an attempt is named in statements: (run, task, shard, number), in one text for each dialect. */
import type { ColumnType, Value } from '../operation.ts';
import { unnest } from '../table.ts';

/** An attempt of a run. */
export interface AttemptRef {
  readonly run: number;
  readonly task: number;
  readonly shard: number;
  readonly number: number;
}

/** The columns of an attempt's key. */
export const keyColumns = 'run, task, shard, number';

/** Their types, for batches that begin with a key. */
export const keyTypes = ['int', 'int', 'int', 'int'] as const;

/** A row by its key, the first four parameters. */
export const isKey = 'run = ?1 AND task = ?2 AND shard = ?3 AND number = ?4';

/** A row of `table` by the key in `k`, the rows of a batch. */
export function matches(table: string): string {
  return `${table}.run = k.run AND ${table}.task = k.task AND ${table}.shard = k.shard AND ${table}.number = k.number`;
}

/** The key columns of one table among several. */
export function keyOf(table: string): string {
  return `${table}.run, ${table}.task, ${table}.shard, ${table}.number`;
}

/** The rows of a batch as table `k`; `further` names the columns after the key. */
export function keysOf(types: readonly ColumnType[], ...further: readonly string[]): string {
  return `${unnest(types)} AS k(${[keyColumns, ...further].join(', ')})`;
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
