/** The position of the feed that an answer is at least as new as: taken before its data is read. */
import type { Clock } from '@orrery/core/timing';
import type { Store } from '@orrery/store';
import { seqText } from './seq.ts';

/** How old a position may be that answers carry: older ones are right too, but replay more. */
const POSITION_AGE = 1_000;

/** Reads the position, for all answers of a moment once. */
export class Mark {
  private readonly store: Store;
  private readonly clock: Clock;
  private known: { readonly seq: Promise<string>; readonly at: number } | undefined;

  constructor({ store, clock }: { store: Store; clock: Clock }) {
    this.store = store;
    this.clock = clock;
  }

  /** The current position of the feed, at most a moment old. */
  seq(): Promise<string> {
    const now = this.clock.monotonic();
    if (this.known === undefined || now - this.known.at > POSITION_AGE) {
      const seq = this.store.readFeed({ limit: 0 }).then(({ position }) => seqText(position));
      seq.catch(() => {
        this.known = undefined;
      });
      this.known = { seq, at: now };
    }
    return this.known.seq;
  }
}
