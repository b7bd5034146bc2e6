/** Durable state: named atomic operations on SQLite and PostgreSQL. */
export { actFor, actForNobody } from './acting.ts';
export { backUp, restore } from './backup.ts';
export { Plans } from './engine/plans.ts';
export { BadEntry, Conflict, isBadEntry, isOutage, NotFound, StaleEpoch, StoreAway } from './errors.ts';
export { type FoundStore, findStore, type StorePlace } from './found-store.ts';
export type { TokenRow } from './operations/access/access.ts';
export type { Asker, AuditDetail, AuditFilter, AuditRow } from './operations/access/audit.ts';
export type { HookDelivery } from './operations/access/hook-deliveries.ts';
export type { Mute } from './operations/access/mutes.ts';
export type { SavedView } from './operations/access/saved-views.ts';
export type { Alert, WrittenAlert } from './operations/alerting/alerts.ts';
export type {
  DeliveryRow,
  LeasedDelivery,
  TryResult,
  TryRow,
  Undelivered,
} from './operations/alerting/deliveries.ts';
export type { AlertGroupRow, AlertMessage, AlertSubject } from './operations/alerting/groups.ts';
export {
  EVERYWHERE,
  type StoredChannel,
  type StoredMute,
  type StoredRule,
} from './operations/alerting/settings.ts';
export type { BulkRunRow } from './operations/bulks/bulk-runs.ts';
export type { BulkRow } from './operations/bulks/bulks.ts';
export type { DrainAnswer } from './operations/cluster/drain.ts';
export type { ClaimAnswer, HoldingRow, Holdings } from './operations/cluster/holdings.ts';
export type { InvitationRow } from './operations/cluster/invitations.ts';
export type { BeatAnswer, NodeRow, Peer } from './operations/cluster/nodes.ts';
export type { PlanRow } from './operations/cluster/plans.ts';
export type { Self } from './operations/cluster/self.ts';
export type { WorkerRow } from './operations/cluster/workers.ts';
export type { LimitNeed } from './operations/limits/limit-book.ts';
export type { LimitRow, LimitWaitRow } from './operations/limits/limits.ts';
export type { RunCaps } from './operations/limits/run-caps.ts';
export type { GroupWaiter, TaskGroupRow } from './operations/limits/task-groups.ts';
export type { NamedSchedule, QueuedCommand } from './operations/lists/api-reads.ts';
export type { GridRun } from './operations/lists/grid.ts';
export type { HistoryEntry, HistoryRow } from './operations/lists/history.ts';
export type { JobEvent, JobEventRow } from './operations/lists/job-history.ts';
export type { RunRevision, ScheduleState, WorkflowState } from './operations/lists/live-reads.ts';
export type { Failure, FullLimit, GroupQueue, Publication, Skip } from './operations/lists/overview-reads.ts';
export type { AttemptPlace, AttemptRow, RunRow, TaskRunRow } from './operations/lists/reads.ts';
export type { RunFilter, Span } from './operations/lists/run-conditions.ts';
export type { QueuePlace, RunDetails, WorkerUse } from './operations/lists/run-details.ts';
export { type RunEvent, type RunEventPlace, runEventKinds } from './operations/lists/run-events.ts';
export type { RunGroup, RunGrouping } from './operations/lists/run-groups.ts';
export type { BucketCount } from './operations/lists/run-histogram.ts';
export type { ListedRun, PagePlace, RunList, RunPage, StateCount } from './operations/lists/run-list.ts';
export type { ByDuration } from './operations/lists/run-order.ts';
export type { Holder, LimitHolder, OpenWait } from './operations/lists/why-reads.ts';
export type { ApprovalLink, ApprovalRow, OpenApproval } from './operations/runs/approvals.ts';
export type { AttemptRef } from './operations/runs/attempt-key.ts';
export type { AnyAttempt } from './operations/runs/attempt-reads.ts';
export type { BrokenRun } from './operations/runs/break.ts';
export { type Command, type StartRow, startRow } from './operations/runs/commands.ts';
export type { CommitAnswer, RunChange } from './operations/runs/commit.ts';
export { CREATED } from './operations/runs/created-run.ts';
export type { DependencyWait, FactRow, WaitRef } from './operations/runs/dependents.ts';
export type { FeedEvent, FeedPosition } from './operations/runs/feed.ts';
export type { AbandonedHandle } from './operations/runs/handles.ts';
export type { InboxMessage, LostOwner, RunOwner, ToldMessage } from './operations/runs/inbox.ts';
export type { LoadedRun } from './operations/runs/load.ts';
export type { OutcomeRow } from './operations/runs/outcomes.ts';
export type { ReadyRow } from './operations/runs/ready.ts';
export { isWritten } from './operations/runs/run-batch.ts';
export { startCommand } from './operations/runs/start-command.ts';
export type { ClaimedStart } from './operations/runs/starts.ts';
export type { AssignmentRow, KeptGroup, OpenTake, TakeAnswer } from './operations/runs/take.ts';
export type { StoreCheck } from './operations/sweeps/checks.ts';
export type { Numbered } from './operations/sweeps/retention.ts';
export type { ScheduleTicks, TickOutcome } from './operations/ticks/fire-ticks.ts';
export type { CalendarKey } from './operations/ticks/holidays.ts';
export type { DueSchedule, FiringSchedule, ScheduleRow } from './operations/ticks/schedules.ts';
export type { AnyTick } from './operations/ticks/tick-list.ts';
export type { CalendarRow } from './operations/workflows/calendars.ts';
export type { ConnectionBody, ConnectionKey, ConnectionRow } from './operations/workflows/connections.ts';
export type { DraftRow, ShortDraft } from './operations/workflows/drafts.ts';
export type { EnvironmentBody, EnvironmentRow } from './operations/workflows/environments.ts';
export type { Outline, VersionRef } from './operations/workflows/outlines.ts';
export type { ProjectRow } from './operations/workflows/projects.ts';
export type { WorkerChoiceRow, WorkerUseRow } from './operations/workflows/worker-choice.ts';
export type { RefusedUse, WorkerGroupRow } from './operations/workflows/worker-groups.ts';
export type { ListedWorkflow, StripRun } from './operations/workflows/workflow-list.ts';
export { whyOffline } from './operations/workflows/workflow-online.ts';
export type { NeedUse } from './operations/workflows/workflow-uses.ts';
export type {
  NewVersion,
  StartingWorkflow,
  WorkflowRow,
  WorkflowVersion,
} from './operations/workflows/workflows.ts';
export type { PostgresOptions } from './postgres-connection.ts';
export { openPostgres, openSqlite, openSqliteThread, type Store } from './store.ts';
