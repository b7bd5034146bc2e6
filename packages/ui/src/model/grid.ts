/**
 * The last runs of a workflow by task: a byte a cell, unpacked for drawing. Column after column, the oldest run first.
 * Pure; `pages/workflow/grid-view.tsx` draws it.
 */

/** A run of the grid. */
interface GridRun {
  readonly id: number;
  readonly version: number;
  readonly state: string;
  readonly startedAt: string | null;
  readonly duration: number | null;
}

/** The answer of the API. */
interface PackedGrid {
  readonly tasks: readonly string[];
  readonly runs: readonly GridRun[];
  readonly states: readonly string[];
  readonly cells: string;
  readonly took: string;
  readonly waited: string;
  readonly figures: Readonly<Record<'took' | 'waited' | 'ran' | 'retried' | 'failed', readonly number[]>>;
}

/** The same with its bytes. */
export interface Grid extends Omit<PackedGrid, 'cells' | 'took' | 'waited'> {
  readonly cells: Uint8Array;
  readonly took: Uint8Array;
  readonly waited: Uint8Array;
}

/** Unpacks an answer. */
export function unpackGrid({ cells, took, waited, ...rest }: PackedGrid): Grid {
  return { ...rest, cells: bytesOf(cells), took: bytesOf(took), waited: bytesOf(waited) };
}

function bytesOf(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}

/** The place of a cell. */
export function cellAt({ tasks }: Pick<Grid, 'tasks'>, run: number, task: number): number {
  return run * tasks.length + task;
}

/** The state of a cell. */
export function stateAt(grid: Grid, run: number, task: number): string {
  return grid.states[grid.cells[cellAt(grid, run, task)]] ?? 'absent';
}

/** The duration that a byte of `took` or `waited` encodes, in milliseconds; null for none. */
export function timeOf(byte: number): number | null {
  return byte === 0 ? null : Math.round(2 ** (byte / 8));
}

/** Less than this does not stand out. */
const LEAST = 0.02;

/** An outlier among tasks, with its share. */
interface Standing {
  readonly task: string;
  readonly share: number;
  readonly count: number;
}

/** Tasks by their part of the time that all tasks ran, the slowest first. */
export function slowest({ tasks, figures }: Grid, most: number): readonly Standing[] {
  const whole = figures.took.reduce((sum, ms) => sum + ms, 0);
  return ranked(tasks, figures.took, () => whole, most);
}

/** Tasks by the part of their runs in which they had to be retried, the worst first. */
export function flaky({ tasks, figures }: Grid, most: number): readonly Standing[] {
  return ranked(tasks, figures.retried, (task) => figures.ran[task], most);
}

function ranked(
  tasks: readonly string[],
  counts: readonly number[],
  whole: (task: number) => number,
  most: number,
): readonly Standing[] {
  return counts
    .map((count, at) => ({ task: tasks[at], count, share: count / Math.max(1, whole(at)) }))
    .filter(({ share }) => share >= LEAST)
    .sort((one, other) => other.share - one.share)
    .slice(0, most);
}
