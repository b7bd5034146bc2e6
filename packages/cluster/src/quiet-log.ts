/** Says a trouble that lasts once a minute instead of every time it is met, and that it is over. */
import type { Log } from '@orrery/core/log';
import type { Clock } from '@orrery/core/timing';

const EVERY = 60_000;

export class QuietLog {
  private readonly log: Log;
  private readonly clock: Pick<Clock, 'monotonic'>;
  private nextAt: number | undefined;

  constructor(log: Log, clock: Pick<Clock, 'monotonic'>) {
    this.log = log;
    this.clock = clock;
  }

  /** It is met now. */
  met(text: string): void {
    const now = this.clock.monotonic();
    if (this.nextAt !== undefined && now < this.nextAt) return;
    this.nextAt = now + EVERY;
    this.log('warn', text);
  }

  /** It is over, if it was there. */
  over(text: string): void {
    if (this.nextAt === undefined) return;
    this.nextAt = undefined;
    this.log('info', text);
  }
}
