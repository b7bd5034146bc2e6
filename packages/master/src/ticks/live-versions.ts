/**
 * Cache of the live workflow versions, with the parts that ticks need. Each is read once and kept while in
 * use.
 */
import { BadEntry, type FiringSchedule, type Store } from '@orrery/store';
import type { LiveVersion } from './due-ticks.ts';

/** Limit of cached versions. */
const MOST = 50_000;

export class LiveVersions {
  private readonly store: Pick<Store, 'liveVersions'>;
  private readonly known = new Map<
    number,
    LiveVersion | { readonly version: number; readonly bad: string }
  >();

  constructor(store: Pick<Store, 'liveVersions'>) {
    this.store = store;
  }

  /** Reads the uncached versions of the workflows of these schedules. */
  async read(schedules: readonly FiringSchedule[]): Promise<void> {
    const missing = new Set<number>();
    for (const { workflow, live } of schedules)
      if (live !== null && this.known.get(workflow)?.version !== live) missing.add(workflow);
    if (missing.size === 0) return;
    if (this.known.size + missing.size > MOST) this.known.clear();
    for (const { id, version, workflow, bad } of await this.store.liveVersions({ ids: [...missing] }))
      this.known.set(id, workflow ? { id, version, workflow } : { version, bad: bad ?? 'it cannot be read' });
  }

  /** The cached version. Throws if it cannot be used. */
  of(workflow: number): LiveVersion {
    const found = this.known.get(workflow);
    if (!found) throw new BadEntry(`workflow ${workflow} has no live version`);
    if ('bad' in found) throw new BadEntry(found.bad);
    return found;
  }
}
