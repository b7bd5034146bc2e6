/** A piece of a log by bytes, or by lines. */
import type { Answer } from '@orrery/contract';
import type { AttemptName } from '@orrery/core/run';
import type { Context } from '../context.ts';
import { type OpenLog, openLog } from './find.ts';
import { type LineIndex, walk } from './line-index.ts';

type Piece = Answer<'readLog'>;

/** Lines of one answer. */
const MOST_LINES = 10_000;

/** Bytes of one answer. */
const MOST_BYTES = 1024 * 1024;

/** Reads a piece by bytes. */
export async function readBytes(
  context: Context,
  name: AttemptName,
  range: { readonly offset: number; readonly limit: number },
): Promise<Piece> {
  return piece(await openLog(context, name), range);
}

/** Reads lines: `120`, `120-140`, or `-50` for the last 50. Of very long lines as much as fits into an answer. */
export async function readLines(
  context: Context,
  index: LineIndex,
  name: AttemptName,
  text: string,
): Promise<Piece> {
  const log = await openLog(context, name);
  const total = await index.total(log);
  const { first, count } = linesOf(text, total);
  const start = await index.find(log, first);
  const end = await walk(log, start, ({ offset, line }) => {
    return line < first + count && offset - start.offset < MOST_BYTES;
  });
  const limit = Math.min(end.offset - start.offset, MOST_BYTES);
  const lines = { firstLine: Math.min(first, total) + 1, lines: total };
  return { ...(await piece(log, { offset: start.offset, limit })), ...lines };
}

function linesOf(text: string, total: number): { first: number; count: number } {
  if (text.startsWith('-')) {
    const count = Math.min(Number(text.slice(1)), total, MOST_LINES);
    return { first: total - count, count };
  }
  const [from, to = from] = text.split('-').map(Number);
  return { first: Math.min(from, to) - 1, count: Math.min(Math.abs(to - from) + 1, MOST_LINES) };
}

async function piece(
  log: OpenLog,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<Piece> {
  const { attempt, ended, source, process, loss } = log;
  const { bytes, next, size } = await log.read(offset, limit);
  return {
    state: attempt.state,
    offset,
    next,
    size,
    done: ended && next >= size,
    source,
    worker: attempt.worker,
    process,
    loss,
    firstLine: null,
    lines: null,
    text: new TextDecoder().decode(bytes),
  };
}
