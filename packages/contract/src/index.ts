/**
 * The REST API as data, one entry per operation. The server, the client, OpenAPI, the table of rights and the
 * docs are generated from it.
 */
import { accessOperations } from './access.ts';
import { alertOperations } from './alerts.ts';
import { approvalOperations } from './approvals.ts';
import { backfillOperations } from './backfills.ts';
import { bulkOperations } from './bulks.ts';
import { calendarOperations } from './calendars.ts';
import { clusterOperations } from './cluster.ts';
import { connectionOperations } from './connections.ts';
import { environmentOperations } from './environments.ts';
import { eventOperations } from './events.ts';
import { hookOperations } from './hooks.ts';
import { jobOperations } from './jobs.ts';
import { limitOperations } from './limits.ts';
import type { Operation, OperationId } from './operation.ts';
import { overviewOperations } from './overview.ts';
import { ownershipOperations } from './ownership.ts';
import { parameterOperations } from './parameters.ts';
import { planOperations } from './plans.ts';
import { previewOperations } from './preview.ts';
import { runOperations } from './runs.ts';
import { scheduleOperations } from './schedules.ts';
import { searchOperations } from './search.ts';
import { secretOperations } from './secrets.ts';
import { taskGroupOperations } from './task-groups.ts';
import { taskRunOperations } from './task-runs.ts';
import { viewOperations } from './views.ts';
import { workerGroupOperations } from './worker-groups.ts';
import { draftOperations, workflowOperations } from './workflows.ts';

/**
 * Every operation. A browser loads `@orrery/contract/routes` instead, generated from this and without
 * schemas.
 */
export const contract = {
  ...clusterOperations,
  ...workflowOperations,
  ...draftOperations,
  ...runOperations,
  ...bulkOperations,
  ...backfillOperations,
  ...hookOperations,
  ...taskRunOperations,
  ...approvalOperations,
  ...scheduleOperations,
  ...previewOperations,
  ...overviewOperations,
  ...searchOperations,
  ...eventOperations,
  ...accessOperations,
  ...viewOperations,
  ...parameterOperations,
  ...environmentOperations,
  ...secretOperations,
  ...workerGroupOperations,
  ...calendarOperations,
  ...connectionOperations,
  ...taskGroupOperations,
  ...jobOperations,
  ...limitOperations,
  ...alertOperations,
  ...ownershipOperations,
  ...planOperations,
} as const satisfies Record<string, Operation>;

/** The names of all operations, in the order of the reference. */
export const operationIds = Object.keys(contract) as OperationId[];

/** An entry, typed as `Operation`. */
export function operationOf(id: OperationId): Operation {
  return contract[id];
}

/** The method and the path of an operation. */
export function routeOf(id: OperationId): { readonly method: Method; readonly path: string } {
  const [method, path] = contract[id].route.split(' ');
  return { method: method as Method, path };
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export type { Answer, Frozen, Input, Operation, OperationId, ReadInput } from './operation.ts';
export { needKinds } from './overview.ts';
export { type ApiProblem, type ProblemKind, problem, problemKinds } from './problem.ts';
export type { RunChoice, ShownRunState } from './run-shapes.ts';
export type { Action } from './shapes.ts';
export { gridStates } from './workflow-shapes.ts';
