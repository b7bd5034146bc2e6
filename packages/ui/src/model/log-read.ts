/** Reads lines of a log by number, whatever their length: one answer of the server holds a limited amount. */
import type { AnswerOf } from '@orrery/sdk/client';

/** The used part of an answer. */
type Piece = Pick<AnswerOf<'readLog'>, 'text' | 'next' | 'size'>;

/** Whether its last line is complete, or is the present end of the log. */
const isWhole = ({ text, next, size }: Piece) => text.endsWith('\n') || next >= size;

/** The lines of a text. */
export function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

/**
 * Lines counted from 0, up to `to`, which is not among them; fewer where the log ends before. Of a line that is longer
 * than an answer there is its beginning.
 */
export async function readLines(
  read: (query: { readonly line: string }) => Promise<Piece>,
  from: number,
  to: number,
): Promise<readonly string[]> {
  const found: string[] = [];
  while (from + found.length < to) {
    const first = from + found.length;
    const piece = await read({ line: `${first + 1}-${to}` });
    const some = linesOf(piece.text);
    if (some.length === 0) break;
    found.push(...(isWhole(piece) || some.length === 1 ? some : some.slice(0, -1)));
  }
  return found;
}

/** The last lines of a log, with the first answer; the end is what one came for, however many answers it takes. */
export async function readLastLines<Answer extends Piece & { readonly lines: number | null }>(
  read: (query: { readonly line: string }) => Promise<Answer>,
  count: number,
): Promise<Answer & { readonly last: readonly string[] }> {
  const answer = await read({ line: `-${count}` });
  const [last, total] = [linesOf(answer.text), answer.lines ?? 0];
  if (last.length >= Math.min(count, total) && isWhole(answer)) return { ...answer, last };
  return { ...answer, last: await readLines(read, Math.max(0, total - count), total) };
}
