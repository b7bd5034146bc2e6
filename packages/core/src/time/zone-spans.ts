/**
 * The spans of a time zone: periods with one UTC offset, read from Intl once and then looked up. Every local
 * time that a clock shows belongs to exactly one span: a time shown twice (clocks back) belongs to the later
 * one, a time never shown (clocks forward) lies in the gap between two.
 */
import { InvalidInput } from '../errors.ts';
import { said } from '../texts/index.ts';
import { DAY, SECOND } from './civil.ts';

/** A period with one offset. Long periods are split, so `to` need not be a change of offset. */
export interface Span {
  /** First instant of the span. */
  readonly from: number;
  /** First instant after it. */
  readonly to: number;
  /** Local time is the instant + `offset`, in milliseconds. */
  readonly offset: number;
  /** The local times of the span: from `localFrom`, before `localTo`; the range may be empty. */
  readonly localFrom: number;
  readonly localTo: number;
}

/** The offset from `at` on. */
interface Change {
  at: number;
  offset: number;
}

/** Spans are read in pieces of about a year, by probes: no zone has changed twice between two of them. */
const PIECE = 366 * DAY;
const PROBE = 6 * DAY;
/** Limit of pieces cached per zone: more than the years of any cron, and a bound for dates from outside. */
const KEPT_PIECES = 256;

const ALWAYS_UTC: Span = {
  from: Number.NEGATIVE_INFINITY,
  to: Number.POSITIVE_INFINITY,
  offset: 0,
  localFrom: Number.NEGATIVE_INFINITY,
  localTo: Number.POSITIVE_INFINITY,
};

/**
 * Returns a function that finds the span of an instant in the named zone. Throws `InvalidInput` for an
 * unknown name.
 */
export function spansOf(name: string): (at: number) => Span {
  if (name === 'UTC' || name === 'Z' || name === 'GMT') return () => ALWAYS_UTC;
  const readOffset = offsetReader(name);
  const pieces = new Map<number, readonly Span[]>();
  let last = ALWAYS_UTC;
  return (at) => {
    if (last !== ALWAYS_UTC && at >= last.from && at < last.to) return last;
    const index = Math.floor(at / PIECE);
    let spans = pieces.get(index);
    if (!spans) {
      spans = spansBetween(readOffset, index * PIECE, (index + 1) * PIECE);
      if (pieces.size >= KEPT_PIECES) pieces.clear();
      pieces.set(index, spans);
    }
    let i = spans.length - 1;
    while (spans[i].from > at) i--;
    last = spans[i];
    return last;
  };
}

/** The spans between two instants. Looks a day further, for a change that repeats local times before `to`. */
export function spansBetween(readOffset: (at: number) => number, from: number, to: number): Span[] {
  const changes = changesBetween(readOffset, from, to + DAY);
  return changes
    .filter((change) => change.at < to)
    .map(({ at, offset }, i) => {
      const next = changes[i + 1] ?? { at: Number.POSITIVE_INFINITY, offset };
      const end = Math.min(next.at, to);
      const localTo = Math.min(end + offset, next.at + Math.min(offset, next.offset));
      return { from: at, to: end, offset, localFrom: Math.min(at + offset, localTo), localTo };
    });
}

/** The offset in force at `from`, then every change up to `to`. */
function changesBetween(readOffset: (at: number) => number, from: number, to: number): Change[] {
  let offset = readOffset(from);
  const changes: Change[] = [{ at: from, offset }];
  for (let at = from; at < to; at += PROBE) {
    const end = Math.min(at + PROBE, to);
    const offsetAtEnd = readOffset(end);
    if (offsetAtEnd === offset) continue;
    let before = at / SECOND;
    let after = end / SECOND;
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2);
      if (readOffset(middle * SECOND) === offset) before = middle;
      else after = middle;
    }
    offset = offsetAtEnd;
    changes.push({ at: after * SECOND, offset });
  }
  return changes;
}

/** Reads offsets from Intl, which writes them as `GMT`, `GMT-05:00` or `GMT-00:44:30`. */
function offsetReader(name: string): (at: number) => number {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' });
  } catch {
    throw new InvalidInput(said('value.timezone', { name }));
  }
  return (at) => {
    const text = format.format(at);
    const written = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(text);
    if (!written) throw new Error(`cannot read the offset in "${text}"`);
    const [, sign, hours = '0', minutes = '0', seconds = '0'] = written;
    const size = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
    return (sign === '-' ? -size : size) * SECOND;
  };
}
