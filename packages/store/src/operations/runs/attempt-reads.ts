/** Attempts in any place: in the queue, with a worker, or ended. */
import { type Operation, row, rows } from '../../operation.ts';
import type { AttemptRef } from './attempt-key.ts';

/** An attempt and its progress; `queued` and `assigned` ones have not ended. */
export interface AnyAttempt {
  readonly shard: number;
  readonly number: number;
  readonly state: string;
  readonly worker: string | null;
  readonly late: number;
  readonly queuedAt: number | null;
  readonly assignedAt: number | null;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly exitCode: number | null;
  readonly cpuTime: number | null;
  readonly peakMemory: number | null;
  readonly error: string | null;
}

const anywhere = (condition: string) => `
  SELECT shard, number, state, worker, late, queued_at AS "queuedAt", assigned_at AS "assignedAt", started_at AS "startedAt",
    ended_at AS "endedAt", exit_code AS "exitCode", cpu_time AS "cpuTime", peak_memory AS "peakMemory", error
  FROM attempt WHERE ${condition}
  UNION ALL SELECT shard, number, 'queued', NULL, 0, queued_at, NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM ready WHERE ${condition}
  UNION ALL SELECT shard, number, 'queued', NULL, 0, since, NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM limit_wait WHERE ${condition}
  UNION ALL SELECT shard, number, 'assigned', worker, 0, queued_at, assigned_at, NULL, NULL, NULL, NULL, NULL, NULL
  FROM assignment WHERE ${condition}`;

/** Attempts of a task run by shard and number; `after` is the last of the previous page. */
export function* pageAttempts(input: {
  readonly run: number;
  readonly task: number;
  readonly after?: { readonly shard: number; readonly number: number };
  readonly limit: number;
}): Operation<readonly AnyAttempt[]> {
  const { run, task, after, limit } = input;
  return yield* rows<AnyAttempt>(
    `${anywhere('run = ?1 AND task = ?2 AND (shard, number) > (?3, ?4)')} ORDER BY shard, number LIMIT ?5`,
    run,
    task,
    after?.shard ?? -1,
    after?.number ?? 0,
    limit,
  );
}

/** One attempt. */
export function* readAttempt({ run, task, shard, number }: AttemptRef): Operation<AnyAttempt | undefined> {
  return yield* row<AnyAttempt>(
    anywhere('run = ?1 AND task = ?2 AND shard = ?3 AND number = ?4'),
    run,
    task,
    shard,
    number,
  );
}

/** The end of an attempt's log, stored with its outcome; undefined if there is none. */
export function* readLogTail({ run, task, shard, number }: AttemptRef): Operation<string | undefined> {
  const found = yield* row<{ tail: string | null }>(
    'SELECT log_tail AS tail FROM attempt WHERE run = ?1 AND task = ?2 AND shard = ?3 AND number = ?4',
    run,
    task,
    shard,
    number,
  );
  return found?.tail ?? undefined;
}
