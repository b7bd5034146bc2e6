/**
 * Folds of a log, and the remaining rows. Folds are ranges of lines that do not overlap; a fold inside a
 * larger one belongs to it.
 */

/** Hidden lines: from, up to and not including to; counted from 0. */
export type Fold = readonly [from: number, to: number];

/** Folds in order, none touching another. */
export type Folds = readonly Fold[];

/** Nothing is folded. */
export const noFolds: Folds = [];

/** Hides a stretch, or shows it again where it is hidden already. */
export function toggleFold(folds: Folds, [from, to]: Fold): Folds {
  if (folds.some(([start]) => start === from)) return folds.filter(([start]) => start !== from);
  const apart = folds.filter(([start, end]) => end < from || start > to);
  return [...apart, [from, to] as const].sort(([a], [b]) => a - b);
}

/** The number of rows that remain of this many lines. */
export function rowsOf(folds: Folds, lines: number): number {
  return folds.reduce((left, [from, to]) => left - Math.max(0, Math.min(to, lines) - from), lines);
}

/** The line of a row. */
export function lineOfRow(folds: Folds, row: number): number {
  let line = row;
  for (const [from, to] of folds) {
    if (from > line) break;
    line += to - from;
  }
  return line;
}

/** The row of a line; of a hidden one, the row before its fold. */
export function rowOfLine(folds: Folds, line: number): number {
  let row = line;
  for (const [from, to] of folds) {
    if (from > line) break;
    row -= line < to ? line - from + 1 : to - from;
  }
  return Math.max(0, row);
}
