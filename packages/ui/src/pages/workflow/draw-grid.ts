/** Draws the part of a grid that is in view: bars of the runs above, names of tasks beside, a square for each cell. */
import type { Ink } from '../../graph/ink.ts';
import { sharpen } from '../../graph/sharp.ts';
import { cellAt, type Grid } from '../../model/grid.ts';
import { lookOf } from '../../model/state.ts';
import type { Family } from '../../theme/palette.ts';

/** What colours a cell. */
export const gridColours = ['state', 'took', 'waited'] as const;
export type GridColour = (typeof gridColours)[number];

/** Measures of a grid; cells are as wide as there is room. */
export interface GridPlan {
  readonly names: number;
  readonly head: number;
  readonly row: number;
  readonly column: number;
}

/** A cell; the row -1 is the run itself. */
export interface GridPlace {
  readonly run: number;
  readonly task: number;
}

const GAP = 2;
/** Number of shades that distinguish durations. */
const SHADES = 6;

export function planGrid(width: number, runs: number): GridPlan {
  const names = Math.min(180, Math.max(96, Math.round(width * 0.28)));
  const column = Math.min(18, Math.max(9, Math.floor((width - names - 4) / Math.max(1, runs))));
  return { names, head: 56, row: 20, column };
}

interface View {
  readonly left: number;
  readonly top: number;
}

/** Draws one frame; it costs only the visible part. */
export function drawGrid(
  canvas: HTMLCanvasElement,
  grid: Grid,
  plan: GridPlan,
  { left, top }: View,
  colour: GridColour,
  current: string | undefined,
): void {
  const sharp = sharpen(canvas);
  if (!sharp) return;
  const { context, ink, width, height } = sharp;
  const { names, head, row, column } = plan;
  const first = Math.max(0, Math.floor(left / column));
  const last = Math.min(grid.runs.length, Math.ceil((left + width - names) / column));
  const from = Math.max(0, Math.floor(top / row));
  const to = Math.min(grid.tasks.length, Math.ceil((top + height - head) / row));
  const x = (run: number) => names + run * column - left;
  const y = (task: number) => head + task * row - top;
  const squares = new Map<string, [number, number][]>();
  for (let run = first; run < last; run++)
    for (let task = from; task < to; task++) {
      const ink = inkOf(grid, cellAt(grid, run, task), colour);
      if (ink === null) continue;
      const some = squares.get(ink);
      if (some) some.push([x(run), y(task)]);
      else squares.set(ink, [[x(run), y(task)]]);
    }
  for (const [key, some] of squares) {
    context.beginPath();
    for (const [left, top] of some) context.rect(left + 1, top + 1, column - GAP, row - GAP - 1);
    paint(context, key, ink);
  }
  context.globalAlpha = 1;
  drawHead(context, grid, plan, { first, last, x, width }, ink);
  context.fillStyle = ink.ground;
  context.fillRect(0, 0, names, height);
  context.font = `12px ${ink.sans}`;
  for (let task = from; task < to; task++) {
    const isCurrent = grid.tasks[task] === current;
    context.fillStyle = isCurrent ? ink.focus : ink.text;
    const name = cut(context, grid.tasks[task], names - 12);
    if (y(task) + row > head) context.fillText(name, 0, y(task) + 14);
  }
  // The names scroll under the head.
  context.fillStyle = ink.ground;
  context.fillRect(0, 0, names, head);
  context.fillStyle = ink.line;
  context.fillRect(0, head - 1, width, 1);
}

/** The family of a state, or a shade of a time; null where there is nothing. */
function inkOf(grid: Grid, cell: number, colour: GridColour): string | null {
  const state = grid.states[grid.cells[cell]] ?? 'absent';
  if (state === 'absent') return null;
  if (colour === 'state') return lookOf(state).family;
  const byte = grid[colour][cell];
  // From 64 ms to about three hours, in as many shades as can be distinguished.
  return byte === 0 ? null : String(Math.min(SHADES, Math.max(1, Math.ceil((byte - 48) / 22))));
}

function paint(context: CanvasRenderingContext2D, key: string, ink: Ink): void {
  const shade = Number(key);
  if (Number.isNaN(shade)) {
    const family = key as Family;
    context.globalAlpha = family === 'neutral' ? 0.35 : 1;
    context.fillStyle = ink.states[family].fill;
  } else {
    context.globalAlpha = shade / SHADES;
    context.fillStyle = ink.focus;
  }
  context.fill();
}

interface Columns {
  readonly first: number;
  readonly last: number;
  readonly width: number;
  x(run: number): number;
}

/** A bar for each run, as high as it took; a line where another version began. */
function drawHead(
  context: CanvasRenderingContext2D,
  { runs }: Grid,
  { names, head, column }: GridPlan,
  { first, last, x, width }: Columns,
  ink: Ink,
): void {
  context.fillStyle = ink.ground;
  context.fillRect(names, 0, width - names, head - 1);
  const longest = runs.reduce((most, { duration }) => Math.max(most, duration ?? 0), 1);
  for (let run = first; run < last; run++) {
    const { state, duration } = runs[run];
    const high = Math.max(3, ((duration ?? 0) / longest) * (head - 22));
    context.fillStyle = ink.states[lookOf(state).family].fill;
    context.fillRect(x(run) + 1, head - 4 - high, column - GAP, high);
  }
  context.font = `11px ${ink.sans}`;
  let free = names;
  for (let run = Math.max(1, first); run < last; run++) {
    if (runs[run].version === runs[run - 1].version || x(run) < names) continue;
    context.fillStyle = ink.strong;
    context.fillRect(x(run), 12, 1, head - 13);
    if (x(run) < free) continue;
    context.fillStyle = ink.dim;
    const said = `v${runs[run].version}`;
    context.fillText(said, Math.min(x(run), width - 24), 10);
    free = x(run) + 8 * said.length;
  }
}

const known = new Map<string, string>();

/** A name cut in the middle, as everywhere. */
function cut(context: CanvasRenderingContext2D, name: string, width: number): string {
  const key = `${width} ${name}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  let said = name;
  for (let keep = name.length - 1; context.measureText(said).width > width && keep > 4; keep--)
    said = `${name.slice(0, Math.ceil(keep / 2))}…${name.slice(-Math.floor(keep / 2))}`;
  if (known.size > 5_000) known.clear();
  known.set(key, said);
  return said;
}
