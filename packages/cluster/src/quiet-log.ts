/** Logs a lasting problem once a minute instead of every time, and logs when it is over. */
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

  /** Reports that the problem occurred. */
  met(text: string): void {
    const now = this.clock.monotonic();
    if (this.nextAt !== undefined && now < this.nextAt) return;
    this.nextAt = now + EVERY;
    this.log('warn', text);
  }

  /** Reports that the problem is over, if there was one. */
  over(text: string): void {
    if (this.nextAt === undefined) return;
    this.nextAt = undefined;
    this.log('info', text);
  }
}
