/** Handles deadlines of workflows that have passed. Runs when a beat reports one. */
import { StaleEpoch, StoreAway } from '@orrery/store';
import type { Context } from '../ports.ts';

/** Deadlines handled at once. The next beat finds the rest. */
const PAGE = 100;

export class Deadlines {
  private readonly context: Context;
  private passing: Promise<void> | undefined;

  constructor(context: Context) {
    this.context = context;
  }

  /** Checks, unless a check is in flight. */
  look(): void {
    if (this.context.gate.refusal('sweep') !== undefined) return;
    this.passing ??= this.pass()
      .catch((error) => this.context.report('deadlines', error))
      .finally(() => {
        this.passing = undefined;
      });
  }

  async stop(): Promise<void> {
    await this.passing;
  }

  private async pass(): Promise<void> {
    const { store, self, clock, log } = this.context;
    const now = clock.now();
    for (const deadline of await store.dueDeadlines({ until: now, limit: PAGE })) {
      try {
        await store.passDeadline({ self, deadline, now });
      } catch (error) {
        if (error instanceof StaleEpoch || error instanceof StoreAway) throw error;
        // A bad deadline must not hold up those after it.
        log('error', `deadline of workflow ${deadline.workflow}: ${(error as Error).message}`, {
          workflow: deadline.workflow,
        });
      }
    }
  }
}
