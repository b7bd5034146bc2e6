/** A meeting of all shards of a job: one instance completes it, and the others learn that it is over. */
import { isRegistryError, type Registry } from '@orrery/registry';
import { readShards, writeShards } from './shard-set.ts';
import { readValue } from './stored.ts';

/** The shards that have arrived. `number` changes when a meeting is over. */
interface Meeting {
  readonly number: number;
  readonly shards: string;
}

/** How an instance waits for the others. */
export interface Waiting {
  /** Resolves at the next change. */
  readonly change: () => Promise<void>;
  /** Whether the meeting is off. */
  readonly isOff: () => boolean;
  readonly signal: AbortSignal;
}

/**
 * Adds shards to the meeting. Returns true to the instance that completes it, false to the others once it is
 * over.
 */
export async function meet(
  registry: Registry,
  path: string,
  shards: readonly number[],
  total: number,
  { change, isOff, signal }: Waiting,
): Promise<boolean | undefined> {
  let joined: number | undefined;
  for (;;) {
    const changed = change();
    const entry = await registry.get(path);
    const meeting: Meeting = entry ? readValue<Meeting>(path, entry.value) : { number: 0, shards: '' };
    if (joined !== undefined && meeting.number !== joined) return false;
    if (joined === undefined) {
      const all = new Set([...readShards(meeting.shards), ...shards]);
      const value = JSON.stringify({ number: meeting.number, shards: writeShards(all) });
      try {
        if (entry) await registry.set(path, value, entry.version);
        else await registry.create(path, value);
      } catch (error) {
        if (isRegistryError(error, 'version', 'exists')) continue;
        throw error;
      }
      joined = meeting.number;
      if (all.size >= total) return true;
    }
    if (isOff()) return undefined;
    await changed;
    signal.throwIfAborted();
  }
}
