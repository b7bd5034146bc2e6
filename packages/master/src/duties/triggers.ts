/**
 * Starts workflows whose triggers match ended runs. Runs after a commit that ended such runs, and when a beat
 * finds ends that another master left unhandled.
 */

import type { Context } from '../ports.ts';
import { SingleFlight } from '../single-flight.ts';

/** Ends handled at once. */
const PAGE = 100;

export class Triggers {
  private readonly context: Context;
  private readonly started: () => void;
  private readonly looks: SingleFlight;

  /** `started` is called when commands were written. */
  constructor(context: Context, started: () => void) {
    this.context = context;
    this.started = started;
    this.looks = new SingleFlight(context, 'triggers', 'sweep', () => this.fire());
  }

  /**
   * Checks now, or again after the check in flight. A failure loses nothing: the next beat finds the rest.
   */
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
