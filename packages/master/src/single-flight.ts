/**
 * Runs an async check one at a time, while the gate allows it. Requests during a run are coalesced into one more run.
 *
 * idle -> running -> (running again | idle) -> stopped
 */
import type { Deed } from '@orrery/cluster';
import type { Context } from './ports.ts';

export class SingleFlight {
  private readonly context: Pick<Context, 'report' | 'gate'>;
  private readonly what: string;
  private readonly deed: Deed;
  private readonly check: () => Promise<boolean>;
  private underWay: Promise<void> | undefined;
  private again = false;
  private stopped = false;

  /** `check` returns whether there is more to do. `what` names it in the log when it fails. */
  constructor(
    context: Pick<Context, 'report' | 'gate'>,
    what: string,
    deed: Deed,
    check: () => Promise<boolean>,
  ) {
    this.context = context;
    this.what = what;
    this.deed = deed;
    this.check = check;
  }

  get isStopped(): boolean {
    return this.stopped;
  }

  /** Runs the check now, or again after the run in flight; not while the gate refuses it. */
  ask(): void {
    if (this.stopped || this.context.gate.refusal(this.deed) !== undefined) return;
    if (this.underWay) {
      this.again = true;
      return;
    }
    this.underWay = this.check()
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

  /** Runs no more checks; settles when none is in flight. */
  async stop(): Promise<void> {
    this.stopped = true;
    await this.underWay;
  }
}
