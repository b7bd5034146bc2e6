/** Every operation by name: what a store offers on either database. */
import type { Operation } from './operation.ts';
import * as access from './operations/access/access.ts';
import * as answers from './operations/access/answers.ts';
import * as audits from './operations/access/audit.ts';
import * as hookDeliveries from './operations/access/hook-deliveries.ts';
import * as mutes from './operations/access/mutes.ts';
import * as savedViews from './operations/access/saved-views.ts';
import * as sessions from './operations/access/sessions.ts';
import * as alerts from './operations/alerting/alerts.ts';
import * as alertConditions from './operations/alerting/conditions.ts';
import * as deliveries from './operations/alerting/deliveries.ts';
import * as alertGroups from './operations/alerting/groups.ts';
import * as alertRoutes from './operations/alerting/route.ts';
import * as alertSettings from './operations/alerting/settings.ts';
import * as bulkRuns from './operations/bulks/bulk-runs.ts';
import * as bulkSteps from './operations/bulks/bulk-steps.ts';
import * as bulks from './operations/bulks/bulks.ts';
import * as drain from './operations/cluster/drain.ts';
import * as generation from './operations/cluster/generation.ts';
import * as goneNodes from './operations/cluster/gone-nodes.ts';
import * as holdings from './operations/cluster/holdings.ts';
import * as invitations from './operations/cluster/invitations.ts';
import * as nodes from './operations/cluster/nodes.ts';
import * as ownership from './operations/cluster/ownership.ts';
import * as plans from './operations/cluster/plans.ts';
import * as workers from './operations/cluster/workers.ts';
import * as limits from './operations/limits/limits.ts';
import * as runCaps from './operations/limits/run-caps.ts';
import * as setCaps from './operations/limits/set-run-caps.ts';
import * as taskGroups from './operations/limits/task-groups.ts';
import * as apiReads from './operations/lists/api-reads.ts';
import * as grid from './operations/lists/grid.ts';
import * as history from './operations/lists/history.ts';
import * as jobHistory from './operations/lists/job-history.ts';
import * as liveReads from './operations/lists/live-reads.ts';
import * as nodeWork from './operations/lists/node-work.ts';
import * as overviewReads from './operations/lists/overview-reads.ts';
import * as queueDepth from './operations/lists/queue-depth.ts';
import * as reads from './operations/lists/reads.ts';
import * as runDetails from './operations/lists/run-details.ts';
import * as runEvents from './operations/lists/run-events.ts';
import * as runGroups from './operations/lists/run-groups.ts';
import * as runHistogram from './operations/lists/run-histogram.ts';
import * as runList from './operations/lists/run-list.ts';
import * as runOrder from './operations/lists/run-order.ts';
import * as runPoints from './operations/lists/run-points.ts';
import * as runTags from './operations/lists/run-tags.ts';
import * as searchReads from './operations/lists/search-reads.ts';
import * as whyReads from './operations/lists/why-reads.ts';
import * as approvals from './operations/runs/approvals.ts';
import * as attemptReads from './operations/runs/attempt-reads.ts';
import * as breaking from './operations/runs/break.ts';
import * as calls from './operations/runs/calls.ts';
import * as children from './operations/runs/children.ts';
import * as commands from './operations/runs/commands.ts';
import * as commit from './operations/runs/commit.ts';
import * as controls from './operations/runs/controls.ts';
import * as deadlines from './operations/runs/deadlines.ts';
import * as dependents from './operations/runs/dependents.ts';
import * as feed from './operations/runs/feed.ts';
import * as givenParameters from './operations/runs/given-parameters.ts';
import * as handles from './operations/runs/handles.ts';
import * as load from './operations/runs/load.ts';
import * as numbers from './operations/runs/numbers.ts';
import * as owned from './operations/runs/owned.ts';
import * as reach from './operations/runs/reach.ts';
import * as reports from './operations/runs/reports.ts';
import * as runPriority from './operations/runs/run-priority.ts';
import * as shardPlans from './operations/runs/shard-plans.ts';
import * as starts from './operations/runs/starts.ts';
import * as submit from './operations/runs/submit.ts';
import * as take from './operations/runs/take.ts';
import * as triggers from './operations/runs/triggers.ts';
import * as checks from './operations/sweeps/checks.ts';
import * as retention from './operations/sweeps/retention.ts';
import * as fireTicks from './operations/ticks/fire-ticks.ts';
import * as holidays from './operations/ticks/holidays.ts';
import * as scheduleEdits from './operations/ticks/schedule-edits.ts';
import * as schedules from './operations/ticks/schedules.ts';
import * as storeTime from './operations/ticks/store-time.ts';
import * as tickList from './operations/ticks/tick-list.ts';
import * as calendars from './operations/workflows/calendars.ts';
import * as connections from './operations/workflows/connections.ts';
import * as drafts from './operations/workflows/drafts.ts';
import * as environments from './operations/workflows/environments.ts';
import * as outlines from './operations/workflows/outlines.ts';
import * as projects from './operations/workflows/projects.ts';
import * as startCycles from './operations/workflows/start-cycles.ts';
import * as workerChoice from './operations/workflows/worker-choice.ts';
import * as workerGroups from './operations/workflows/worker-groups.ts';
import * as workflowDelete from './operations/workflows/workflow-delete.ts';
import * as workflowList from './operations/workflows/workflow-list.ts';
import * as workflowOnline from './operations/workflows/workflow-online.ts';
import * as workflowRename from './operations/workflows/workflow-rename.ts';
import * as workflowUses from './operations/workflows/workflow-uses.ts';
import * as workflows from './operations/workflows/workflows.ts';

/** Writing operations, each one transaction. */
export const writing = {
  joinNode: nodes.joinNode,
  beat: nodes.beat,
  fence: nodes.fence,
  leaveNode: nodes.leaveNode,
  recordPlan: plans.recordPlan,
  endReshard: plans.endReshard,
  publishWorkflow: workflows.publishWorkflow,
  publishWorkflows: workflows.publishWorkflows,
  setWorkflowOnline: workflowOnline.setWorkflowOnline,
  deleteWorkflow: workflowDelete.deleteWorkflow,
  renameWorkflow: workflowRename.renameWorkflow,
  renameRuns: workflowRename.renameRuns,
  submitCommand: submit.submitCommand,
  submitCommands: commands.submitCommands,
  claimWork: starts.claimWork,
  failStarts: starts.failStarts,
  commitRuns: commit.commitRuns,
  routeAlerts: alertRoutes.routeAlerts,
  acknowledgeAlert: alertRoutes.acknowledgeAlert,
  passAlertGroups: alertGroups.passAlertGroups,
  checkConditions: alertConditions.checkConditions,
  setRetentionAlerts: alertConditions.setRetentionAlerts,
  leaseDeliveries: deliveries.leaseDeliveries,
  recordTries: deliveries.recordTries,
  testAlertChannel: deliveries.testAlertChannel,
  retryDelivery: deliveries.retryDelivery,
  setAlertRule: alertSettings.setAlertRule,
  deleteAlertRule: alertSettings.deleteAlertRule,
  setAlertChannel: alertSettings.setAlertChannel,
  applyAlerts: alertSettings.applyAlerts,
  deleteAlertChannel: alertSettings.deleteAlertChannel,
  setAlertMute: alertSettings.setAlertMute,
  endAlertMute: alertSettings.endAlertMute,
  breakRun: breaking.breakRun,
  joinWorker: workers.joinWorker,
  inviteWorker: invitations.inviteWorker,
  revokeInvitation: invitations.revokeInvitation,
  listInvitations: invitations.listInvitations,
  findInvitation: invitations.findInvitation,
  take: take.take,
  beginGeneration: generation.beginGeneration,
  beatWorker: workers.beatWorker,
  loseWorker: workers.loseWorker,
  leaveWorker: workers.leaveWorker,
  keepHandle: handles.keepHandle,
  readHandles: handles.readHandles,
  recordElsewhere: reports.recordElsewhere,
  refuseReport: reports.refuseReport,
  tellBegun: reports.tellBegun,
  fireTicks: fireTicks.fireTicks,
  setSchedule: schedules.setSchedule,
  claimSchedules: holdings.claimSchedules,
  shedSchedules: holdings.shedSchedules,
  alignHoldings: holdings.alignHoldings,
  setOwnership: ownership.setOwnership,
  sendControl: controls.sendControl,
  sendControls: controls.sendControls,
  createBulk: bulks.createBulk,
  stepBulk: bulkSteps.stepBulk,
  abortBulk: bulks.abortBulk,
  drainNode: drain.drainNode,
  forgetNode: drain.forgetNode,
  wakeDependents: dependents.wakeDependents,
  dueLooks: dependents.dueLooks,
  fireTriggers: triggers.fireTriggers,
  passDeadline: deadlines.passDeadline,
  setLimit: limits.setLimit,
  answerApproval: approvals.answerApproval,
  linkApproval: approvals.linkApproval,
  setCalendar: calendars.setCalendar,
  deleteCalendar: calendars.deleteCalendar,
  setConnection: connections.setConnection,
  deleteConnection: connections.deleteConnection,
  setWorkerGroup: workerGroups.setWorkerGroup,
  setWorkerChoice: workerChoice.setWorkerChoice,
  setEnvironment: environments.setEnvironment,
  deleteEnvironment: environments.deleteEnvironment,
  setTaskGroup: taskGroups.setTaskGroup,
  deleteTaskGroup: taskGroups.deleteTaskGroup,
  setRunCaps: setCaps.setRunCaps,
  setClusterParams: givenParameters.setClusterParams,
  setProjectParams: projects.setProjectParams,
  setRunTags: runTags.setRunTags,
  setRunPriority: runPriority.setRunPriority,
  setView: savedViews.setView,
  deleteView: savedViews.deleteView,
  saveDraft: drafts.saveDraft,
  discardDraft: drafts.discardDraft,
  keepDraftVersion: drafts.keepDraftVersion,
  claimKey: answers.claimKey,
  renewClaim: answers.renewClaim,
  keepAnswer: answers.keepAnswer,
  freeKey: answers.freeKey,
  createToken: access.createToken,
  revokeToken: access.revokeToken,
  createSession: sessions.createSession,
  endSession: sessions.endSession,
  touchToken: access.touchToken,
  savePreferences: access.savePreferences,
  changePreferences: access.changePreferences,
  sweepLimits: limits.sweepLimits,
  keepShardPlan: shardPlans.keepShardPlan,
  dropShardPlan: shardPlans.dropShardPlan,
  sweepRuns: retention.sweepRuns,
  sweepRemains: retention.sweepRemains,
  recordAudit: audits.recordAudit,
  recordJobEvents: jobHistory.recordJobEvents,
  sweepJobEvents: jobHistory.sweepJobEvents,
  leaseAuditExport: audits.leaseAuditExport,
  sweepAudit: audits.sweepAudit,
  sweepDeliveries: hookDeliveries.sweepDeliveries,
  sweepEvents: feed.sweepEvents,
  sweepKeys: commands.sweepKeys,
  sweepHistory: history.sweepHistory,
  muteNeed: mutes.muteNeed,
  unmuteNeed: mutes.unmuteNeed,
  sweepMutes: mutes.sweepMutes,
  sweepTicks: schedules.sweepTicks,
  sweepFacts: dependents.sweepFacts,
  sweepBulks: bulks.sweepBulks,
  sweepNodes: goneNodes.sweepNodes,
};

/**
 * Other forms of writing operations: those a thread runs because they are cheaper to send, and any on behalf
 * of an asker.
 */
export const carried = {
  commitBatch: commit.commitBatch,
  claimWorkText: starts.claimWorkText,
  submitStarts: submit.submitStarts,
  onBehalf: ({ who, name, input }: Behalf): Operation<unknown> => {
    const make = (writing as Record<string, unknown>)[name] as (
      ...of: readonly unknown[]
    ) => Operation<unknown>;
    return audits.onBehalf(who, make(...input));
  },
};

/** An operation with its asker. */
interface Behalf {
  readonly who: audits.Asker;
  readonly name: string;
  readonly input: readonly unknown[];
}

/** Read-only operations. */
export const reading = {
  listNodes: nodes.listNodes,
  readStoreId: plans.readStoreId,
  countEnabled: plans.countEnabled,
  idsAtRanks: plans.idsAtRanks,
  countUpTo: plans.countUpTo,
  enabledIds: plans.enabledIds,
  listPlans: plans.listPlans,
  countOwned: drain.countOwned,
  findChildren: children.findChildren,
  listOwned: owned.listOwned,
  readWorkflow: workflows.readWorkflow,
  listWorkflows: workflows.listWorkflows,
  pageWorkflows: workflowList.pageWorkflows,
  readStrips: workflowList.readStrips,
  readScheduleHeads: workflowList.readScheduleHeads,
  dueDeadlines: deadlines.dueDeadlines,
  listAlerts: alerts.listAlerts,
  listAlertGroups: alertGroups.listAlertGroups,
  listDeliveries: deliveries.listDeliveries,
  listTries: deliveries.listTries,
  listAlertRules: alertSettings.listAlertRules,
  listAlertChannels: alertSettings.listAlertChannels,
  listAlertMutes: alertSettings.listAlertMutes,
  listOpenAlerts: alerts.listOpenAlerts,
  readUndelivered: deliveries.readUndelivered,
  listPastAlerts: alerts.listPastAlerts,
  listUsers: workflowUses.listUsers,
  refuseCycles: startCycles.refuseCycles,
  refuseCalls: calls.refuseCalls,
  isCallable: calls.isCallable,
  listRefusedCalls: calls.listRefusedCalls,
  listRefusedUses: workerGroups.listRefusedUses,
  readGrid: grid.readGrid,
  loadRuns: load.loadRuns,
  listWorkers: workers.listWorkers,
  listTaskTypes: workers.listTaskTypes,
  dueSchedules: schedules.dueSchedules,
  lateSchedules: schedules.lateSchedules,
  readSchedules: schedules.readSchedules,
  editedSchedules: scheduleEdits.editedSchedules,
  listSchedules: schedules.listSchedules,
  readHoldings: holdings.readHoldings,
  listHoldings: holdings.listHoldings,
  readHeld: holdings.readHeld,
  liveVersions: workflows.liveVersions,
  listTicks: schedules.listTicks,
  countTicks: tickList.countTicks,
  recentTicks: tickList.recentTicks,
  pageTicks: tickList.pageTicks,
  readTickOf: tickList.readTickOf,
  schedulesDueBefore: tickList.schedulesDueBefore,
  listRuns: reads.listRuns,
  readRun: reads.readRun,
  listAttempts: reads.listAttempts,
  pageRuns: runList.pageRuns,
  sortRuns: runOrder.sortRuns,
  countRuns: runList.countRuns,
  countByTime: runHistogram.countByTime,
  groupRuns: runGroups.groupRuns,
  listRunPoints: runPoints.listRunPoints,
  listViews: savedViews.listViews,
  listRunEvents: runEvents.listRunEvents,
  listRounds: runEvents.listRounds,
  readOutlines: outlines.readOutlines,
  listHistory: history.listHistory,
  listNodeHistory: history.listNodeHistory,
  lastEntries: history.lastEntries,
  listMutes: mutes.listMutes,
  listHolders: whyReads.listHolders,
  listRunsBefore: whyReads.listRunsBefore,
  readSuccessTimes: whyReads.readSuccessTimes,
  listOpenWaits: whyReads.listOpenWaits,
  listAssigned: whyReads.listAssigned,
  readStartTimes: whyReads.readStartTimes,
  readLoad: overviewReads.readLoad,
  readReady: overviewReads.readReady,
  hasEverRun: overviewReads.hasEverRun,
  listQueues: overviewReads.listQueues,
  readStartDelays: overviewReads.readStartDelays,
  listFailures: overviewReads.listFailures,
  lastFailureAt: overviewReads.lastFailureAt,
  listFullLimits: overviewReads.listFullLimits,
  listSkips: overviewReads.listSkips,
  listPublications: overviewReads.listPublications,
  findByName: searchReads.findByName,
  findWorkflows: searchReads.findWorkflows,
  readListed: runList.readListed,
  readNewestNumber: numbers.readNewestNumber,
  readCommand: commands.readCommand,
  listCommands: apiReads.listCommands,
  listVersions: apiReads.listVersions,
  readSource: apiReads.readSource,
  pageSchedules: apiReads.pageSchedules,
  readTime: storeTime.readTime,
  readSchedule: apiReads.readSchedule,
  pageAttempts: attemptReads.pageAttempts,
  readAttempt: attemptReads.readAttempt,
  readLogTail: attemptReads.readLogTail,
  readRunDetails: runDetails.readRunDetails,
  countTaskRuns: runDetails.countTaskRuns,
  readTaskStates: runDetails.readTaskStates,
  readQueuePlace: runDetails.readQueuePlace,
  readLimitPlace: runDetails.readLimitPlace,
  countAssignments: runDetails.countAssignments,
  listWorkerAttempts: nodeWork.listWorkerAttempts,
  listLastWork: nodeWork.listLastWork,
  listOpenRuns: runDetails.listOpenRuns,
  listChildRuns: runDetails.listChildRuns,
  listReplays: runDetails.listReplays,
  readFacts: dependents.readFacts,
  readOpenPeriods: dependents.readOpenPeriods,
  readShardPlan: shardPlans.readShardPlan,
  rowsBack: retention.rowsBack,
  firstBusinessTime: dependents.firstBusinessTime,
  findAwaited: dependents.findAwaited,
  readFeed: feed.readFeed,
  readBulks: bulks.readBulks,
  listBulks: bulks.listBulks,
  listBulkRuns: bulks.listBulkRuns,
  tryBulk: bulkRuns.tryBulk,
  readRunsById: liveReads.readRunsById,
  readTaskRuns: liveReads.readTaskRuns,
  readStartsOf: liveReads.readStartsOf,
  readWorkflowsById: liveReads.readWorkflowsById,
  readSchedulesById: liveReads.readSchedulesById,
  listLimits: limits.listLimits,
  readLimits: limits.readLimits,
  readLimitWaits: limits.readLimitWaits,
  listApprovals: approvals.listApprovals,
  findApprovalLink: approvals.findApprovalLink,
  listCalendars: calendars.listCalendars,
  readHolidays: holidays.readHolidays,
  listConnections: connections.listConnections,
  readConnections: connections.readConnections,
  listWorkerGroups: workerGroups.listWorkerGroups,
  listWorkerChoices: workerChoice.listWorkerChoices,
  readWorkerUse: workerChoice.readWorkerUse,
  listNeedUses: workflowUses.listNeedUses,
  listEnvironments: environments.listEnvironments,
  readEnvironments: environments.readEnvironments,
  listTaskGroups: taskGroups.listTaskGroups,
  listGroupWaiters: taskGroups.listGroupWaiters,
  readRunCaps: runCaps.readRunCaps,
  readClusterParams: givenParameters.readClusterParams,
  readProject: projects.readProject,
  listProjects: projects.listProjects,
  readDraft: drafts.readDraft,
  readShortDrafts: drafts.readShortDrafts,
  readQueueDepth: queueDepth.readQueueDepth,
  hasBacklog: queueDepth.hasBacklog,
  findToken: access.findToken,
  readToken: access.readToken,
  listTokens: access.listTokens,
  readPreferences: access.readPreferences,
  listAudit: audits.listAudit,
  listJobEvents: jobHistory.listJobEvents,
  findSession: sessions.findSession,
  readRunProject: access.readRunProject,
  readRunReach: reach.readRunReach,
  readScheduleProject: access.readScheduleProject,
  checkStore: checks.checkStore,
};
