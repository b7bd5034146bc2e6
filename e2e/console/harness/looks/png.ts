/**
 * Pictures as PNG files, limited to what screenshots need: eight bits a channel, in full colour or with a
 * table of at most 256, not interlaced. Transparency is ignored: a screenshot is opaque.
 */
import { crc32, deflateSync, inflateSync } from 'node:zlib';

/** Three bytes a pixel, red, green and blue, row by row. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly rgb: Uint8Array;
}

/** A picture of few colours: a byte a pixel, each a place in the table of three bytes a colour. */
export interface TablePicture {
  readonly width: number;
  readonly height: number;
  readonly table: Uint8Array;
  readonly pixels: Uint8Array;
}

const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
/** Bytes a pixel by the format's number for what a pixel is. */
const sizes: Readonly<Record<number, number>> = { 2: 3, 3: 1, 6: 4 };
const FULL_COLOURS = 2;
const BY_TABLE = 3;

/** Reads a file. */
export function decodePng(file: Uint8Array): Picture {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  if (!bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE)) throw new Error('this is not a PNG file');
  const chunks = readChunks(bytes);
  const head = chunks.get('IHDR') ?? Buffer.alloc(13);
  const [width, height] = [head.readUInt32BE(0), head.readUInt32BE(4)];
  const [bits, kind, , , interlaced] = head.subarray(8);
  const size = sizes[kind];
  if (bits !== 8 || size === undefined || interlaced !== 0)
    throw new Error(`a PNG of ${bits} bits and kind ${kind} is not read here`);
  const raw = inflateSync(chunks.get('IDAT') ?? Buffer.alloc(0));
  const samples = unfilter(raw, width * size, height, size);
  return { width, height, rgb: kind === BY_TABLE ? looked(samples, chunks) : withoutAlpha(samples, size) };
}

function looked(samples: Uint8Array, chunks: ReadonlyMap<string, Buffer>): Uint8Array {
  const table = chunks.get('PLTE') ?? Buffer.alloc(0);
  const rgb = new Uint8Array(samples.length * 3);
  for (let pixel = 0; pixel < samples.length; pixel++)
    for (let channel = 0; channel < 3; channel++)
      rgb[pixel * 3 + channel] = table[samples[pixel] * 3 + channel];
  return rgb;
}

function withoutAlpha(samples: Uint8Array, size: number): Uint8Array {
  if (size === 3) return samples;
  const rgb = new Uint8Array((samples.length / size) * 3);
  for (let pixel = 0; pixel * size < samples.length; pixel++)
    for (let channel = 0; channel < 3; channel++) rgb[pixel * 3 + channel] = samples[pixel * size + channel];
  return rgb;
}

/** Writes a picture in full colours. */
export function encodePng({ width, height, rgb }: Picture): Buffer {
  return writeFile(width, height, FULL_COLOURS, [['IDAT', rows(rgb, width * 3, height)]]);
}

/** Writes a picture of few colours, a third of the size. */
export function encodeTablePng({ width, height, table, pixels }: TablePicture): Buffer {
  return writeFile(width, height, BY_TABLE, [
    ['PLTE', table],
    ['IDAT', rows(pixels, width, height)],
  ]);
}

/** Chunks by name, those of one name joined. */
function readChunks(bytes: Buffer): Map<string, Buffer> {
  const found = new Map<string, Buffer>();
  for (let at = SIGNATURE.length; at < bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    const name = bytes.toString('latin1', at + 4, at + 8);
    const data = bytes.subarray(at + 8, at + 8 + length);
    const before = found.get(name);
    found.set(name, before ? Buffer.concat([before, data]) : data);
    at += length + 12;
  }
  return found;
}

/** Undoes what was done to each row to make it compress better: its first byte says what. */
function unfilter(raw: Uint8Array, length: number, height: number, size: number): Uint8Array {
  const out = new Uint8Array(length * height);
  for (let row = 0; row < height; row++) {
    const filter = raw[row * (length + 1)];
    const from = row * (length + 1) + 1;
    const to = row * length;
    for (let column = 0; column < length; column++) {
      const left = column >= size ? out[to + column - size] : 0;
      const above = row > 0 ? out[to - length + column] : 0;
      const corner = column >= size && row > 0 ? out[to - length + column - size] : 0;
      out[to + column] = raw[from + column] + predicted(filter, left, above, corner);
    }
  }
  return out;
}

function predicted(filter: number, left: number, above: number, corner: number): number {
  if (filter === 0) return 0;
  if (filter === 1) return left;
  if (filter === 2) return above;
  if (filter === 3) return (left + above) >> 1;
  const sum = left + above - corner;
  const [toLeft, toAbove, toCorner] = [Math.abs(sum - left), Math.abs(sum - above), Math.abs(sum - corner)];
  if (toLeft <= toAbove && toLeft <= toCorner) return left;
  return toAbove <= toCorner ? above : corner;
}

/** Rows as they are, compressed. */
function rows(samples: Uint8Array, length: number, height: number): Uint8Array {
  const raw = new Uint8Array((length + 1) * height);
  for (let row = 0; row < height; row++)
    raw.set(samples.subarray(row * length, (row + 1) * length), row * (length + 1) + 1);
  return deflateSync(raw, { level: 9, memLevel: 9 });
}

function writeFile(
  width: number,
  height: number,
  kind: number,
  chunks: readonly (readonly [name: string, data: Uint8Array])[],
): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, kind, 0, 0, 0], 8);
  const all = [['IHDR', head] as const, ...chunks, ['IEND', Buffer.alloc(0)] as const];
  return Buffer.concat([SIGNATURE, ...all.map(([name, data]) => writeChunk(name, data))]);
}

function writeChunk(name: string, data: Uint8Array): Buffer {
  const chunk = Buffer.alloc(data.length + 12);
  chunk.writeUInt32BE(data.length, 0);
  chunk.write(name, 4, 'latin1');
  chunk.set(data, 8);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, data.length + 8)), data.length + 8);
  return chunk;
}
