/**
 * Searches lines of a log. The log is read in pieces, never as a whole, and a request searches for a limited
 * time. A text is searched here, a regular expression on its own thread, which can be terminated if it does
 * not finish.
 */

import { once } from 'node:events';
import { extname } from 'node:path';
import { setImmediate as yieldTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Answer } from '@orrery/contract';
import { said } from '@orrery/core/texts';
import { Refusal } from '../problem.ts';
import type { OpenLog } from './find.ts';
import { hitsOf, type LineHit, type Matcher, textMatcher } from './match.ts';

type Hit = Answer<'searchLog'>['hits'][number];

/** The pattern and the starting point of a search. */
export interface LogSearch {
  readonly q: string;
  readonly regex: boolean;
  readonly ignoreCase: boolean;
  readonly limit: number;
  /** Where the search before stopped: an offset, and the lines before it. */
  readonly after?: { readonly offset: number; readonly line: number };
}

/** What was found, and where to go on; undefined at the end of the log. */
export interface LogHits {
  readonly hits: Hit[];
  readonly looked: number;
  readonly next: { readonly offset: number; readonly line: number } | undefined;
}

/** Bytes read at once. */
const PIECE = 256 * 1024;

/** Milliseconds that one request looks. */
const LOOKS_FOR = 2_000;

/** A line longer than this is looked through in parts, so that memory stays bounded. */
const LONGEST_LINE = 1024 * 1024;

/** Searches a log. `now` is a clock that only runs forward. */
export async function searchLog(log: OpenLog, search: LogSearch, now: () => number): Promise<LogHits> {
  const matcher = search.regex ? await ThreadMatcher.start(search) : textMatcher(search);
  const until = now() + LOOKS_FOR;
  const hits: Hit[] = [];
  let { offset, line } = search.after ?? { offset: 0, line: 0 };
  try {
    let left = Buffer.alloc(0);
    let read = offset;
    while (read < log.size) {
      const { bytes, next } = await log.read(read, Math.min(PIECE, log.size - read));
      if (next <= read) break;
      read = next;
      const text = Buffer.concat([left, bytes]);
      const whole = read >= log.size || text.length > LONGEST_LINE ? text.length : text.lastIndexOf(10) + 1;
      const found = await hitsOf(matcher, text.subarray(0, whole), { offset, line });
      for (const hit of found.hits) {
        hits.push(shown(hit));
        if (hits.length === search.limit) {
          return { hits, looked: hit.end, next: hit.end < log.size ? hit.after : undefined };
        }
      }
      ({ offset, line } = found.after);
      left = Buffer.from(text.subarray(whole));
      if (now() >= until && read < log.size) return { hits, looked: offset, next: { offset, line } };
      await yieldTurn();
    }
    return { hits, looked: log.size, next: undefined };
  } finally {
    await matcher.stop();
  }
}

/** Characters around a hit that are shown of a long line. */
const SHOWN = 1_000;

function shown({ line, offset, from, to, text }: LineHit): Hit {
  if (text.length <= SHOWN) return { line: line + 1, offset, from, to, text };
  const cut = Math.max(0, Math.min(from - SHOWN / 2, text.length - SHOWN));
  const part = text.slice(cut, cut + SHOWN);
  return { line: line + 1, offset, from: from - cut, to: Math.min(to - cut, part.length), text: part };
}

/** Threads that look at once: each has some megabytes of its own, and a processor has only so much to give. */
const MOST_THREADS = 8;

let threads = 0;

type Matches = readonly (readonly [number, number] | null)[];

/** A regular expression on a thread, which is given so long for each piece of a log. */
class ThreadMatcher implements Matcher {
  private readonly thread: Worker;
  private asked: PromiseWithResolvers<Matches> | undefined;

  private constructor(thread: Worker) {
    this.thread = thread;
    thread.on('message', (matches: Matches) => this.asked?.resolve(matches));
    thread.on('error', (error) => this.asked?.reject(error));
  }

  /** Starts the thread. Refuses an invalid regular expression. */
  static async start({ q, ignoreCase }: LogSearch): Promise<ThreadMatcher> {
    try {
      new RegExp(q);
    } catch (error) {
      throw new Refusal('bad-request', said('search.badPattern', { error: (error as Error).message }));
    }
    if (threads >= MOST_THREADS) throw new Refusal('busy', said('busy.patterns'));
    threads++;
    const url = new URL(`./search-thread${extname(import.meta.url)}`, import.meta.url);
    const thread = new Worker(url, { workerData: { source: q, flags: ignoreCase ? 'i' : '' } });
    thread.once('exit', () => {
      threads--;
    });
    await once(thread, 'online');
    return new ThreadMatcher(thread);
  }

  match(lines: readonly string[]): Promise<Matches> {
    const asked = Promise.withResolvers<Matches>();
    this.asked = asked;
    const slow = setTimeout(
      () => asked.reject(new Refusal('bad-request', said('search.tooLong'))),
      LOOKS_FOR,
    );
    this.thread.postMessage(lines);
    return asked.promise.finally(() => clearTimeout(slow));
  }

  async stop(): Promise<void> {
    await this.thread.terminate();
  }
}
