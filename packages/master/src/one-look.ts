/**
 * Runs an async check one at a time, while the gate allows it. Requests during a run are coalesced into one more run.
 *
 * idle -> looking -> (looking again | idle) -> stopped
 */
import type { Deed } from '@orrery/cluster';
import type { Context } from './ports.ts';

export class OneLook {
  private readonly context: Pick<Context, 'report' | 'gate'>;
  private readonly what: string;
  private readonly deed: Deed;
  private readonly take: () => Promise<boolean>;
  private underWay: Promise<void> | undefined;
  private again = false;
  private stopped = false;

  /** `take` looks, and says whether there is more. `what` names it in the log when that fails. */
  constructor(
    context: Pick<Context, 'report' | 'gate'>,
    what: string,
    deed: Deed,
    take: () => Promise<boolean>,
  ) {
    this.context = context;
    this.what = what;
    this.deed = deed;
    this.take = take;
  }

  get isStopped(): boolean {
    return this.stopped;
  }

  /** Looks now, or once more as soon as the look under way is over; not at all while the gate refuses it. */
  ask(): void {
    if (this.stopped || this.context.gate.refusal(this.deed) !== undefined) return;
    if (this.underWay) {
      this.again = true;
      return;
    }
    this.underWay = this.take()
      .then(
        (more) => {
          if (more) this.again = true;
        },
        (error) => this.context.report(this.what, error),
      )
      .finally(() => {
        this.underWay = undefined;
        if (!this.again) return;
        this.again = false;
        this.ask();
      });
  }

  /** Looks no more; settles when nothing is under way. */
  async stop(): Promise<void> {
    this.stopped = true;
    await this.underWay;
  }
}
