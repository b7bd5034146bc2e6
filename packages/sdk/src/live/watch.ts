/**
 * Live changes as an iterator that survives broken connections:
 *
 *     connecting ── hello ──► live ── broken ──► waiting ──► connecting, from where it was
 *
 * It resumes after the last message it has seen, so no change is lost and repeated ones are dropped. If the
 * server could not keep up, it sends `resync`: read all shown data again. Ends when its signal is aborted.
 */
import { type LiveEvent, type LiveMessages, liveRules } from '@orrery/contract/live';
import type { Client } from '../client/client.ts';
import { ApiProblem, Unreachable } from '../client/problem.ts';
import { readEventStream } from './event-stream.ts';

/** A message of the stream, with its name as `kind`. */
export type LiveUpdate = {
  [Name in keyof LiveMessages]: { readonly kind: Name } & LiveMessages[Name];
}[keyof LiveMessages];

/** Whether changes arrive at this moment. */
export type WatchState = 'connecting' | 'live' | 'waiting';

/** How to watch. */
export interface WatchOptions {
  /** The `orrery-seq` of an answer: the stream begins right after what that answer shows. Default: now. */
  readonly after?: string;
  readonly signal?: AbortSignal;
  /** Called on every change of the state, for an indicator of live data. */
  readonly onState?: (state: WatchState) => void;
}

const SHORTEST_WAIT = 500;
const LONGEST_WAIT = 15_000;
/** A server that returns within seconds is found within one; after a long absence it is polled less often. */
const SHARE_OF_ABSENCE = 1 / 8;
/** The server sends something at every beat; after this long without data the connection is dead. */
const LONGEST_SILENCE = 2.5 * liveRules.beatEvery;
/**
 * Limit of versions remembered to recognize old changes. Beyond it the oldest are forgotten, and an old
 * change may be delivered twice.
 */
const MOST_VERSIONS = 10_000;

/** Watches topics such as `runs` and `run:12`. Throws final refusals, such as for an unknown topic. */
export async function* watch(
  client: Client,
  topics: readonly string[],
  { after, signal, onState }: WatchOptions = {},
): AsyncGenerator<LiveUpdate, void> {
  const { transport } = client;
  const isNews = newsFilter();
  const place: Place = { after };
  /** Milliseconds waited since something was last heard. */
  let away = 0;
  while (!signal?.aborted) {
    onState?.('connecting');
    try {
      for await (const update of connect(client, topics, place, signal)) {
        if (update.kind === 'hello') onState?.('live');
        away = 0;
        if (update.kind !== 'frame') yield update;
        else {
          const events = update.events.filter(isNews);
          if (events.length > 0) yield { ...update, events };
        }
      }
    } catch (error) {
      if (signal?.aborted) return;
      if (!passes(error)) throw error;
    }
    if (signal?.aborted) return;
    onState?.('waiting');
    // Random, so that clients that lost a server together do not all return at the same moment.
    const most = Math.min(Math.max(1.5 * SHORTEST_WAIT, away * SHARE_OF_ABSENCE), LONGEST_WAIT);
    const wait = SHORTEST_WAIT + transport.random() * (most - SHORTEST_WAIT);
    away += wait;
    await transport.sleep(wait, signal).catch(() => {});
  }
}

/** Where the stream goes on: `after` until the first message, then the id of the last one. */
interface Place {
  after?: string;
  last?: string;
}

/** One connection; moves the place on with every message. */
async function* connect(
  { transport }: Client,
  topics: readonly string[],
  place: Place,
  signal: AbortSignal | undefined,
): AsyncGenerator<LiveUpdate, void> {
  const ending = new AbortController();
  const either = signal ? AbortSignal.any([signal, ending.signal]) : ending.signal;
  let silence: ReturnType<typeof setTimeout> | undefined;
  const heard = () => {
    clearTimeout(silence);
    silence = setTimeout(
      () => ending.abort(new Unreachable('the stream fell silent', transport.base)),
      LONGEST_SILENCE,
    );
  };
  either.addEventListener('abort', () => clearTimeout(silence));
  const query = new URLSearchParams({ topics: topics.join(',') });
  if (place.last === undefined && place.after !== undefined) query.set('after', place.after);
  const headers = {
    accept: 'text/event-stream',
    ...(place.last !== undefined && { 'last-event-id': place.last }),
  };
  try {
    heard();
    const { body } = await transport.open({ method: 'GET', path: `/events?${query}`, headers }, either);
    if (!body) return;
    for await (const { event, data, id } of readEventStream(body, heard)) {
      if (id !== undefined) place.last = id;
      yield { kind: event, ...JSON.parse(data) } as LiveUpdate;
    }
  } catch (error) {
    if (error instanceof ApiProblem || error instanceof Unreachable) throw error;
    throw new Unreachable(`the stream from ${transport.base} broke off`, transport.base, { cause: error });
  } finally {
    clearTimeout(silence);
    ending.abort();
  }
}

/** Whether another connection may succeed where this one failed. */
function passes(error: unknown): boolean {
  return (
    error instanceof Unreachable ||
    (error instanceof ApiProblem && (error.status >= 500 || error.status === 429))
  );
}

/** Returns whether an event is at least as new as the previous one for the same thing. */
function newsFilter(): (event: LiveEvent) => boolean {
  const versions = new Map<string, number>();
  return ({ topic, kind, id, version }) => {
    if (kind === 'many') return true;
    const key = `${topic} ${kind} ${id}`;
    if (version < (versions.get(key) ?? Number.NEGATIVE_INFINITY)) return false;
    versions.delete(key);
    versions.set(key, version);
    for (const oldest of versions.keys()) {
      if (versions.size <= MOST_VERSIONS) break;
      versions.delete(oldest);
    }
    return true;
  };
}
