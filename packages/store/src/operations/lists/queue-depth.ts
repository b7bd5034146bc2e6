/** How much waits: in the ready queue by worker group, and as commands; counted up to a bound, for those who measure. */
import { type Operation, row, rows } from '../../operation.ts';

/** Rows looked at: more are told as this many. */
const MOST_COUNTED = 100_000;

/** What waits in one queue, and since when the oldest of it. */
export interface QueueDepth {
  readonly count: number;
  /** Null where nothing waits. */
  readonly oldest: number | null;
}

/** Attempts that may run now by worker group, and start commands that nobody has claimed. */
export function* readQueueDepth(): Operation<{
  groups: readonly (QueueDepth & { readonly group: string })[];
  commands: QueueDepth;
}> {
  const groups = yield* rows<QueueDepth & { group: string }>(
    `SELECT worker_group AS "group", count(*) AS count, min(queued_at) AS oldest
     FROM (SELECT worker_group, queued_at FROM ready LIMIT ${MOST_COUNTED}) looked GROUP BY worker_group`,
  );
  const commands = yield* row<QueueDepth>(
    `SELECT count(*) AS count, min(created_at) AS oldest
     FROM (SELECT created_at FROM command LIMIT ${MOST_COUNTED}) looked`,
  );
  return { groups, commands: commands ?? { count: 0, oldest: null } };
}

/** Whether more start commands wait than `limit`. Reads as many at most, so ask for it seldom. */
export function* hasBacklog({ limit }: { readonly limit: number }): Operation<boolean> {
  return (yield* row('SELECT 1 AS one FROM command LIMIT 1 OFFSET ?1', limit)) !== undefined;
}
