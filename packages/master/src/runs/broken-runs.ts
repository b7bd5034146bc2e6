/**
 * Runs that no master can continue. They are set aside as `broken`, with the reason, so that other runs go
 * on.
 */
import { StaleEpoch } from '@orrery/store';
import type { Context } from '../ports.ts';
import type { NewsRoute } from './run-news.ts';

const RETRY_AFTER = 500;

interface BrokenRunPorts {
  /** A run of this workflow was set aside; other runs may depend on it. */
  readonly ended: (workflow: number) => void;
  /** Setting a run aside failed and must be retried. */
  readonly again: (run: number, reason: string) => void;
  readonly isStopped: () => boolean;
}

export class BrokenRuns {
  private readonly context: Context;
  private readonly route: NewsRoute;
  private readonly ports: BrokenRunPorts;

  constructor(context: Context, route: NewsRoute, ports: BrokenRunPorts) {
    this.context = context;
    this.route = route;
    this.ports = ports;
  }

  /** Sets aside a run that is not in memory. Retries later if the store fails. */
  async setAside(run: number, reason: string): Promise<void> {
    const { store, self, clock, log, report } = this.context;
    const { route, ports } = this;
    try {
      const broken = await store.breakRun({ self, run, reason, now: clock.now() });
      if (!broken || ports.isStopped()) return;
      log('error', `run ${run} is ${broken.state}: ${reason}`);
      ports.ended(broken.workflow);
      route({
        triggered: broken.triggered > 0,
        killed: broken.killed,
        queued: true,
        freed: true,
        told: true,
      });
    } catch (error) {
      if (error instanceof StaleEpoch) return;
      report(`could not set run ${run} aside`, error);
      clock.setTimer(RETRY_AFTER, () => ports.again(run, reason));
    }
  }
}
