/** Refuses starts while too many wait for a master: a backlog that only grows fills the database and helps nobody. */

import { said } from '@orrery/core/texts';
import type { ApiOptions } from '../options.ts';
import { Refusal } from '../problem.ts';

const DEFAULT_LIMIT = 100_000;

/** How long an answer of the store is used, in milliseconds. So many starts may pass the limit as come meanwhile. */
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

  /** Throws when no more starts are accepted now. The store is asked at most once a second, whatever comes. */
  async check(): Promise<void> {
    const { store, clock } = this.options;
    const now = clock.monotonic();
    if (now - this.readAt >= FRESH_FOR) {
      this.readAt = now;
      // A store that fails here fails the start as well, and says why there.
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
