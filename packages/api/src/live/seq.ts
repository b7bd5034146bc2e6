/** A position in the feed as one word: `EPOCH.NUMBER.NODE` of every writer, joined by `~`. To callers it is opaque. */
import type { FeedPosition } from '@orrery/store';
import { Refusal } from '../problem.ts';

/** The position before anything was written. */
const NOTHING = '0';

/** A longer one was not made here; headers have a limit as well. */
const MOST = 12_000;

/** A position as text that fits into a header and into a query. */
export function seqText(position: FeedPosition): string {
  const parts = Object.entries(position).map(([writer, number]) => {
    const at = writer.indexOf('@');
    const node = encodeURIComponent(writer.slice(at + 1)).replaceAll('~', '%7E');
    return `${writer.slice(0, at)}.${number}.${node}`;
  });
  return parts.length === 0 ? NOTHING : parts.sort().join('~');
}

/** Reads a position; refuses what was not made by `seqText`. */
export function readSeq(text: string): FeedPosition {
  if (text === NOTHING) return {};
  const parts = text.length > MOST ? [] : text.split('~').map((part) => /^(\d+)\.(\d+)\.(.*)$/.exec(part));
  if (parts.length === 0 || parts.includes(null)) throw refused();
  try {
    return Object.fromEntries(
      parts.map((part) => {
        const [, epoch, number, node] = part ?? [];
        return [`${epoch}@${decodeURIComponent(node)}`, Number(number)];
      }),
    );
  } catch {
    throw refused();
  }
}

function refused(): Refusal {
  return new Refusal('bad-request', 'after: is not a position; give the Orrery-Seq of an answer');
}
