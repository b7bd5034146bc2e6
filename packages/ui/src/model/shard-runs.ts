/** The shards of a task run one by one: which of them one looks at first. */

/** A shard as the server tells it. */
export interface ShardRun {
  readonly shard: number | null;
  readonly state: string;
  readonly attempt: number;
}

/** The most important first: failures, then running shards, then the rest, each in their order. */
const urgency = ['failed', 'out', 'retrying'];

/** The shards with what matters most first. */
export function byUrgency<Shard extends ShardRun>(shards: readonly Shard[]): readonly Shard[] {
  const rank = ({ state }: Shard) => (urgency.indexOf(state) + urgency.length + 1) % (urgency.length + 1);
  return shards.toSorted((a, b) => rank(a) - rank(b));
}

/** The shard shown first: a failed one, or else an active one, or else the first. */
export function firstShard(shards: readonly ShardRun[]): number | null {
  return byUrgency(shards)[0]?.shard ?? null;
}
