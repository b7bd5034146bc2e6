/**
 * Queue depths: the ready queue by worker group, and unclaimed commands. Counts are bounded; meant for
 * metrics.
 */
import { type Operation, row, rows } from '../../operation.ts';

/** Upper bound of a count. */
const MOST_COUNTED = 100_000;

/** The length of one queue, and since when its oldest entry waits. */
export interface QueueDepth {
  readonly count: number;
  /** Null if the queue is empty. */
  readonly oldest: number | null;
}

/** Runnable attempts by worker group, and unclaimed start commands. */
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

/** Whether more start commands wait than `limit`. Reads up to `limit` rows, so call it rarely. */
export function* hasBacklog({ limit }: { readonly limit: number }): Operation<boolean> {
  return (yield* row('SELECT 1 AS one FROM command LIMIT 1 OFFSET ?1', limit)) !== undefined;
}
