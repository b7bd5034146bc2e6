import { crc32, deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { inFewColours } from './few-colours.ts';
import { decodePng, encodePng, encodeTablePng, type Picture } from './png.ts';

const pictures = fc
  .tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 }))
  .chain(([width, height]) =>
    fc
      .uint8Array({ minLength: width * height * 3, maxLength: width * height * 3 })
      .map((rgb): Picture => ({ width, height, rgb })),
  );

it('reads what it wrote', () => {
  fc.assert(fc.property(pictures, (picture) => void expect(decodePng(encodePng(picture))).toEqual(picture)));
});

it('reads rows filtered in every way, with and without transparency', () => {
  const filters = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 9, maxLength: 9 });
  fc.assert(
    fc.property(pictures, filters, fc.constantFrom(3, 4), (picture, ways, size) => {
      expect(decodePng(filtered(picture, ways, size))).toEqual(picture);
    }),
  );
});

it('refuses what it does not read, and says what that is', () => {
  expect(() => decodePng(Buffer.from('GIF89a..'))).toThrow('this is not a PNG file');
  const file = encodePng({ width: 1, height: 1, rgb: new Uint8Array(3) });
  file[24] = 16;
  expect(() => decodePng(file)).toThrow('a PNG of 16 bits and kind 2 is not read here');
});

it('keeps common colours as they are, and moves rare ones by little', () => {
  const rgb = new Uint8Array(100 * 100 * 3).fill(255);
  const shades = Array.from({ length: 250 }, (_, k) => [k, k, k]).flat();
  rgb.set(shades);
  rgb.set([0x0c, 0x63, 0x51, 0x0c, 0x63, 0x51], shades.length);
  const picture = { width: 100, height: 100, rgb };
  const kept = decodePng(encodeTablePng(inFewColours(picture))).rgb;
  expect(kept.subarray(shades.length)).toEqual(rgb.subarray(shades.length));
  expect(Math.max(...kept.map((value, k) => Math.abs(value - rgb[k])))).toBeLessThanOrEqual(4);
  expect(new Set(kept).size).toBeLessThan(100);
});

it('has at most 256 colours, however many there were', () => {
  const steps = Array.from({ length: 16 }, (_, k) => k * 17);
  const rgb = Uint8Array.from(steps.flatMap((r) => steps.flatMap((g) => steps.flatMap((b) => [r, g, b]))));
  const { table, pixels } = inFewColours({ width: 64, height: 64, rgb });
  expect(table.length).toBe(256 * 3);
  expect(Math.max(...pixels)).toBeLessThan(256);
});

/** A file whose rows are filtered as told, as the format's definition has it. */
function filtered({ width, height, rgb }: Picture, ways: readonly number[], size: number): Buffer {
  const length = width * size;
  const sample = (row: number, column: number) => {
    if (row < 0 || column < 0) return 0;
    const channel = column % size;
    return channel === 3 ? 255 : rgb[(row * width + Math.floor(column / size)) * 3 + channel];
  };
  const raw = new Uint8Array((length + 1) * height);
  for (let row = 0; row < height; row++) {
    raw[row * (length + 1)] = ways[row];
    for (let column = 0; column < length; column++) {
      const [a, b, c] = [sample(row, column - size), sample(row - 1, column), sample(row - 1, column - size)];
      const nearest = [a, b, c].toSorted(
        (one, other) => Math.abs(a + b - c - one) - Math.abs(a + b - c - other),
      );
      const expected = [0, a, b, Math.floor((a + b) / 2), nearest[0]][ways[row]];
      raw[row * (length + 1) + 1 + column] = sample(row, column) - expected;
    }
  }
  const head = Buffer.from(encodePng({ width, height, rgb }).subarray(16, 29));
  head[9] = size === 4 ? 6 : 2;
  const chunks = [
    ['IHDR', head],
    ['IDAT', deflateSync(raw)],
    ['IEND', Buffer.alloc(0)],
  ] as const;
  const parts = chunks.map(([name, data]) => {
    const body = Buffer.concat([Buffer.from(name), data]);
    const [before, after] = [Buffer.alloc(4), Buffer.alloc(4)];
    before.writeUInt32BE(data.length);
    after.writeUInt32BE(crc32(body));
    return Buffer.concat([before, body, after]);
  });
  return Buffer.concat([encodePng({ width, height, rgb }).subarray(0, 8), ...parts]);
}
