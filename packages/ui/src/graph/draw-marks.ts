/** Small marks that canvases share: icons of states and types, strips of shares, and texts cut to a width. */
import { lookOf, type StateIcon } from '../model/state.ts';
import type { Ink } from './ink.ts';
import type { Pen } from './scene.ts';
import { typeIcon } from './type-icons.ts';

const iconPaths = new Map<string, Path2D>();

function pathOf(text: string): Path2D {
  const known = iconPaths.get(text);
  if (known) return known;
  const path = new Path2D(text);
  iconPaths.set(text, path);
  return path;
}

/** Draws the icon of a state, 16 pixels wide. */
export function drawIcon(
  context: Pen,
  { lines, fill, dashed }: StateIcon,
  x: number,
  y: number,
  colour: string,
): void {
  context.save();
  context.translate(x, y);
  if (fill) {
    context.fillStyle = colour;
    context.fill(pathOf(fill));
  }
  if (lines) {
    context.strokeStyle = colour;
    context.lineWidth = 1.6;
    context.lineCap = 'round';
    if (dashed) context.setLineDash([2, 2.4]);
    context.stroke(pathOf(lines));
  }
  context.restore();
}

/** Draws the icon of a task type, or its first letters. */
export function drawType(context: Pen, type: string, x: number, y: number, ink: Ink): void {
  const path = typeIcon(type);
  if (!path) {
    context.fillStyle = ink.dim;
    context.font = `600 10px ${ink.sans}`;
    context.fillText(type.slice(0, 2), x + 2, y + 11.5);
    return;
  }
  context.save();
  context.translate(x, y);
  context.scale(2 / 3, 2 / 3);
  context.strokeStyle = ink.dim;
  context.lineWidth = 1.8;
  context.lineCap = 'round';
  context.lineJoin = 'round';
  context.stroke(path);
  context.restore();
}

/** Limit of cells drawn one by one, if each has room to be seen. */
const MOST_CELLS = 64;
const LEAST_CELL = 3;

/** A strip of shares: which part of the shards, or of a fold, is in which state; a cell each where there are few. */
export function drawParts(
  context: Pen,
  parts: readonly (readonly [string, number])[],
  x: number,
  y: number,
  width: number,
  ink: Ink,
): void {
  const total = parts.reduce((sum, [, count]) => sum + count, 0);
  const cells = total <= MOST_CELLS && width / total >= LEAST_CELL;
  let from = x;
  for (const [state, count] of parts) {
    context.fillStyle = ink.states[lookOf(state).family].fill;
    const share = ((cells ? 1 : count) / total) * width;
    for (let cell = 0; cell < (cells ? count : 1); cell++) {
      context.fillRect(from, y, Math.max(share - 1, 1), 3);
      from += share;
    }
  }
}

const cuts = new Map<string, string>();
const MOST_CUTS = 20_000;

/** Cuts a text in the middle to a width; measuring is slow, so what was cut once is kept. */
export function cutToWidth(context: Pen, text: string, width: number, kind: string): string {
  const key = `${kind} ${width} ${text}`;
  const known = cuts.get(key);
  if (known !== undefined) return known;
  let cut = text;
  if (context.measureText(text).width > width) {
    let [least, most] = [1, text.length];
    while (least < most) {
      const kept = Math.ceil((least + most) / 2);
      if (context.measureText(cutAt(text, kept)).width > width) most = kept - 1;
      else least = kept;
    }
    cut = cutAt(text, least);
  }
  if (cuts.size >= MOST_CUTS) cuts.clear();
  cuts.set(key, cut);
  return cut;
}

const cutAt = (text: string, kept: number) =>
  `${text.slice(0, Math.ceil(kept / 2))}…${text.slice(text.length - Math.floor(kept / 2))}`;
