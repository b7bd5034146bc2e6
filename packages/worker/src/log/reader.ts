/** Reading logs: a piece by offset and limit, or the end. Offsets count bytes, so a reader can go on where it was. */
import { open } from 'node:fs/promises';
import { isContinuation, TAIL_BYTES, tailText } from './tail.ts';

/** A piece of a log. */
export interface LogPiece {
  readonly bytes: Buffer;
  /** Where to go on. */
  readonly next: number;
  /** How long the log is now; 0 as well when there is none, since an attempt that says nothing has none. */
  readonly size: number;
  /** There is no file. */
  readonly missing?: boolean;
}

/** Which piece. */
export interface LogRange {
  readonly offset?: number;
  readonly limit?: number;
}

const DEFAULT_LIMIT = 1_048_576;

/** Reads a piece. A character of a text is not cut at its end while more follows, so each piece can be shown alone. */
export async function readLog(
  path: string,
  { offset = 0, limit = DEFAULT_LIMIT }: LogRange = {},
): Promise<LogPiece> {
  const file = await openIfThere(path);
  if (!file) return { bytes: Buffer.alloc(0), next: offset, size: 0, missing: true };
  try {
    const { size } = await file.stat();
    const length = Math.max(0, Math.min(limit, size - offset));
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset);
    const read = buffer.subarray(0, bytesRead);
    const bytes = offset + bytesRead < size ? read.subarray(0, wholeCharacters(read)) : read;
    return { bytes, next: offset + bytes.length, size };
  } finally {
    await file.close();
  }
}

/** The end of a log as text of at most `most` bytes, from the beginning of a character on. */
export async function readTail(path: string, most = TAIL_BYTES): Promise<string> {
  const { size } = await readLog(path, { limit: 0 });
  const { bytes } = await readLog(path, { offset: Math.max(0, size - most), limit: most });
  return tailText(bytes, most);
}

async function openIfThere(path: string) {
  try {
    return await open(path, 'r');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** How many of the bytes form whole characters; all of them if they are no text or nothing else would be left. */
function wholeCharacters(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back];
    if (isContinuation(byte)) continue;
    const needs = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    const end = needs > back ? bytes.length - back : bytes.length;
    return end > 0 ? end : bytes.length;
  }
  return bytes.length;
}
