/**
 * A position in the feed as one word: `EPOCH.NUMBER.NODE` of every writer, joined by `~`. It is opaque to
 * callers. If there are too many writers for a header, it is an invalid position, from which a client must
 * resync.
 */

import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { said } from '@orrery/core/texts';
import type { FeedPosition } from '@orrery/store';
import { Refusal } from '../problem.ts';

/** The position before anything was written. */
const NOTHING = '0';

/** Where a stream begins with `resync`: no epoch is negative. */
const ANEW = '-1.0.';

/** A longer one is packed: names of nodes are alike. No part of a position begins with the mark. */
const MOST_PLAIN = 1_000;
const PACKED = 'z';

/** Limit of a position's length. Some proxies accept only 4 KB of headers in all. */
const MOST_MADE = 3_000;

/** A longer one was never made. */
const MOST_READ = 12_000;
const MOST_UNPACKED = 100_000;

/** A position as text that fits into a header and into a query. */
export function seqText(position: FeedPosition): string {
  const parts = Object.entries(position).map(([writer, number]) => {
    const at = writer.indexOf('@');
    const node = encodeURIComponent(writer.slice(at + 1)).replaceAll('~', '%7E');
    return `${writer.slice(0, at)}.${number}.${node}`;
  });
  const text = parts.length === 0 ? NOTHING : parts.sort().join('~');
  if (text.length <= MOST_PLAIN) return text;
  const packed = `${PACKED}${deflateRawSync(text).toString('base64url')}`;
  return packed.length > MOST_MADE ? ANEW : packed;
}

/** Reads a position; refuses what was not made by `seqText`. */
export function readSeq(text: string): FeedPosition {
  if (text === NOTHING) return {};
  if (text.length > MOST_READ) throw refused();
  const plain = text.startsWith(PACKED) ? unpacked(text.slice(PACKED.length)) : text;
  const parts = plain.split('~').map((part) => /^(-1|\d+)\.(\d+)\.(.*)$/.exec(part));
  if (parts.includes(null)) throw refused();
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

/** What was packed; nothing more than a position can be long. */
function unpacked(text: string): string {
  try {
    return inflateRawSync(Buffer.from(text, 'base64url'), { maxOutputLength: MOST_UNPACKED }).toString();
  } catch {
    throw refused();
  }
}

function refused(): Refusal {
  return new Refusal('bad-request', said('live.badPosition'));
}
