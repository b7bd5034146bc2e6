/** Reads logs: a piece by offset and limit, or the end. Offsets count bytes, so a reader can resume. */
import { open } from 'node:fs/promises';
import { isContinuation, TAIL_BYTES, tailText } from './tail.ts';

/** A piece of a log. */
export interface LogPiece {
  readonly bytes: Buffer;
  /** The offset of the next piece. */
  readonly next: number;
  /** The current size of the log; 0 also if it does not exist, since an attempt without output has no log. */
  readonly size: number;
  /** Whether the file does not exist. */
  readonly missing?: boolean;
}

/** The piece to read. */
export interface LogRange {
  readonly offset?: number;
  readonly limit?: number;
}

const DEFAULT_LIMIT = 1_048_576;

/**
 * Reads a piece. If more follows, a character at its end is not split, so each piece can be shown by itself.
 */
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

/** The end of a log as text of at most `most` bytes, starting at a character boundary. */
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

/**
 * How many of the bytes form whole characters; all of them if they are not text or nothing else would be
 * left.
 */
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
