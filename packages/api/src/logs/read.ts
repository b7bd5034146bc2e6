/** A piece of a log: from the worker's file, else the end of it that was kept with the outcome. */
import type { AttemptName } from '../runs/names.ts';
import type { Context } from '../server.ts';
import { findLog } from './find.ts';

/** A piece as the API answers it; offsets count bytes. */
export interface LogAnswer {
  readonly state: string;
  readonly offset: number;
  /** Where to go on. */
  readonly next: number;
  readonly size: number;
  /** Nothing comes after `next` any more. */
  readonly done: boolean;
  /** `tail`: the log itself is gone, this is the end that was kept. */
  readonly source: 'log' | 'tail' | 'none';
  readonly text: string;
}

/** Reads a piece. */
export async function readLog(
  context: Context,
  name: AttemptName,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<LogAnswer> {
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
