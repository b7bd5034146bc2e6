/**
 * One open run per business time, for workflows that ask for it. The row of a business time names its last
 * run; another run may take it once that one is no longer open. A caller locks the row before it checks, so
 * concurrent callers take turns.
 */
import { english, said } from '@orrery/core/texts';
import { change, type Operation, row } from '../../operation.ts';

/** A workflow's run for a business time. */
export interface Period {
  readonly workflow: number;
  readonly businessTime: number;
  readonly run: number;
}

/** Assigns a business time to a run; returns the open run that has it, if any. */
export function* claimPeriod({ workflow, businessTime, run }: Period): Operation<number | undefined> {
  const added = yield* change(
    `INSERT INTO period (workflow, business_time, run) VALUES (?1, ?2, ?3)
     ON CONFLICT (workflow, business_time) DO NOTHING`,
    workflow,
    businessTime,
    run,
  );
  if (added > 0) return undefined;
  const select = 'SELECT run FROM period WHERE workflow = ?1 AND business_time = ?2';
  const holder = yield* row<{ run: number }>(
    { sqlite: select, postgres: `${select} FOR UPDATE` },
    workflow,
    businessTime,
  );
  // The row was swept in between.
  if (!holder) return yield* claimPeriod({ workflow, businessTime, run });
  if (holder.run !== run && (yield* isOpen(holder.run))) return holder.run;
  yield* change(
    'UPDATE period SET run = ?3 WHERE workflow = ?1 AND business_time = ?2',
    workflow,
    businessTime,
    run,
  );
  return undefined;
}

/** Whether a run is open, unclaimed, or about to be reopened. */
function* isOpen(run: number): Operation<boolean> {
  const found = yield* row(
    `SELECT 1 FROM run WHERE id = ?1 AND standing = 0
     UNION ALL SELECT 1 FROM command WHERE seq = ?1
     UNION ALL SELECT 1 FROM limit_wait WHERE run = ?1 AND task = -1
     UNION ALL SELECT 1 FROM inbox WHERE run = ?1 AND body LIKE '{"type":"control","control":{"type":"re%' LIMIT 1`,
    run,
  );
  return found !== undefined;
}

/** Why a run may not have its business time. */
export function whyTaken(run: number): string {
  return english(said('start.taken', { run }));
}
