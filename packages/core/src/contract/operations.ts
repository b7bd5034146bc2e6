/**
 * Every operation of the REST API: its method and its path under `/api/v1`. Plain data without a schema, so that a
 * client in a browser can be made from it; what each takes and answers is in `contract` (index.ts).
 */
export const operations = {
  checkHealth: ['GET', '/health'],
  listNodes: ['GET', '/nodes'],
  listTaskTypes: ['GET', '/task-types'],

  listWorkflows: ['GET', '/workflows'],
  publishWorkflows: ['POST', '/workflows'],
  showWorkflow: ['GET', '/workflows/{project}/{name}'],
  listVersions: ['GET', '/workflows/{project}/{name}/versions'],
  readSource: ['GET', '/workflows/{project}/{name}/source'],

  startRun: ['POST', '/runs'],
  listRuns: ['GET', '/runs'],
  showRun: ['GET', '/runs/{id}'],
  listTasks: ['GET', '/runs/{id}/tasks'],
  pauseRun: ['POST', '/runs/{id}/pause'],
  resumeRun: ['POST', '/runs/{id}/resume'],
  stopRun: ['POST', '/runs/{id}/stop'],
  recoverRun: ['POST', '/runs/{id}/recover'],
  rerunRun: ['POST', '/runs/{id}/rerun'],
  forceTask: ['POST', '/runs/{id}/force'],
  killTask: ['POST', '/runs/{id}/kill'],
  startTaskNow: ['POST', '/runs/{id}/start-now'],
  setRunParams: ['POST', '/runs/{id}/set-params'],

  showTaskRun: ['GET', '/task-runs/{id}'],
  listAttempts: ['GET', '/task-runs/{id}/attempts'],
  readLog: ['GET', '/attempts/{id}/log'],
  explain: ['GET', '/why/{id}'],

  listSchedules: ['GET', '/schedules'],
  showSchedule: ['GET', '/schedules/{id}'],
  listScheduleTicks: ['GET', '/schedules/{id}/ticks'],
  pauseSchedule: ['POST', '/schedules/{id}/pause'],
  resumeSchedule: ['POST', '/schedules/{id}/resume'],

  followEvents: ['GET', '/events'],

  signIn: ['POST', '/session'],
  signOut: ['DELETE', '/session'],
  showMe: ['GET', '/me'],
  savePreferences: ['PUT', '/me/preferences'],
  listProjects: ['GET', '/projects'],
  listTokens: ['GET', '/tokens'],
  createToken: ['POST', '/tokens'],
  revokeToken: ['DELETE', '/tokens/{id}'],
  listAudit: ['GET', '/audit'],
  showConfig: ['GET', '/config'],
} as const satisfies Record<string, readonly [method: Method, path: `/${string}`]>;

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** The name of an operation. */
export type OperationId = keyof typeof operations;
