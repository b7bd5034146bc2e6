/**
 * Runs that nobody can go on with: they are set aside as `broken`, with the reason, so that the others go on. The store may
 * refuse what a run changes because others have moved on meanwhile; only several refusals in a row make a run broken.
 */
import { StaleEpoch } from '@orrery/store';
import type { Context } from '../ports.ts';
import type { RunListener } from './run-listener.ts';

const RETRY_AFTER = 500;
/** Refusals in a row after which what a run changes cannot be stored. */
const MOST_REFUSALS = 3;

interface BrokenRunPorts {
  /** A run of this workflow was set aside: others may depend on it. */
  readonly ended: (workflow: number) => void;
  /** Setting a run aside failed, and is to be tried again. */
  readonly again: (run: number, reason: string) => void;
  readonly isStopped: () => boolean;
}

export class BrokenRuns {
  private readonly context: Context;
  private readonly listener: RunListener;
  private readonly ports: BrokenRunPorts;
  /** How often in a row the store refused the changes of a run. */
  private readonly refusals = new Map<number, number>();

  constructor(context: Context, listener: RunListener, ports: BrokenRunPorts) {
    this.context = context;
    this.listener = listener;
    this.ports = ports;
  }

  /** Counts a refusal; whether it is one too many. */
  isRefusedAgain(run: number): boolean {
    const times = (this.refusals.get(run) ?? 0) + 1;
    this.refusals.set(run, times);
    return times >= MOST_REFUSALS;
  }

  /** Changes of a run were stored. */
  stored(run: number): void {
    if (this.refusals.size > 0) this.refusals.delete(run);
  }

  /** Sets a run aside that is not held; tries again later where the store fails. */
  async setAside(run: number, reason: string): Promise<void> {
    const { store, self, clock, log, report } = this.context;
    const { listener, ports } = this;
    this.refusals.delete(run);
    try {
      const broken = await store.breakRun({ self, run, reason, now: clock.now() });
      if (!broken || ports.isStopped()) return;
      log('error', `run ${run} is ${broken.state}: ${reason}`);
      ports.ended(broken.workflow);
      if (broken.triggered > 0) listener.triggered();
      if (broken.killed.length > 0) listener.killed(broken.killed);
      listener.queued();
      listener.freed();
      listener.told();
    } catch (error) {
      if (error instanceof StaleEpoch) return;
      report(`could not set run ${run} aside`, error);
      clock.setTimer(RETRY_AFTER, () => ports.again(run, reason));
    }
  }
}
