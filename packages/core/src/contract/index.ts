/** The REST API as data: every operation with what it takes and what it answers. Server and clients are made from it. */
import { accessOperations } from './access.ts';
import { backfillOperations } from './backfills.ts';
import { bulkOperations } from './bulks.ts';
import { clusterOperations } from './cluster.ts';
import { environmentOperations } from './environments.ts';
import { eventOperations } from './events.ts';
import { hookOperations } from './hooks.ts';
import { jobOperations } from './jobs.ts';
import { limitOperations } from './limits.ts';
import type { OperationSchema } from './operation.ts';
import type { OperationId } from './operations.ts';
import { overviewOperations } from './overview.ts';
import { parameterOperations } from './parameters.ts';
import { previewOperations } from './preview.ts';
import { runOperations } from './runs.ts';
import { scheduleOperations } from './schedules.ts';
import { searchOperations } from './search.ts';
import { taskGroupOperations } from './task-groups.ts';
import { taskRunOperations } from './task-runs.ts';
import { viewOperations } from './views.ts';
import { draftOperations, workflowOperations } from './workflows.ts';

/** Every operation. A browser takes `operations` from `@orrery/core/contract/operations` instead, which has no schema. */
export const contract = {
  ...clusterOperations,
  ...workflowOperations,
  ...draftOperations,
  ...runOperations,
  ...bulkOperations,
  ...backfillOperations,
  ...hookOperations,
  ...taskRunOperations,
  ...scheduleOperations,
  ...overviewOperations,
  ...searchOperations,
  ...previewOperations,
  ...eventOperations,
  ...accessOperations,
  ...parameterOperations,
  ...environmentOperations,
  ...taskGroupOperations,
  ...jobOperations,
  ...limitOperations,
  ...viewOperations,
} as const satisfies Record<OperationId, OperationSchema>;

export { type AttemptName, attemptText, type TaskRunName, taskRunText } from './names.ts';
export type { Answer, Frozen, Input, OperationSchema, ReadInput } from './operation.ts';
export { type OperationId, operations } from './operations.ts';
export { needKinds } from './overview.ts';
export { type ApiProblem, type ProblemKind, problem, problemKinds } from './problem.ts';
export type { RunChoice, ShownRunState } from './run-shapes.ts';
export type { Action } from './shapes.ts';
export { gridStates } from './workflow-shapes.ts';
