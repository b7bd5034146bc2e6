/** Reports that reach a master other than the run's owner: recorded once, and forwarded to the owner. */
import type { Outcome } from '@orrery/core/run';
import { type Operation, row } from '../../operation.ts';
import { checkSelf, type Self } from '../cluster/self.ts';
import { freeLimits } from '../limits/admission.ts';
import { type AttemptRef, firstOfEach, isKey, keyText, keyValues } from './attempt-key.ts';
import { ownersOf, type RunOwner, tell } from './inbox.ts';
import { attemptRows, endAssignments, endRows, type OutcomeRow, recordAttempts } from './outcomes.ts';

/**
 * Records reports for runs of another master, or of none. A report without its assignment is late and changes
 * nothing. A report for a deleted run, or on an attempt of another worker, is dropped. All may be
 * acknowledged. Returns the owners that should get a hint.
 */
export function* recordElsewhere(input: {
  readonly self: Self;
  readonly reports: readonly (OutcomeRow & { readonly outcome: Outcome })[];
  readonly now: number;
}): Operation<{ owners: readonly RunOwner[] }> {
  const { self, now } = input;
  const reports = firstOfEach(input.reports);
  yield* checkSelf(self);
  const ended = yield* endAssignments(endRows(reports));
  const counted = new Set(ended.map(keyText));
  const owners = yield* ownersOf(reports.map(({ run }) => run));
  const known = new Set(owners.map(({ run }) => run));
  const late = yield* endedAttempts(
    reports.filter((report) => known.has(report.run) && !counted.has(keyText(report))),
  );
  const recorded = reports
    .filter((report) => known.has(report.run) && (counted.has(keyText(report)) || late.has(keyText(report))))
    .map((report) => ({ ...report, late: report.late || !counted.has(keyText(report)) }));
  yield* recordAttempts(attemptRows(recorded), ended);
  const heard = reports.filter((report) => counted.has(keyText(report)));
  yield* tell(
    heard.map(({ run, task, shard, number, outcome }) => ({
      run,
      message: { type: 'outcome', attempt: { task, shard, number }, outcome },
    })),
    now,
  );
  yield* freeLimits(
    ended.filter(({ limited }) => limited === 1),
    now,
  );
  const told = new Set(heard.map(({ run }) => run));
  return { owners: owners.filter(({ run }) => told.has(run)) };
}

/** Reports on attempts that have ended on the reporting worker: late, and worth recording. */
function* endedAttempts(reports: readonly OutcomeRow[]): Operation<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const report of reports) {
    const ended = yield* row(
      `SELECT 1 AS one FROM attempt WHERE ${isKey} AND worker = ?5`,
      ...keyValues(report),
      report.worker,
    );
    if (ended) found.add(keyText(report));
  }
  return found;
}

/** Has a run set aside because one of its reports cannot be stored. */
export function* refuseReport(input: {
  readonly self: Self;
  readonly run: number;
  readonly reason: string;
  readonly now: number;
}): Operation<void> {
  const { self, run, reason, now } = input;
  yield* checkSelf(self);
  const owners = yield* ownersOf([run]);
  yield* tell(
    owners.map((found) => ({ run: found.run, message: { type: 'unreadable', reason } as const })),
    now,
  );
}

/** Tells open runs without an owner about attempts that a worker executes; returns how many runs. */
export function* tellBegun(input: {
  readonly self: Self;
  readonly attempts: readonly AttemptRef[];
  readonly worker: string;
  readonly now: number;
}): Operation<number> {
  const { self, attempts, worker, now } = input;
  yield* checkSelf(self);
  const owners = yield* ownersOf(attempts.map(({ run }) => run));
  const unowned = new Set(owners.flatMap(({ run, owner }) => (owner === null ? [run] : [])));
  const heard = attempts.filter(({ run }) => unowned.has(run));
  yield* tell(
    heard.map(({ run, task, shard, number }) => ({
      run,
      message: { type: 'begun', attempt: { task, shard, number }, worker },
    })),
    now,
  );
  return heard.length;
}
