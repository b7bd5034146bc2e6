/**
 * Runs one shard to its outcome: attempts with back-off, a time limit for each, and an end even if a handler
 * ignores its signal. After a grace such a handler is abandoned; its token is stale from then on.
 */
import type { Clock } from '@orrery/core/timing';
import type { Grant, ShardOutcome } from '../board/board.ts';
import type { ShardContext, ShardHandler } from './context.ts';

/** How hard a shard is tried. All times in milliseconds. */
export interface ShardLimits {
  /** Attempts after the first. */
  readonly retries: number;
  /** Wait before the next attempt. */
  readonly retryDelay: number;
  /** Time limit of one attempt; none if undefined. */
  readonly timeout: number | undefined;
  /** How long an aborted handler may take to return before it is left behind. */
  readonly grace: number;
}

/** What a shard runs with. */
export interface ShardRun {
  readonly grant: Grant;
  readonly handler: ShardHandler;
  readonly context: Omit<ShardContext, 'shard' | 'token' | 'attempt' | 'signal'>;
  readonly limits: ShardLimits;
  /** Aborted when the whole round must stop. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

/** Runs the shard; never rejects. */
export async function runShard(run: ShardRun): Promise<ShardOutcome> {
  const { grant, limits, signal, clock } = run;
  const startedAt = clock.now();
  let error: unknown;
  let attempts = 0;
  while (attempts <= limits.retries && !signal.aborted) {
    attempts++;
    error = await attempt(run, attempts);
    // Beside a handler that was left behind another attempt would have the same token.
    if (error === undefined || error instanceof LeftBehind) break;
    if (attempts <= limits.retries && !signal.aborted) await pause(clock, limits.retryDelay, signal);
  }
  if (attempts === 0) error = reasonOf(signal);
  const ended = { ...grant, attempts, startedAt, endedAt: clock.now() };
  return error === undefined ? { ...ended, ok: true } : { ...ended, ok: false, error: textOf(error) };
}

/** A handler ignored its signal for the whole grace and may still run. */
class LeftBehind extends Error {}

/** One attempt; what went wrong, or undefined. */
async function attempt(
  { grant, handler, context, limits, signal, clock }: ShardRun,
  number: number,
): Promise<unknown> {
  const own = new AbortController();
  const abort = () => own.abort(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  const limit =
    limits.timeout === undefined
      ? undefined
      : clock.setTimer(limits.timeout, () => own.abort(new Error(`time limit of ${limits.timeout} ms`)));
  try {
    const work = (async () =>
      handler({ ...context, ...grant, attempt: number, signal: own.signal }) as Promise<void>)();
    await Promise.race([work, leftBehind(own.signal, limits.grace, clock, work)]);
    // A handler that returned after it was asked to stop has not done its work.
    return own.signal.aborted ? reasonOf(own.signal) : undefined;
  } catch (error) {
    if (error instanceof LeftBehind) return error;
    return own.signal.aborted ? reasonOf(own.signal) : (error ?? new Error('failed without an error'));
  } finally {
    limit?.cancel();
    signal.removeEventListener('abort', abort);
  }
}

/** Rejects once a handler has ignored its signal for the whole grace. */
function leftBehind(signal: AbortSignal, grace: number, clock: Clock, work: Promise<void>): Promise<never> {
  return new Promise((_, reject) => {
    const begin = () => {
      const why = `${textOf(reasonOf(signal))}; the handler did not return within ${grace} ms after that`;
      const timer = clock.setTimer(grace, () => reject(new LeftBehind(why)));
      work.then(timer.cancel, timer.cancel);
    };
    if (signal.aborted) begin();
    else signal.addEventListener('abort', begin, { once: true });
  });
}

function pause(clock: Clock, delay: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = clock.setTimer(delay, resolve);
    const stop = () => {
      timer.cancel();
      resolve();
    };
    signal.addEventListener('abort', stop, { once: true });
  });
}

function reasonOf(signal: AbortSignal): unknown {
  return signal.reason ?? new Error('aborted');
}

/** The error as one text, bounded: it is stored and sent. */
export function textOf(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error);
  return text.length > 4_000 ? `${text.slice(0, 4_000)}…` : text;
}
