/** Durable state: named atomic operations on SQLite and PostgreSQL. */
export { Conflict, NotFound, StaleEpoch, StoreAway } from './errors.ts';
export type { NamedSchedule, QueuedCommand } from './operations/api-reads.ts';
export type { AnyAttempt } from './operations/attempt-reads.ts';
export type { ClaimedStart, Command, TriggerKind } from './operations/commands.ts';
export type { AssignmentRow, WorkerRow } from './operations/dispatch.ts';
export type { InboxMessage } from './operations/inbox.ts';
export type { BeatAnswer, NodeRow, Self } from './operations/nodes.ts';
export type { AttemptPlace, AttemptRow, RunRow, TaskRunRow } from './operations/reads.ts';
export type { QueuePlace, RunDetails } from './operations/run-details.ts';
export type {
  AttemptRef,
  CommitAnswer,
  LoadedRun,
  OutcomeRow,
  ReadyRow,
  RunChange,
} from './operations/runs.ts';
export type { ScheduleRow } from './operations/schedules.ts';
export type { WorkflowRow, WorkflowVersion } from './operations/workflows.ts';
export type { PostgresOptions } from './postgres.ts';
export { openPostgres, openSqlite, type Store } from './store.ts';
