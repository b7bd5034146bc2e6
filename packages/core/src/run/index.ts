/** The life of a run: events in, changes out. */
export { type Askable, controlsIn, controlsOf, whyNotRanked } from './allowed.ts';
export { apply } from './apply.ts';
export {
  type AttemptId,
  type AttemptKey,
  type AttemptName,
  attemptNameText,
  attemptShape,
  attemptText,
  NO_SHARD,
  type TaskRunName,
  taskRunShape,
  taskRunText,
} from './attempt.ts';
export { type BackfillRequest, backfillTask, planOf } from './backfill.ts';
export { setAside } from './broken.ts';
export { refusal } from './controls.ts';
export { decide } from './decide.ts';
export type { Facts } from './draft.ts';
export {
  type Alarm,
  type Changes,
  type ChildControl,
  type ChildStart,
  type Control,
  type Decision,
  type Effect,
  type Happening,
  type Outcome,
  reopens,
  type Scope,
  type Ticket,
  type Withdrawal,
} from './events.ts';
export { errorOf, failureOf, fingerprint, firstLine } from './failure.ts';
export type { BackfillSpec, VersionReference } from './logic/series.ts';
export { outputsOf } from './outputs.ts';
export { compile, type Plan, type PlannedTask } from './plan.ts';
export { LOST_LIMIT, retryDelay, TIMEOUT_GRACE } from './policy.ts';
export {
  countersOf,
  countsAsRun,
  createRun,
  type GivenParameters,
  type Run,
  type RunFields,
  type RunRequest,
  type RunRows,
  restore,
  rowsOf,
  type ShardRun,
  type TaskRun,
  verdictOn,
} from './run.ts';
export { settingsOf } from './settings.ts';
