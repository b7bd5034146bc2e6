/** Waiting for something to become true, looked at whenever something changed. */
import type { Clock } from '@orrery/core/timing';

/** A set of conditions somebody waits for. */
export class Waits {
  private readonly clock: Clock;
  private readonly open = new Set<{ holds: () => boolean; done: () => void }>();

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** Settles when `holds` is true at a look, or after `atMost` milliseconds. */
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

  /** Something changed. */
  look(): void {
    for (const wait of [...this.open]) if (wait.holds()) wait.done();
  }
}
