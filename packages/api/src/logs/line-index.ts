/**
 * The offset of every thousandth line of a log, indexed up to the furthest line requested and cached while in
 * use. The first jump into a log reads up to its target, each later one at most a thousand lines.
 */
import { setImmediate as yieldTurn } from 'node:timers/promises';
import type { OpenLog } from './find.ts';

/** Lines between two that are remembered. */
const EVERY = 1_000;

/** Bytes read at once to count a log, and to go through the lines between two that are remembered. */
const COUNTED = 1024 * 1024;
const WALKED = 128 * 1024;

const NEWLINE = 10;

/** How far a log was counted. */
interface Counted {
  /** `starts[k]` is where line k * EVERY begins; lines are counted from 0. */
  readonly starts: number[];
  /** Up to here newlines were counted. */
  until: number;
  newlines: number;
  /** The count in flight; other callers wait for it. */
  counting: Promise<void>;
}

/** Where a line starts, and how many lines are indexed. */
export interface LinePlace {
  readonly offset: number;
  readonly line: number;
}

/** Logs that are remembered. */
const MOST_LOGS = 200;

/** Counts lines of logs. */
export class LineIndex {
  private readonly logs = new Map<string, Counted>();

  /** The place of a line, counted from 0; of one beyond the end, the end. */
  async find(log: OpenLog, line: number): Promise<LinePlace> {
    const counted = await this.count(log, (known) => known.newlines >= line);
    const near = Math.min(Math.floor(line / EVERY), counted.starts.length - 1);
    return walk(log, { offset: counted.starts[near], line: near * EVERY }, ({ line: at }) => at < line);
  }

  /** How many lines there are, a last one without its newline included. */
  async total(log: OpenLog): Promise<number> {
    const { newlines } = await this.count(log, () => false);
    if (log.size === 0) return 0;
    const { bytes } = await log.read(log.size - 1, 1);
    return newlines + (bytes[0] === NEWLINE ? 0 : 1);
  }

  /** Extends the index until `enough`, or to the end of the log. */
  private async count(log: OpenLog, enough: (known: Counted) => boolean): Promise<Counted> {
    const known = this.known(log.key);
    known.counting = known.counting.catch(() => {}).then(() => countOn(log, known, enough));
    await known.counting;
    return known;
  }

  private known(key: string): Counted {
    const known = this.logs.get(key) ?? { starts: [0], until: 0, newlines: 0, counting: Promise.resolve() };
    this.logs.delete(key);
    this.logs.set(key, known);
    for (const oldest of this.logs.keys()) {
      if (this.logs.size <= MOST_LOGS) break;
      this.logs.delete(oldest);
    }
    return known;
  }
}

async function countOn(log: OpenLog, known: Counted, enough: (known: Counted) => boolean): Promise<void> {
  // A log that became shorter is another one under the same name.
  if (known.until > log.size) Object.assign(known, { starts: [0], until: 0, newlines: 0 });
  while (known.until < log.size && !enough(known)) {
    const { bytes, next } = await log.read(known.until, Math.min(COUNTED, log.size - known.until));
    if (next <= known.until) return;
    for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) {
      known.newlines++;
      if (known.newlines % EVERY === 0) known.starts.push(known.until + at + 1);
    }
    known.until = next;
    await yieldTurn();
  }
}

/** Advances line by line while `more` returns true, at most to the end. */
export async function walk(
  log: OpenLog,
  from: LinePlace,
  more: (place: LinePlace) => boolean,
): Promise<LinePlace> {
  let { offset, line } = from;
  let start = offset;
  while (more({ offset: start, line }) && offset < log.size) {
    const { bytes, next } = await log.read(offset, Math.min(WALKED, log.size - offset));
    if (next <= offset) break;
    let at = bytes.indexOf(NEWLINE);
    while (at >= 0) {
      line++;
      start = offset + at + 1;
      if (!more({ offset: start, line })) return { offset: start, line };
      at = bytes.indexOf(NEWLINE, at + 1);
    }
    offset = next;
  }
  // Beyond the last line: the end of the log.
  return more({ offset: start, line }) ? { offset: log.size, line } : { offset: start, line };
}
