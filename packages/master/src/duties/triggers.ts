/**
 * Starts what the ends of runs mean to triggers of other workflows. Looked at after a commit that ended such runs, and
 * whenever a beat finds that somebody who should have looked did not.
 */

import type { Context } from '../ports.ts';
import { SingleFlight } from '../single-flight.ts';

/** Ends that are dealt with at once. */
const PAGE = 100;

export class Triggers {
  private readonly context: Context;
  private readonly started: () => void;
  private readonly looks: SingleFlight;

  /** `started` hears that commands were written. */
  constructor(context: Context, started: () => void) {
    this.context = context;
    this.started = started;
    this.looks = new SingleFlight(context, 'triggers', 'sweep', () => this.fire());
  }

  /** Looks now, or once more after the look under way. Where one fails nothing is lost: the next beat finds what is left. */
  look(): void {
    this.looks.ask();
  }

  async stop(): Promise<void> {
    await this.looks.stop();
  }

  private async fire(): Promise<boolean> {
    const { store, self, clock } = this.context;
    const { runs, more } = await store.fireTriggers({ self, limit: PAGE, now: clock.now() });
    if (runs.length > 0) this.started();
    return more;
  }
}
