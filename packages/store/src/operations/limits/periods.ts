/**
 * One open run per business time, for workflows that ask for it. The row of a business time names the run that had it
 * last; another may have it once that run is no longer open. Who asks locks the row first and looks then, so two who
 * ask at once take turns.
 */
import { english, said } from '@orrery/core/texts';
import { change, type Operation, row } from '../../operation.ts';

/** A run of a workflow for a business time. */
export interface Period {
  readonly workflow: number;
  readonly businessTime: number;
  readonly run: number;
}

/** Gives a business time to a run; the id of the open run that has it, where there is one. */
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
  // It was swept away in between.
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

/** Whether a run is open, has not been claimed, or is about to be opened again. */
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
