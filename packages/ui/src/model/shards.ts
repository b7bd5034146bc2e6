/** The shards of a task run by state: how many there are, how many failed, and the strip they are drawn as. */

/** How many shards are in each state, as the server counts them. */
export type ShardCounts = Readonly<Record<string, number>>;

/** Finished shards first, then failed, then active, then waiting ones. */
const order = ['success', 'failed', 'killed', 'running', 'retrying', 'pending'];

/** A shard that is out has an attempt in progress; an idle one has not had its turn. */
export function shardState(state: string): string {
  return state === 'out' ? 'running' : state === 'idle' ? 'pending' : state;
}

/** The strip of shards: their states in order, each with its count. */
export function shardParts(counts: ShardCounts): readonly (readonly [state: string, count: number])[] {
  const place = (state: string) => (order.includes(state) ? order.indexOf(state) : order.length);
  return Object.entries(counts)
    .map(([state, count]) => [shardState(state), count] as const)
    .sort(([a], [b]) => place(a) - place(b));
}

/** How many shards there are; none before the task's turn came. */
export function shardTotal(counts: ShardCounts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
