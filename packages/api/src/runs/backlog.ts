/** Refuses starts while too many wait for a master: a growing backlog fills the database and helps no one. */

import { said } from '@orrery/core/texts';
import type { ApiOptions } from '../options.ts';
import { Refusal } from '../problem.ts';

const DEFAULT_LIMIT = 100_000;

/**
 * How long an answer of the store is cached, in milliseconds. Starts within this time may exceed the limit.
 */
const FRESH_FOR = 1_000;

/** Seconds after which a refused caller should try again. */
const RETRY_AFTER = 5;

export class StartBacklog {
  private readonly options: Pick<ApiOptions, 'store' | 'clock'>;
  private readonly limit: number;
  private readAt = Number.NEGATIVE_INFINITY;
  private isFull: Promise<boolean> = Promise.resolve(false);

  constructor({ store, clock, maxBacklog = DEFAULT_LIMIT }: ApiOptions) {
    this.options = { store, clock };
    this.limit = maxBacklog;
  }

  /** Throws if no more starts are accepted now. Asks the store at most once a second. */
  async check(): Promise<void> {
    const { store, clock } = this.options;
    const now = clock.monotonic();
    if (now - this.readAt >= FRESH_FOR) {
      this.readAt = now;
      // If the store fails here, the start fails as well and reports why.
      this.isFull = store.hasBacklog({ limit: this.limit }).catch(() => false);
    }
    if (await this.isFull)
      throw new Refusal(
        'too-many-starts',
        said('busy.starts', { most: this.limit, seconds: RETRY_AFTER }),
        undefined,
        RETRY_AFTER,
      );
  }
}
