/**
 * Starts what the ends of runs mean to triggers of other workflows. Looked at after a commit that ended such runs, and
 * whenever a beat finds that somebody who should have looked did not.
 */
import { StaleEpoch } from '@orrery/store';
import type { Context } from './ports.ts';

/** Ends that are dealt with at once. */
const PAGE = 100;

export class Triggers {
  private readonly context: Context;
  private readonly started: () => void;
  private firing: Promise<void> | undefined;
  private again = false;
  private stopped = false;

  /** `started` hears that commands were written. */
  constructor(context: Context, started: () => void) {
    this.context = context;
    this.started = started;
  }

  /** Looks now, or once more after the look under way. */
  look(): void {
    if (this.stopped) return;
    if (this.firing) {
      this.again = true;
      return;
    }
    this.firing = this.fire()
      .catch((error) => {
        // Nothing is lost: the next beat finds what is left.
        if (!(error instanceof StaleEpoch)) this.context.log('warn', `triggers: ${error.message}`);
      })
      .finally(() => {
        this.firing = undefined;
        if (!this.again) return;
        this.again = false;
        this.look();
      });
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.firing;
  }

  private async fire(): Promise<void> {
    const { store, self, clock } = this.context;
    const { runs, more } = await store.fireTriggers({ self, limit: PAGE, now: clock.now() });
    if (runs.length > 0) this.started();
    if (more) this.again = true;
  }
}
