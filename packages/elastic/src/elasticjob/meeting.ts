/** Meetings of all shards of a job, as ElasticJob's listeners that run once per cluster hold them. */
import type { Waiting } from '../native/meeting.ts';
import { takeLatch } from './latch.ts';
import type { Nodes } from './nodes.ts';

/** How one instance takes part in the meetings of a job. */
export class Meetings {
  private readonly nodes: Nodes;
  private readonly path: string;
  private readonly newLatchId: () => string;
  /** Releases the latch of a meeting that this instance completed. */
  private readonly releases = new Map<string, () => Promise<void>>();

  constructor(nodes: Nodes, path: string, newLatchId: () => string) {
    this.nodes = nodes;
    this.path = path;
    this.newLatchId = newLatchId;
  }

  /** True at the one instance that sees all shards; it holds the latch until `disperse`. False once it is over. */
  async meet(
    phase: string,
    shards: readonly number[],
    total: number,
    { change, isOff, signal }: Waiting,
  ): Promise<boolean | undefined> {
    const { nodes } = this;
    const place = `${this.path}/${phase}`;
    const isComplete = async () => (await nodes.children(place)).length >= total;
    await Promise.all(shards.map((shard) => nodes.create(`${place}/${shard}`, '')));
    if (await isComplete()) {
      const release = await takeLatch(nodes, `${this.path}/${phase}-latch`, this.newLatchId());
      if (await isComplete()) {
        this.releases.set(phase, release);
        return true;
      }
      await release();
      return false;
    }
    for (;;) {
      signal.throwIfAborted();
      const changed = change();
      const stat = await nodes.client.exists(`${place}/${shards[0]}`);
      if (!stat) return false;
      if (isOff()) return undefined;
      await changed;
    }
  }

  async disperse(phase: string): Promise<void> {
    await this.nodes.remove(`${this.path}/${phase}`);
    await this.releases.get(phase)?.();
    this.releases.delete(phase);
  }
}
