/**
 * Who may do what: the role that each operation needs, and how it is kept to one project for callers of one. Plain data
 * without a schema, so that a console can explain a refusal before it happens.
 */
import type { OperationId } from './operations.ts';

/** Roles, each with the rights of those before it. */
export const roles = ['viewer', 'operator', 'editor', 'admin'] as const;
export type Role = (typeof roles)[number];

/** What each role is for. */
export const roleNotes: Readonly<Record<Role, string>> = {
  viewer: 'sees everything of its projects',
  operator: 'starts and controls runs, pauses schedules; of all projects also drains nodes',
  editor: 'changes and publishes workflows',
  admin: 'gives rights, sees settings',
};

/**
 * How an operation is kept to the project of a caller who has only one:
 * `shared` tells nothing of a project; `path` names the project; `run` and `schedule` name a thing of one; `filter`
 * lists, and gets the project as its filter; `workflow` names a workflow in its body; `handler` checks by itself;
 * `every` is refused: it shows or changes what all projects share.
 */
export type Scoping = 'shared' | 'path' | 'run' | 'schedule' | 'filter' | 'workflow' | 'handler' | 'every';

/** What an operation needs. */
export interface Need {
  readonly role: Role;
  readonly scoping: Scoping;
}

const need =
  (role: Role) =>
  (scoping: Scoping): Need => ({ role, scoping });
const viewer = need('viewer');
const operator = need('operator');
const editor = need('editor');
const admin = need('admin');

const needs: Readonly<Partial<Record<string, Need>>> = {
  checkHealth: viewer('shared'),
  checkReady: viewer('shared'),
  readOpenApi: viewer('shared'),
  listNodes: viewer('shared'),
  drainNode: operator('every'),
  undrainNode: operator('every'),
  forgetNode: operator('every'),
  listTaskTypes: viewer('shared'),

  listWorkflows: viewer('filter'),
  publishWorkflows: editor('handler'),
  validateWorkflow: viewer('shared'),
  showWorkflow: viewer('path'),
  deleteWorkflow: editor('path'),
  renameWorkflow: editor('path'),
  listVersions: viewer('path'),
  restoreVersion: editor('path'),
  readSource: viewer('path'),
  compareVersions: viewer('path'),
  showGrid: viewer('path'),
  readDraft: viewer('path'),
  saveDraft: editor('path'),
  discardDraft: editor('path'),
  publishDraft: editor('path'),

  startRun: operator('workflow'),
  listRuns: viewer('filter'),
  showHistogram: viewer('filter'),
  listRunGroups: viewer('filter'),
  listRunPoints: viewer('filter'),
  showRun: viewer('run'),
  listRunEvents: viewer('run'),
  listTasks: viewer('run'),
  listTaskWaits: viewer('run'),
  pauseRun: operator('run'),
  resumeRun: operator('run'),
  stopRun: operator('run'),
  recoverRun: operator('run'),
  rerunRun: operator('run'),
  replayRun: operator('run'),
  forceTask: operator('run'),
  killTask: operator('run'),
  startTaskNow: operator('run'),
  setRunParams: operator('run'),
  setRunTags: operator('run'),

  createBulk: operator('handler'),
  listBulks: viewer('filter'),
  showBulk: viewer('handler'),
  listBulkResults: viewer('handler'),
  abortBulk: operator('handler'),

  startBackfill: operator('workflow'),
  receiveHook: operator('shared'),

  showTaskRun: viewer('run'),
  listAttempts: viewer('run'),
  readLog: viewer('run'),
  searchLog: viewer('run'),
  explain: viewer('run'),

  listSchedules: viewer('filter'),
  showSchedule: viewer('schedule'),
  listScheduleTicks: viewer('schedule'),
  updateSchedule: editor('schedule'),
  pauseSchedule: operator('schedule'),
  resumeSchedule: operator('schedule'),
  fireSchedule: operator('schedule'),
  listTicks: viewer('filter'),

  previewCron: viewer('shared'),
  previewParams: viewer('shared'),
  previewShards: viewer('shared'),
  previewPlan: viewer('shared'),
  previewDependency: viewer('shared'),

  showOverview: viewer('filter'),
  muteNeed: operator('every'),
  search: viewer('filter'),

  followEvents: viewer('handler'),
  signIn: viewer('shared'),
  signOut: viewer('shared'),
  showMe: viewer('handler'),
  savePreferences: viewer('handler'),
  changePreferences: viewer('handler'),
  listProjects: viewer('handler'),
  showProject: viewer('path'),
  setProject: editor('path'),
  listViews: viewer('filter'),
  setView: editor('path'),
  deleteView: editor('path'),
  showParameters: viewer('shared'),
  setParameters: admin('every'),
  listEnvironments: viewer('shared'),
  showEnvironment: viewer('shared'),
  setEnvironment: admin('every'),
  deleteEnvironment: admin('every'),
  listTaskGroups: viewer('filter'),
  showTaskGroup: viewer('path'),
  setTaskGroup: editor('path'),
  deleteTaskGroup: editor('path'),
  listJobs: viewer('every'),
  showJob: viewer('every'),
  dumpJob: viewer('every'),
  triggerJob: operator('every'),
  disableJob: operator('every'),
  enableJob: operator('every'),
  configureJob: editor('every'),
  stopJob: operator('every'),
  deleteJob: editor('every'),
  showLimits: viewer('shared'),
  setLimits: admin('every'),
  listTokens: admin('handler'),
  createToken: admin('handler'),
  revokeToken: admin('handler'),
  listAudit: admin('every'),
  showConfig: admin('every'),
};

/** The operations that are spoken of here: a test sees that none is left out. */
export const needed: readonly string[] = Object.keys(needs);

/** What an operation needs; one that was forgotten here needs everything. */
export function needOf(id: OperationId): Need {
  return needs[id] ?? admin('every');
}

/** The roles that actions of runs, task runs and schedules need; any other is for editors. */
export const actionRoles: Readonly<Record<string, Role>> = {
  pause: 'operator',
  resume: 'operator',
  stop: 'operator',
  recover: 'operator',
  rerun: 'operator',
  replay: 'operator',
  force: 'operator',
  kill: 'operator',
  'start-now': 'operator',
  'set-params': 'operator',
  tag: 'operator',
  mute: 'operator',
  unmute: 'operator',
  'run-from-here': 'operator',
  run: 'operator',
  'pause-schedules': 'operator',
  'resume-schedules': 'operator',
  start: 'operator',
  abort: 'operator',
  drain: 'operator',
  undrain: 'operator',
};

/** Whether one role has the rights of another. */
export function includesRole(role: Role, other: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(other);
}
