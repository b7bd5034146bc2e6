/**
 * One request and its answer: the token, a time limit for each try, and further tries where a second one does no harm.
 * The whole answer is read within a try, so that a connection that breaks in the middle counts as a failed one.
 */
import { ApiProblem, refusalOf, Unreachable } from './problem.ts';

/** The server's address, the caller's token, and the client's patience. */
export interface ClientOptions {
  /** Such as `http://127.0.0.1:7070`; in a browser, by default the origin of the page. */
  readonly url?: string;
  /** A function is asked before every request, for tokens that change. */
  readonly token?: string | (() => string | undefined | Promise<string | undefined>);
  readonly fetch?: typeof fetch;
  /** The longest that one try may take, in milliseconds; 30,000 by default. */
  readonly timeout?: number;
  /** How often a request that does no harm twice is tried again; 3 by default. */
  readonly retries?: number;
  /** Makes the idempotency keys of requests that make something; random by default. */
  readonly makeKey?: () => string;
  /** Chance from 0 to 1, for the length of waits. */
  readonly random?: () => number;
  /** Waits; a test need not. Must end early, by throwing, when the signal is aborted. */
  readonly sleep?: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
}

/** What one call may say beside its input. */
export interface CallOptions {
  /** Ends the call: it then throws the reason of the signal. */
  readonly signal?: AbortSignal;
  readonly timeout?: number;
  readonly retries?: number;
  /**
   * Receives the headers of the answer: `orrery-seq` is the position from which a live stream continues it.
   */
  readonly onHeaders?: (headers: Headers) => void;
}

/** A request in HTTP terms; the path is below the server's own. */
export interface Request {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Whether a second one does no harm, so that it may be sent again when no answer came. */
  readonly repeatable: boolean;
}

/** Sends requests to one server. */
export interface Transport {
  /** What the addresses of the server begin with. */
  readonly base: string;
  /** Sends and reads the whole answer by `read`; throws `ApiProblem` or `Unreachable`. */
  send<T>(request: Request, read: (answer: Response) => Promise<T>, options?: CallOptions): Promise<T>;
  /** One try without a time limit, for answers that come piece by piece. */
  open(request: Omit<Request, 'repeatable'>, signal?: AbortSignal): Promise<Response>;
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  random(): number;
}

/** What every path of the API begins with. */
export const ROOT = '/api/v1';

const TIMEOUT = 30_000;
const RETRIES = 3;
const FIRST_WAIT = 250;
const LONGEST_WAIT = 8_000;
/** If a server asks for a longer wait than this, the caller gets its answer instead. */
const MOST_PATIENCE = 60_000;
/**
 * Transient statuses: too many requests, or a part between client and server is away. Any answer with a retry
 * time counts too.
 */
const passing = [429, 502, 503, 504];

/** Checks the options, so that a bad address fails at once and not with the first request. */
export function createTransport(options: ClientOptions): Transport {
  const base = baseOf(options.url);
  const { fetch: ask = fetch, token, random = Math.random, sleep = pause } = options;

  async function open({ method, path, headers, body }: Omit<Request, 'repeatable'>, signal?: AbortSignal) {
    const url = `${base}${path}`;
    const bearer = typeof token === 'function' ? await token() : token;
    let answer: Response;
    try {
      answer = await ask(url, {
        method,
        body,
        headers: { ...headers, ...(bearer && { authorization: `Bearer ${bearer}` }) },
        signal,
      });
    } catch (error) {
      signal?.throwIfAborted();
      throw new Unreachable(`no server answers at ${base}${codeOf(error)}`, url, {
        cause: error,
      });
    }
    if (!answer.ok) throw await refusalOf(answer, url);
    return answer;
  }

  async function attempt<T>(
    request: Request,
    read: (answer: Response) => Promise<T>,
    { signal, timeout = options.timeout ?? TIMEOUT, onHeaders }: CallOptions,
  ): Promise<T> {
    const limit = AbortSignal.timeout(timeout);
    const either = signal ? AbortSignal.any([signal, limit]) : limit;
    const url = `${base}${request.path}`;
    let answer: Response;
    let content: T;
    try {
      answer = await open(request, either);
      content = await read(answer);
    } catch (error) {
      signal?.throwIfAborted();
      if (limit.aborted)
        throw new Unreachable(`no answer from ${url} within ${timeout} ms`, url, { cause: error });
      if (error instanceof ApiProblem || error instanceof Unreachable) throw error;
      throw new Unreachable(`the answer from ${url} broke off${codeOf(error)}`, url, { cause: error });
    }
    onHeaders?.(answer.headers);
    return content;
  }

  return {
    base,
    open,
    sleep,
    random,
    async send(request, read, call = {}) {
      const most = request.repeatable ? (call.retries ?? options.retries ?? RETRIES) : 0;
      for (let tried = 0; ; tried++) {
        try {
          return await attempt(request, read, call);
        } catch (error) {
          const wait = tried < most ? waitAfter(error, tried, random()) : undefined;
          if (wait === undefined) throw error;
          await sleep(wait, call.signal);
        }
      }
    },
  };
}

/** How long to wait before the next try; undefined where there is to be none. */
function waitAfter(error: unknown, tried: number, chance: number): number | undefined {
  if (!(error instanceof ApiProblem || error instanceof Unreachable)) return undefined;
  const asked = error.retryAfter;
  if (error.status !== undefined && asked === undefined && !passing.includes(error.status)) return undefined;
  if (asked !== undefined) return asked > MOST_PATIENCE ? undefined : asked;
  return Math.min(FIRST_WAIT * 2 ** tried, LONGEST_WAIT) * (0.5 + chance / 2);
}

function baseOf(url: string | undefined): string {
  // In a page the default is its origin; elsewhere there is none.
  if (url === undefined || url === '') {
    if ('document' in globalThis) return ROOT;
    throw new TypeError('createClient needs the address of the server: { url: "http://127.0.0.1:7070" }');
  }
  if (!/^https?:\/\//.test(url) || !URL.canParse(url))
    throw new TypeError(`"${url}" is not the address of a server; write http://127.0.0.1:7070`);
  return `${url.replace(/\/+$/, '')}${ROOT}`;
}

/** Node has the reason in the cause, browsers give none. */
function codeOf(error: unknown): string {
  const { cause } = error as { cause?: { code?: unknown } };
  return typeof cause?.code === 'string' ? ` (${cause.code})` : '';
}

function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  signal?.throwIfAborted();
  const stop = () => {
    clearTimeout(timer);
    reject(signal?.reason);
  };
  const timer = setTimeout(() => {
    signal?.removeEventListener('abort', stop);
    resolve();
  }, milliseconds);
  signal?.addEventListener('abort', stop, { once: true });
  return promise;
}
