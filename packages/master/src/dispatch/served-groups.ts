/**
 * The worker groups that live workers take from. A group counts as unserved only after a grace period, so
 * that workers can restart or come up.
 */
import type { Context } from '../ports.ts';

export class ServedGroups {
  private readonly context: Context;
  /** When each group was last seen served. */
  private readonly seen = new Map<string, number>();
  private since: number | undefined;
  private nextAt = 0;

  constructor(context: Context) {
    this.context = context;
  }

  /** The answer is not needed now: the next check starts over. */
  forget(): void {
    this.since = undefined;
  }

  /**
   * Checks again, once a beat. Returns undefined if the checks have not lasted long enough, or the last is
   * too recent.
   */
  async look(): Promise<ReadonlySet<string> | undefined> {
    const { store, clock, config } = this.context;
    const now = clock.monotonic();
    if (this.since === undefined) {
      this.since = now;
      this.seen.clear();
    } else if (now < this.nextAt) return undefined;
    this.nextAt = now + config.beatEvery;
    for (const { lost, draining, unhealthy, groups } of await store.listWorkers())
      if (lost === 0 && draining === 0 && unhealthy === null)
        for (const group of JSON.parse(groups) as string[]) this.seen.set(group, now);
    const oldest = now - config.leaseGrace;
    if (this.since > oldest) return undefined;
    return new Set([...this.seen].filter(([, at]) => at > oldest).map(([group]) => group));
  }
}
