/** The rows of a log: all lines except folded ones, or only picked lines. */
import { type Folds, lineOfRow, rowOfLine, rowsOf } from './log-folds.ts';

/** Rows and the lines they stand for, both counted from 0. */
export interface Rows {
  readonly count: number;
  lineOf(row: number): number;
  /** Of a line that is not shown, the row of the one before it. */
  rowOf(line: number): number;
}

/** Every line of a log, less the folded ones. */
export function foldedRows(folds: Folds, lines: number): Rows {
  return {
    count: rowsOf(folds, lines),
    lineOf: (row) => lineOfRow(folds, row),
    rowOf: (line) => rowOfLine(folds, line),
  };
}

/** Only the picked lines, in order. */
export function pickedRows(picked: readonly number[]): Rows {
  return {
    count: picked.length,
    lineOf: (row) => picked[row] ?? 0,
    rowOf: (line) => Math.max(0, after(picked, line) - 1),
  };
}

/** How many of sorted numbers are at most this one. */
function after(sorted: readonly number[], limit: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
