/** The history of attempts. */
import type { Operation } from '../operation.ts';
import { insert } from '../table.ts';
import { attemptTable } from '../tables.ts';
import type { OutcomeRow } from './runs.ts';

/** Keeps the history of attempts; an attempt has one outcome, later ones change nothing. */
export function* recordAttempts(outcomes: readonly OutcomeRow[], late: boolean): Operation<void> {
  yield* insert(
    attemptTable,
    outcomes.map((outcome) => ({
      run: outcome.run,
      task: outcome.task,
      shard: outcome.shard,
      number: outcome.number,
      state: outcome.state,
      worker: outcome.worker,
      late: Number(late || outcome.late),
      started_at: outcome.startedAt,
      ended_at: outcome.endedAt,
      exit_code: outcome.exitCode,
      cpu_time: outcome.cpuTime,
      peak_memory: outcome.peakMemory,
      error: outcome.error,
      log_tail: outcome.logTail,
    })),
    '(run, task, shard, number) DO NOTHING',
  );
}
