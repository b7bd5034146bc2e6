/** Every operation by name: what a store offers, on whatever it stands. */
import * as access from './operations/access.ts';
import * as alerts from './operations/alerts.ts';
import * as answers from './operations/answers.ts';
import * as apiReads from './operations/api-reads.ts';
import * as attemptReads from './operations/attempt-reads.ts';
import * as audits from './operations/audit.ts';
import * as breaking from './operations/break.ts';
import * as bulkRuns from './operations/bulk-runs.ts';
import * as bulkSteps from './operations/bulk-steps.ts';
import * as bulks from './operations/bulks.ts';
import * as checks from './operations/checks.ts';
import * as children from './operations/children.ts';
import * as commands from './operations/commands.ts';
import * as commit from './operations/commit.ts';
import * as controls from './operations/controls.ts';
import * as deadlines from './operations/deadlines.ts';
import * as dependents from './operations/dependents.ts';
import * as drafts from './operations/drafts.ts';
import * as drain from './operations/drain.ts';
import * as environments from './operations/environments.ts';
import * as feed from './operations/feed.ts';
import * as fireTicks from './operations/fire-ticks.ts';
import * as generation from './operations/generation.ts';
import * as givenParameters from './operations/given-parameters.ts';
import * as goneNodes from './operations/gone-nodes.ts';
import * as grid from './operations/grid.ts';
import * as history from './operations/history.ts';
import * as limits from './operations/limits.ts';
import * as liveReads from './operations/live-reads.ts';
import * as load from './operations/load.ts';
import * as mutes from './operations/mutes.ts';
import * as nodes from './operations/nodes.ts';
import * as numbers from './operations/numbers.ts';
import * as outlines from './operations/outlines.ts';
import * as overviewReads from './operations/overview-reads.ts';
import * as owned from './operations/owned.ts';
import * as projects from './operations/projects.ts';
import * as queueDepth from './operations/queue-depth.ts';
import * as reads from './operations/reads.ts';
import * as reports from './operations/reports.ts';
import * as retention from './operations/retention.ts';
import * as runCaps from './operations/run-caps.ts';
import * as runDetails from './operations/run-details.ts';
import * as runEvents from './operations/run-events.ts';
import * as runGroups from './operations/run-groups.ts';
import * as runHistogram from './operations/run-histogram.ts';
import * as runList from './operations/run-list.ts';
import * as runOrder from './operations/run-order.ts';
import * as runPoints from './operations/run-points.ts';
import * as runTags from './operations/run-tags.ts';
import * as savedViews from './operations/saved-views.ts';
import * as scheduleEdits from './operations/schedule-edits.ts';
import * as schedules from './operations/schedules.ts';
import * as searchReads from './operations/search-reads.ts';
import * as setCaps from './operations/set-run-caps.ts';
import * as shardPlans from './operations/shard-plans.ts';
import * as startCycles from './operations/start-cycles.ts';
import * as starts from './operations/starts.ts';
import * as take from './operations/take.ts';
import * as taskGroups from './operations/task-groups.ts';
import * as tickList from './operations/tick-list.ts';
import * as triggers from './operations/triggers.ts';
import * as whyReads from './operations/why-reads.ts';
import * as workers from './operations/workers.ts';
import * as workflowDelete from './operations/workflow-delete.ts';
import * as workflowList from './operations/workflow-list.ts';
import * as workflowRename from './operations/workflow-rename.ts';
import * as workflowUses from './operations/workflow-uses.ts';
import * as workflows from './operations/workflows.ts';

/** Those that write, each in one transaction. */
export const writing = {
  joinNode: nodes.joinNode,
  beat: nodes.beat,
  fence: nodes.fence,
  leaveNode: nodes.leaveNode,
  publishWorkflow: workflows.publishWorkflow,
  publishWorkflows: workflows.publishWorkflows,
  deleteWorkflow: workflowDelete.deleteWorkflow,
  renameWorkflow: workflowRename.renameWorkflow,
  renameRuns: workflowRename.renameRuns,
  submitCommand: commands.submitCommand,
  submitCommands: commands.submitCommands,
  claimWork: starts.claimWork,
  withdrawCommand: starts.withdrawCommand,
  commitRuns: commit.commitRuns,
  breakRun: breaking.breakRun,
  joinWorker: workers.joinWorker,
  take: take.take,
  beginGeneration: generation.beginGeneration,
  beatWorker: workers.beatWorker,
  loseWorker: workers.loseWorker,
  leaveWorker: workers.leaveWorker,
  recordElsewhere: reports.recordElsewhere,
  refuseReport: reports.refuseReport,
  tellBegun: reports.tellBegun,
  fireTicks: fireTicks.fireTicks,
  setSchedule: schedules.setSchedule,
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
  admitNow: limits.admitNow,
  setEnvironment: environments.setEnvironment,
  deleteEnvironment: environments.deleteEnvironment,
  setTaskGroup: taskGroups.setTaskGroup,
  deleteTaskGroup: taskGroups.deleteTaskGroup,
  setRunCaps: setCaps.setRunCaps,
  setClusterParams: givenParameters.setClusterParams,
  setProjectParams: projects.setProjectParams,
  setRunTags: runTags.setRunTags,
  setView: savedViews.setView,
  deleteView: savedViews.deleteView,
  saveDraft: drafts.saveDraft,
  discardDraft: drafts.discardDraft,
  claimKey: answers.claimKey,
  renewClaim: answers.renewClaim,
  keepAnswer: answers.keepAnswer,
  freeKey: answers.freeKey,
  createToken: access.createToken,
  revokeToken: access.revokeToken,
  touchToken: access.touchToken,
  savePreferences: access.savePreferences,
  changePreferences: access.changePreferences,
  sweepLimits: limits.sweepLimits,
  keepShardPlan: shardPlans.keepShardPlan,
  dropShardPlan: shardPlans.dropShardPlan,
  sweepRuns: retention.sweepRuns,
  sweepRemains: retention.sweepRemains,
  recordAudit: audits.recordAudit,
  sweepAudit: audits.sweepAudit,
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

/** What a thread runs instead of some of them, because it costs less to send to it or back. */
export const carried = {
  commitBatch: commit.commitBatch,
  claimWorkText: starts.claimWorkText,
};

/** Those that only read. */
export const reading = {
  listNodes: nodes.listNodes,
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
  listOpenAlerts: alerts.listOpenAlerts,
  listUsers: workflowUses.listUsers,
  refuseCycles: startCycles.refuseCycles,
  readGrid: grid.readGrid,
  loadRuns: load.loadRuns,
  listWorkers: workers.listWorkers,
  listTaskTypes: workers.listTaskTypes,
  dueSchedules: schedules.dueSchedules,
  lateSchedules: schedules.lateSchedules,
  readSchedules: schedules.readSchedules,
  editedSchedules: scheduleEdits.editedSchedules,
  listSchedules: schedules.listSchedules,
  liveVersions: workflows.liveVersions,
  listTicks: schedules.listTicks,
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
  readRunProject: access.readRunProject,
  readScheduleProject: access.readScheduleProject,
  checkStore: checks.checkStore,
};
