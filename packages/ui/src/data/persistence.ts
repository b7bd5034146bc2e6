/**
 * Requests that outlive faults: each is made again at growing intervals until it is answered, and whoever shows the
 * page hears that something is wrong, and when nothing is any more. A refusal stays one: asking again changes nothing.
 */
import { ApiProblem } from '@orrery/sdk/client';

const FIRST_WAIT = 500;
const LONGEST_WAIT = 15_000;

/** The requests of one reader, until it is told to end. */
export class Persistence {
  private readonly failing = new Map<symbol, Error>();
  private readonly waiting = new Set<() => void>();
  private readonly signal: AbortSignal;
  private readonly onTrouble: (error: Error | undefined) => void;

  /** `onTrouble` hears the fault that is waited out, and undefined once every request is answered. */
  constructor(signal: AbortSignal, onTrouble: (error: Error | undefined) => void) {
    this.signal = signal;
    this.onTrouble = onTrouble;
    signal.addEventListener('abort', () => this.now(), { once: true });
  }

  /** Makes a request until it is answered; throws a refusal, and whatever comes after the end. */
  async ask<T>(request: () => Promise<T>): Promise<T> {
    const name = Symbol();
    for (let wait = FIRST_WAIT; ; wait = Math.min(2 * wait, LONGEST_WAIT)) {
      try {
        const answer = await request();
        this.settle(name);
        // One answer means that the server is there: the others need not wait any longer.
        this.now();
        return answer;
      } catch (failure) {
        const error = failure instanceof Error ? failure : new Error(String(failure));
        if (this.signal.aborted || !mayPass(error)) {
          this.settle(name);
          throw error;
        }
        this.failing.set(name, error);
        this.onTrouble(error);
        await this.pause(wait);
      }
    }
  }

  /** Asks at once for everything that waits. */
  now(): void {
    for (const wake of [...this.waiting]) wake();
  }

  private settle(name: symbol): void {
    if (this.failing.delete(name) && !this.signal.aborted) this.onTrouble(this.failing.values().next().value);
  }

  private async pause(wait: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, wait);
    this.waiting.add(resolve);
    await promise;
    this.waiting.delete(resolve);
    clearTimeout(timer);
  }
}

/** Whether the same request may be answered later: nobody answered, the server failed, or one has to sign in first. */
function mayPass(error: Error): boolean {
  return (
    !(error instanceof ApiProblem) || error.status >= 500 || error.status === 401 || error.status === 429
  );
}
