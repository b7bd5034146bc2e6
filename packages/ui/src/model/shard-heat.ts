/** What each shard did at the last ticks of a job, as a grid: columns are ticks, rows are shards. */
import type { Grid } from './grid.ts';

/** A tick from the API: sets of shards, such as `0-3,7`. */
interface HeatTick {
  readonly at: string;
  readonly took: number;
  readonly succeeded: string;
  readonly failed: string;
  readonly takenOver: string;
}

/** The states of cells. A shard that was taken over differs from those that simply ran. */
const states = ['absent', 'success', 'late', 'failed'] as const;

/** The grid of these shards, with a name for each row. */
export function heatGrid(
  ticks: readonly HeatTick[],
  shards: readonly number[],
  nameOf: (shard: number) => string,
): Grid {
  const rows = shards.length;
  const rowOf = new Map(shards.map((shard, row) => [shard, row]));
  const cells = new Uint8Array(ticks.length * rows);
  const runs = ticks.map(({ at, took, succeeded, takenOver, failed }, column) => {
    for (const [state, text] of [succeeded, takenOver, failed].entries())
      for (const [from, to] of rangesOf(text))
        for (let shard = from; shard <= to; shard++) {
          const row = rowOf.get(shard);
          if (row !== undefined) cells[column * rows + row] = state + 1;
        }
    const state = failed === '' ? (takenOver === '' ? 'success' : 'late') : 'failed';
    return { id: column, version: 1, state, startedAt: at, duration: took };
  });
  const nothing = new Uint8Array(0);
  const figures = { took: [], waited: [], ran: [], retried: [], failed: [] };
  return { tasks: shards.map(nameOf), runs, states, cells, took: nothing, waited: nothing, figures };
}

/** The shards that failed at one of these ticks. */
export function failedAt(ticks: readonly HeatTick[]): ReadonlySet<number> {
  const found = new Set<number>();
  for (const { failed } of ticks)
    for (const [from, to] of rangesOf(failed)) for (let shard = from; shard <= to; shard++) found.add(shard);
  return found;
}

function rangesOf(text: string): (readonly [number, number])[] {
  if (text === '') return [];
  return text.split(',').map((part) => {
    const [from, to = from] = part.split('-').map(Number);
    return [from, to];
  });
}
