/**
 * Retries requests through faults, at growing intervals until they are answered. The page learns when a fault
 * starts and when it ends. A refusal is final: a retry would change nothing.
 */
import { ApiProblem } from '@orrery/sdk/client';

const FIRST_WAIT = 500;
const LONGEST_WAIT = 15_000;

/** The requests of one reader, until it stops them. */
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

  /** Retries a request until it is answered. Throws a refusal, and any result after the end. */
  async ask<T>(request: () => Promise<T>): Promise<T> {
    const name = Symbol();
    for (let wait = FIRST_WAIT; ; wait = Math.min(2 * wait, LONGEST_WAIT)) {
      try {
        const answer = await request();
        this.settle(name);
        // One answer shows that the server is back: the other requests are retried at once.
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

/** Whether a retry may succeed: no answer came, the server failed, or sign-in is required first. */
function mayPass(error: Error): boolean {
  return (
    !(error instanceof ApiProblem) || error.status >= 500 || error.status === 401 || error.status === 429
  );
}
