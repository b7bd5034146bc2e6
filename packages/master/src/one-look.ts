/**
 * A look that is taken by one at a time: asked for while one is under way, it is taken once more after that.
 *
 * idle -> looking -> (looking once more | idle) -> stopped
 */
import { StaleEpoch } from '@orrery/store';
import type { Context } from './ports.ts';

export class OneLook {
  private readonly context: Pick<Context, 'log'>;
  private readonly what: string;
  private readonly take: () => Promise<boolean>;
  private underWay: Promise<void> | undefined;
  private again = false;
  private stopped = false;

  /** `take` looks, and says whether there is more to be seen. `what` names it in the log when that fails. */
  constructor(context: Pick<Context, 'log'>, what: string, take: () => Promise<boolean>) {
    this.context = context;
    this.what = what;
    this.take = take;
  }

  get isStopped(): boolean {
    return this.stopped;
  }

  /** Looks now, or once more as soon as the look under way is over. */
  ask(): void {
    if (this.stopped) return;
    if (this.underWay) {
      this.again = true;
      return;
    }
    this.underWay = this.take()
      .then(
        (more) => {
          if (more) this.again = true;
        },
        (error) => {
          // Of an epoch that is over, everyone hears elsewhere.
          if (!(error instanceof StaleEpoch)) this.context.log('warn', `${this.what}: ${error.message}`);
        },
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
