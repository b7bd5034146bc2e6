/** Wakes the dependents of ended rounds, so that they check. A lost wake only delays the check. */
import type { Context } from '../ports.ts';

/** Wakes the dependents of workflows. */
export class DependentWaker {
  private readonly context: Context;
  private readonly told: () => void;
  /** Workflows with ended rounds whose dependents have not been woken yet. */
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

  /** Wakes no more dependents. */
  halt(): void {
    this.stopped = true;
  }

  /** Wakes no more dependents; settles when no wake is in flight. */
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

  /**
   * Reads before it writes, since most workflows have no dependents. A dependent that starts to wait later
   * sees the ended rounds.
   */
  private async wake(workflows: readonly number[]): Promise<void> {
    const { store, self, clock } = this.context;
    const waitedFor = await store.findAwaited({ workflows });
    if (waitedFor.length === 0) return;
    const told = await store.wakeDependents({ self, workflows: waitedFor, now: clock.now() });
    if (told.length > 0) this.told();
  }
}
