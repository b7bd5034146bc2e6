/** Rounds that have ended: whoever may wait for them is told to look. A wake that is lost costs a later look. */
import type { Context } from '../ports.ts';

/** Wakes the dependents of workflows. */
export class DependentWaker {
  private readonly context: Context;
  private readonly told: () => void;
  /** Workflows of which rounds have ended, until their dependents are told. */
  private readonly ended = new Set<number>();
  private waking: Promise<void> | undefined;
  private stopped = false;

  constructor(context: Context, told: () => void) {
    this.context = context;
    this.told = told;
  }

  /** Rounds of these workflows have ended, and are committed. */
  add(workflows: readonly number[]): void {
    for (const workflow of workflows) this.ended.add(workflow);
    this.wakeAll();
  }

  /** Wakes nobody any more. */
  halt(): void {
    this.stopped = true;
  }

  /** The same; settles when what is under way is over. */
  async stop(): Promise<void> {
    this.halt();
    await this.waking;
  }

  private wakeAll(): void {
    if (this.ended.size === 0 || this.waking || this.stopped) return;
    const workflows = [...this.ended];
    this.ended.clear();
    this.waking = this.wake(workflows)
      .catch((error) => this.context.report('could not wake dependents', error))
      .finally(() => {
        this.waking = undefined;
        this.wakeAll();
      });
  }

  /** Reads before it writes: most workflows have no dependents. One that waits from now on sees that they ended. */
  private async wake(workflows: readonly number[]): Promise<void> {
    const { store, self, clock } = this.context;
    const waitedFor = await store.findAwaited({ workflows });
    if (waitedFor.length === 0) return;
    const told = await store.wakeDependents({ self, workflows: waitedFor, now: clock.now() });
    if (told.length > 0) this.told();
  }
}
