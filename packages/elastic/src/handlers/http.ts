/** HTTP jobs: a request for each shard. */
import { InvalidInput } from '@orrery/core/errors';
import type { Clock } from '@orrery/core/timing';
import type { ShardHandler } from '../run/context.ts';
import { contextText } from './context-text.ts';

/** The request. Its header `shardingContext` holds the shard's context as JSON. */
export interface HttpRequest {
  readonly url: string;
  /** POST by default. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Milliseconds until the whole answer must be there; 10 s by default. */
  readonly timeout?: number;
}

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

const TIMEOUT = 10_000;
/** Of a refusal, in its error. */
const SHOWN = 200;

/** A handler that fails on any status from 400 on, which ElasticJob only logs. */
export function httpHandler(request: HttpRequest, fetch: Fetch, clock: Clock): ShardHandler {
  const { url, method = 'POST', headers = {}, body, timeout = TIMEOUT } = request;
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new InvalidInput(`"${url}" is not accepted; an http or https address is needed`, 'http.url');
  if (body !== undefined && /^(get|head)$/i.test(method))
    throw new InvalidInput(`a ${method} request has no body`, 'http.body');
  return async (context) => {
    const late = new AbortController();
    const timer = clock.setTimer(timeout, () => late.abort(new Error(`no answer within ${timeout} ms`)));
    try {
      const signal = AbortSignal.any([context.signal, late.signal]);
      const own = { shardingContext: contextText(context) };
      const answer = await fetch(url, { method, body, headers: { ...headers, ...own }, signal });
      const text = await answer.text();
      if (answer.status >= 400)
        throw new Error(`${method} ${url}: status ${answer.status} ${text.slice(0, SHOWN)}`.trimEnd());
    } catch (error) {
      throw late.signal.aborted ? late.signal.reason : withCause(error as Error);
    } finally {
      timer.cancel();
    }
  };
}

/** Adds the cause: `fetch failed` explains nothing. */
function withCause(error: Error): Error {
  const { cause } = error;
  return cause instanceof Error ? new Error(`${error.message}: ${cause.message}`, { cause }) : error;
}
