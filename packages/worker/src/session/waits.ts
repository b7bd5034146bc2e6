/** Waits for conditions, checked whenever something changed. */
import type { Clock } from '@orrery/core/timing';

/** A set of awaited conditions. */
export class Waits {
  private readonly clock: Clock;
  private readonly open = new Set<{ holds: () => boolean; done: () => void }>();

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** Settles when a check finds that `holds`, or after `atMost` milliseconds. */
  until(holds: () => boolean, atMost = Number.POSITIVE_INFINITY): Promise<void> {
    if (holds()) return Promise.resolve();
    return new Promise((resolve) => {
      const wait = {
        holds,
        done: () => {
          this.open.delete(wait);
          timer?.cancel();
          resolve();
        },
      };
      const timer = Number.isFinite(atMost) ? this.clock.setTimer(atMost, wait.done) : undefined;
      this.open.add(wait);
    });
  }

  /** Checks the conditions after a change. */
  look(): void {
    for (const wait of [...this.open]) if (wait.holds()) wait.done();
  }
}
