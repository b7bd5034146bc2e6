/**
 * Every operation of the REST API: its method and its path under `/api/v1`. Plain data without a schema, so that a
 * client in a browser can be made from it; what each takes and answers is in `contract` (index.ts).
 */
export const operations = {
  checkHealth: ['GET', '/health'],
  listNodes: ['GET', '/nodes'],
  listTaskTypes: ['GET', '/task-types'],
  readOpenApi: ['GET', '/openapi.json'],

  listWorkflows: ['GET', '/workflows'],
  publishWorkflows: ['POST', '/workflows'],
  validateWorkflow: ['POST', '/workflows/validate'],
  showWorkflow: ['GET', '/workflows/{project}/{name}'],
  deleteWorkflow: ['DELETE', '/workflows/{project}/{name}'],
  renameWorkflow: ['POST', '/workflows/{project}/{name}/rename'],
  listVersions: ['GET', '/workflows/{project}/{name}/versions'],
  restoreVersion: ['POST', '/workflows/{project}/{name}/versions/{version}/restore'],
  readSource: ['GET', '/workflows/{project}/{name}/source'],
  compareVersions: ['GET', '/workflows/{project}/{name}/diff'],
  showGrid: ['GET', '/workflows/{project}/{name}/grid'],
  readDraft: ['GET', '/workflows/{project}/{name}/draft'],
  saveDraft: ['PUT', '/workflows/{project}/{name}/draft'],
  discardDraft: ['DELETE', '/workflows/{project}/{name}/draft'],
  publishDraft: ['POST', '/workflows/{project}/{name}/draft/publish'],

  startRun: ['POST', '/runs'],
  listRuns: ['GET', '/runs'],
  showHistogram: ['GET', '/runs/histogram'],
  showRun: ['GET', '/runs/{id}'],
  listTasks: ['GET', '/runs/{id}/tasks'],
  listRunEvents: ['GET', '/runs/{id}/events'],
  pauseRun: ['POST', '/runs/{id}/pause'],
  resumeRun: ['POST', '/runs/{id}/resume'],
  stopRun: ['POST', '/runs/{id}/stop'],
  recoverRun: ['POST', '/runs/{id}/recover'],
  rerunRun: ['POST', '/runs/{id}/rerun'],
  replayRun: ['POST', '/runs/{id}/replay'],
  forceTask: ['POST', '/runs/{id}/force'],
  killTask: ['POST', '/runs/{id}/kill'],
  startTaskNow: ['POST', '/runs/{id}/start-now'],
  setRunParams: ['POST', '/runs/{id}/set-params'],

  createBulk: ['POST', '/bulks'],
  listBulks: ['GET', '/bulks'],
  showBulk: ['GET', '/bulks/{id}'],
  listBulkResults: ['GET', '/bulks/{id}/results'],
  abortBulk: ['POST', '/bulks/{id}/abort'],

  startBackfill: ['POST', '/backfills'],
  receiveHook: ['POST', '/hooks/{project}/{workflow}/{trigger}'],

  showTaskRun: ['GET', '/task-runs/{id}'],
  listAttempts: ['GET', '/task-runs/{id}/attempts'],
  readLog: ['GET', '/attempts/{id}/log'],
  searchLog: ['GET', '/attempts/{id}/log/search'],
  explain: ['GET', '/why/{id}'],

  listSchedules: ['GET', '/schedules'],
  showSchedule: ['GET', '/schedules/{id}'],
  listScheduleTicks: ['GET', '/schedules/{id}/ticks'],
  updateSchedule: ['PUT', '/schedules/{id}'],
  pauseSchedule: ['POST', '/schedules/{id}/pause'],
  resumeSchedule: ['POST', '/schedules/{id}/resume'],
  listTicks: ['GET', '/ticks'],

  previewCron: ['POST', '/preview/cron'],
  previewParams: ['POST', '/preview/params'],
  previewShards: ['POST', '/preview/shards'],
  previewPlan: ['POST', '/preview/plan'],
  previewDependency: ['POST', '/preview/dependency'],

  showOverview: ['GET', '/overview'],
  muteNeed: ['POST', '/needs/{id}/mute'],
  search: ['GET', '/search'],

  followEvents: ['GET', '/events'],

  signIn: ['POST', '/session'],
  signOut: ['DELETE', '/session'],
  showMe: ['GET', '/me'],
  savePreferences: ['PUT', '/me/preferences'],
  listProjects: ['GET', '/projects'],
  showProject: ['GET', '/projects/{project}'],
  setProject: ['PUT', '/projects/{project}'],
  showParameters: ['GET', '/parameters'],
  setParameters: ['PUT', '/parameters'],
  listEnvironments: ['GET', '/environments'],
  showEnvironment: ['GET', '/environments/{name}'],
  setEnvironment: ['PUT', '/environments/{name}'],
  deleteEnvironment: ['DELETE', '/environments/{name}'],
  listTaskGroups: ['GET', '/task-groups'],
  showTaskGroup: ['GET', '/task-groups/{project}/{name}'],
  setTaskGroup: ['PUT', '/task-groups/{project}/{name}'],
  deleteTaskGroup: ['DELETE', '/task-groups/{project}/{name}'],
  showLimits: ['GET', '/limits'],
  setLimits: ['PUT', '/limits'],
  listTokens: ['GET', '/tokens'],
  createToken: ['POST', '/tokens'],
  revokeToken: ['DELETE', '/tokens/{id}'],
  listAudit: ['GET', '/audit'],
  showConfig: ['GET', '/config'],
} as const satisfies Record<string, readonly [method: Method, path: `/${string}`]>;

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** The name of an operation. */
export type OperationId = keyof typeof operations;
