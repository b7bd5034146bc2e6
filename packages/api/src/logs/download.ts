/** A log as a file: all there is now, piece by piece. */
import type { OpenLog } from './find.ts';

const PIECE = 256 * 1024;

/** The bytes of a log up to its present size. */
export async function* downloadLog(log: OpenLog): AsyncGenerator<Uint8Array> {
  for (let offset = 0; offset < log.size; ) {
    const { bytes, next } = await log.read(offset, Math.min(PIECE, log.size - offset));
    if (next <= offset) return;
    yield bytes;
    offset = next;
  }
}
