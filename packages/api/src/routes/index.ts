/** The handlers of all operations. */
import type { Context } from '../context.ts';
import type { Handlers } from '../handler.ts';
import type { Hub } from '../live/hub.ts';
import { accessHandlers } from './access.ts';
import { alertHandlers } from './alerts.ts';
import { approvalHandlers } from './approvals.ts';
import { backfillHandlers } from './backfills.ts';
import { bulkHandlers } from './bulks.ts';
import { calendarHandlers } from './calendars.ts';
import { configHandlers } from './config.ts';
import { connectionHandlers } from './connections.ts';
import { controlHandlers } from './controls.ts';
import { draftHandlers } from './drafts.ts';
import { environmentHandlers } from './environments.ts';
import { healthHandlers } from './health.ts';
import { hookHandlers } from './hooks.ts';
import { jobHandlers } from './jobs.ts';
import { limitHandlers } from './limits.ts';
import { liveHandlers } from './live.ts';
import { logHandlers } from './logs.ts';
import { nodeHandlers } from './nodes.ts';
import { openApiHandlers } from './openapi.ts';
import { overviewHandlers } from './overview.ts';
import { ownershipHandlers } from './ownership.ts';
import { parameterHandlers } from './parameters.ts';
import { planHandlers } from './plans.ts';
import { previewHandlers } from './preview.ts';
import { publishHandlers } from './publish.ts';
import { runHandlers } from './runs.ts';
import { scheduleHandlers } from './schedules.ts';
import { searchHandlers } from './search.ts';
import { secretHandlers } from './secrets.ts';
import { taskGroupHandlers } from './task-groups.ts';
import { taskRunHandlers } from './task-runs.ts';
import { viewHandlers } from './views.ts';
import { whyHandlers } from './why.ts';
import { workerGroupHandlers } from './worker-groups.ts';
import { workflowHandlers } from './workflows.ts';

/** What carries out every operation of the contract; one without a handler does not compile. */
export function handlersOf(context: Context, hub: Hub): Handlers {
  return {
    ...accessHandlers(context),
    ...alertHandlers(context),
    ...approvalHandlers(context),
    ...backfillHandlers(context),
    ...bulkHandlers(context),
    ...configHandlers(context),
    ...calendarHandlers(context),
    ...connectionHandlers(context),
    ...controlHandlers(context),
    ...draftHandlers(context),
    ...environmentHandlers(context),
    ...healthHandlers(context),
    ...hookHandlers(context),
    ...jobHandlers(context),
    ...limitHandlers(context),
    ...ownershipHandlers(context),
    ...liveHandlers(context, hub),
    ...logHandlers(context),
    ...nodeHandlers(context),
    ...openApiHandlers(context),
    ...overviewHandlers(context),
    ...parameterHandlers(context),
    ...planHandlers(context),
    ...previewHandlers(context),
    ...publishHandlers(context),
    ...runHandlers(context),
    ...scheduleHandlers(context),
    ...searchHandlers(context),
    ...secretHandlers(context),
    ...taskGroupHandlers(context),
    ...taskRunHandlers(context),
    ...viewHandlers(context),
    ...whyHandlers(context),
    ...workerGroupHandlers(context),
    ...workflowHandlers(context),
  };
}
