/** The patterns of waits on a timeline: one for each kind of thing that is waited for. */
import type { WaitKind } from '../../../model/wait.ts';

type Pattern = 'slanted' | 'back' | 'crossed' | 'dotted' | 'upright' | 'level';

const patterns: Readonly<Record<WaitKind, Pattern>> = {
  queue: 'slanted',
  slots: 'slanted',
  priority: 'slanted',
  'task-group': 'back',
  'no-worker': 'crossed',
  delay: 'dotted',
  retry: 'dotted',
  paused: 'upright',
  'sub-run': 'level',
  dependency: 'level',
  person: 'level',
};

const SIZE = 6;

/** Lines of a pattern on a tile, each from and to a point; a line of no length would not be drawn. */
const lines: Readonly<Record<Pattern, readonly (readonly [number, number, number, number])[]>> = {
  slanted: [-SIZE, 0, SIZE].map((x) => [x, SIZE, x + SIZE, 0] as const),
  back: [-SIZE, 0, SIZE].map((x) => [x, 0, x + SIZE, SIZE] as const),
  crossed: [
    [0, 0, SIZE, SIZE],
    [0, SIZE, SIZE, 0],
  ],
  dotted: [[3, 3, 3.01, 3]],
  upright: [[3, 0, 3, SIZE]],
  level: [[0, 3, SIZE, 3]],
};

const made = new Map<string, CanvasPattern>();

/** The pattern of a wait in a colour; made once. */
export function hatch(context: CanvasRenderingContext2D, colour: string, wait: WaitKind) {
  const pattern = patterns[wait];
  const key = `${colour} ${pattern}`;
  const known = made.get(key);
  if (known) return known;
  const tile = new OffscreenCanvas(SIZE, SIZE);
  const on = tile.getContext('2d');
  if (!on) return colour;
  on.strokeStyle = colour;
  on.lineCap = 'round';
  on.lineWidth = pattern === 'dotted' ? 2.6 : 1.4;
  on.beginPath();
  for (const [x, y, toX, toY] of lines[pattern]) {
    on.moveTo(x, y);
    on.lineTo(toX, toY);
  }
  on.stroke();
  const drawn = context.createPattern(tile, 'repeat');
  if (!drawn) return colour;
  made.set(key, drawn);
  return drawn;
}
