/**
 * Limits expensive work: a number of calls run, a number wait, and all others are refused. A caller that
 * disconnects gives up its turn.
 */
import { said } from '@orrery/core/texts';
import type { FastifyReply } from 'fastify';
import { Refusal } from './problem.ts';

export class Turns {
  private readonly atOnce: number;
  private readonly mostWaiting: number;
  private underWay = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(atOnce: number, mostWaiting: number) {
    this.atOnce = atOnce;
    this.mostWaiting = mostWaiting;
  }

  /** Does the work when it is its turn; refuses where too many wait already. */
  async run<T>(work: () => Promise<T>, gone?: AbortSignal): Promise<T> {
    if (this.underWay >= this.atOnce) await this.wait(gone);
    else this.underWay++;
    try {
      if (gone?.aborted) throw nobodyWaits();
      return await work();
    } finally {
      // The turn passes directly to the next waiting call, so that no new call gets between.
      const next = this.waiting.shift();
      if (next) next();
      else this.underWay--;
    }
  }

  private async wait(gone: AbortSignal | undefined): Promise<void> {
    if (this.waiting.length >= this.mostWaiting)
      throw new Refusal('busy', said('busy.reading'), undefined, 2);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = () => {
      const at = this.waiting.indexOf(resolve);
      if (at < 0) return;
      this.waiting.splice(at, 1);
      reject(nobodyWaits());
    };
    gone?.addEventListener('abort', leave, { once: true });
    this.waiting.push(resolve);
    try {
      await promise;
    } finally {
      gone?.removeEventListener('abort', leave);
    }
  }
}

/** The answer to a request whose caller has gone. */
export function nobodyWaits(): Refusal {
  return new Refusal('busy', said('busy.closed'));
}

/** Aborts when the caller has closed the connection or has its answer. */
export function goneSignal({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  if (raw.destroyed) gone.abort();
  else raw.once('close', () => gone.abort());
  return gone.signal;
}
