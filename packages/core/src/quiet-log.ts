/** Logs a lasting problem once a minute instead of every time, and logs when it is over. */
import type { Log, LogFields } from './log.ts';
import type { Clock } from './timing/index.ts';

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
  met(text: string, fields?: LogFields): void {
    const now = this.clock.monotonic();
    if (this.nextAt !== undefined && now < this.nextAt) return;
    this.nextAt = now + EVERY;
    this.log('warn', text, fields);
  }

  /** Reports that the problem is over, if there was one; without a text it logs nothing. */
  over(text?: string): void {
    if (this.nextAt === undefined) return;
    this.nextAt = undefined;
    if (text !== undefined) this.log('info', text);
  }
}
