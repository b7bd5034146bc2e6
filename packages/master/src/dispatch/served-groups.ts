/**
 * The worker groups whose queues somebody takes from. One is given time: workers that start again, or have not come
 * yet, are missed only after a while of looking.
 */
import type { Context } from '../ports.ts';

export class ServedGroups {
  private readonly context: Context;
  /** When each was last seen to be served. */
  private readonly seen = new Map<string, number>();
  private since: number | undefined;
  private nextAt = 0;

  constructor(context: Context) {
    this.context = context;
  }

  /** Nobody needs to know any more: the next look begins again. */
  forget(): void {
    this.since = undefined;
  }

  /** Looks again, once a beat; undefined while it has looked for too short a time, or too lately. */
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
