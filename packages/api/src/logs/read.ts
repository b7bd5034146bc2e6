/** A piece of a log: from the worker's file, else the end of it that was kept with the outcome. */
import type { Answer, AttemptName } from '@orrery/core/contract';
import type { Context } from '../server.ts';
import { findLog } from './find.ts';

/** Reads a piece. */
export async function readLog(
  context: Context,
  name: AttemptName,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<Answer<'readLog'>> {
  const { id, attempt, place, ended } = await findLog(context, name);
  const piece = place && (await context.logs.read(place, { offset, limit }));
  if (piece && piece.size > 0) {
    const text = new TextDecoder().decode(piece.bytes);
    const { next, size } = piece;
    return { state: attempt.state, offset, next, size, done: ended && next >= size, source: 'log', text };
  }
  const tail = Buffer.from((ended && (await context.store.readLogTail(id))) || '');
  const bytes = tail.subarray(offset, offset + limit);
  const next = offset + bytes.length;
  return {
    state: attempt.state,
    offset,
    next,
    size: tail.length,
    done: ended && next >= tail.length,
    source: tail.length > 0 ? 'tail' : 'none',
    text: bytes.toString(),
  };
}
