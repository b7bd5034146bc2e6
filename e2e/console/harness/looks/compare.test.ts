import { describe, expect, it } from 'vitest';
import { differenceOf, markDifference } from './compare.ts';
import type { Picture } from './png.ts';

/** A white picture of 100 × 100 with some of its pixels painted. */
function painted(
  ...areas: { x: number; y: number; size: number; colour: [number, number, number] }[]
): Picture {
  const rgb = new Uint8Array(100 * 100 * 3).fill(255);
  for (const { x, y, size, colour } of areas)
    for (let row = y; row < y + size; row++)
      for (let column = x; column < x + size; column++) rgb.set(colour, (row * 100 + column) * 3);
  return { width: 100, height: 100, rgb };
}

const blank = painted();

describe('an exact comparison', () => {
  it('forgives one pixel in a thousand, and no more', () => {
    const nine = painted({ x: 5, y: 5, size: 3, colour: [0, 0, 0] });
    const sixteen = painted({ x: 5, y: 5, size: 4, colour: [0, 0, 0] });
    expect(differenceOf(blank, nine, 'exact')).toBeUndefined();
    expect(differenceOf(blank, sixteen, 'exact')).toBe('0.16 % of its pixels differ, 0.10 % may');
    expect(differenceOf(blank, nine, 'exact', 0)).toBe('0.09 % of its pixels differ, 0.00 % may');
  });

  it('does not forgive that many in another colour', () => {
    const red = painted({ x: 5, y: 5, size: 3, colour: [160, 28, 10] });
    const green = painted({ x: 5, y: 5, size: 3, colour: [12, 99, 81] });
    expect(differenceOf(red, green, 'exact')).toBe('it had 9 pixels that are red and has 0');
  });

  it('forgives what storing in few colours costs, and not the nearest other ground', () => {
    const near = painted({ x: 0, y: 0, size: 100, colour: [247, 255, 255] });
    const ground = painted({ x: 0, y: 0, size: 100, colour: [246, 247, 249] });
    expect(differenceOf(blank, near, 'exact')).toBeUndefined();
    expect(differenceOf(blank, ground, 'exact')).toMatch(/^100.00 % of its pixels differ/);
  });
});

describe('a rough comparison', () => {
  const letters = { x: 20, y: 20, size: 40, colour: [120, 120, 120] as [number, number, number] };

  it('forgives what has moved by a line', () => {
    const moved = painted({ ...letters, x: 36, y: 36 });
    expect(differenceOf(painted(letters), moved, 'rough')).toBeUndefined();
    expect(differenceOf(painted(letters), moved, 'exact')).toBeDefined();
  });

  it('sees what is gone, and what has come', () => {
    expect(differenceOf(painted(letters), blank, 'rough')).toMatch(/of its blocks differ, 2.00 % may$/);
    expect(differenceOf(blank, painted(letters), 'rough')).toMatch(/of its blocks differ, 2.00 % may$/);
  });

  it('sees a small mark in another colour', () => {
    const mark = { x: 50, y: 50, size: 4 };
    const red = painted({ ...mark, colour: [160, 28, 10] });
    const green = painted({ ...mark, colour: [12, 99, 81] });
    expect(differenceOf(red, green, 'rough')).toBe('it had 16 pixels that are red and has 0');
    expect(differenceOf(red, red, 'rough')).toBeUndefined();
  });
});

it('pictures of different sizes are told apart by their sizes', () => {
  const wide = { width: 200, height: 50, rgb: blank.rgb };
  for (const strictness of ['exact', 'rough'] as const)
    expect(differenceOf(blank, wide, strictness)).toBe('it was 100 × 100 pixels and is 200 × 50');
});

it('what differs is marked in red on what does not, faded', () => {
  const dark = painted(
    { x: 0, y: 0, size: 1, colour: [0, 0, 0] },
    { x: 9, y: 0, size: 1, colour: [0, 0, 0] },
  );
  const { rgb } = markDifference(painted({ x: 9, y: 0, size: 1, colour: [0, 0, 0] }), dark);
  expect([...rgb.subarray(0, 3), ...rgb.subarray(27, 30)]).toEqual([230, 0, 0, 191, 191, 191]);
});
