/**
 * Roles and rights. Every operation names an action and a scope; a role is a set of actions. Plain data
 * without a schema, so that a console can explain a refusal in advance.
 */

/** The actions that each role adds to those of the role before it. */
const added = {
  // Views everything in its projects.
  viewer: [
    'cluster.read',
    'workflow.read',
    'run.read',
    'log.read',
    'schedule.read',
    'project.read',
    'setting.read',
    'task-group.read',
    'connection.read',
    'job.read',
    'preview',
    'self',
  ],
  // Starts and controls runs, pauses schedules; with all projects it also drains nodes.
  operator: ['run.start', 'run.control', 'schedule.control', 'job.control', 'node.control', 'need.mute'],
  // Changes and publishes workflows.
  editor: [
    'workflow.edit',
    'schedule.edit',
    'project.edit',
    'task-group.edit',
    'connection.edit',
    'job.edit',
  ],
  // Grants rights, views and changes settings.
  admin: ['setting.edit', 'token.manage', 'audit.read', 'config.read'],
} as const;

/** Roles, each with the rights of those before it. */
export const roles = ['viewer', 'operator', 'editor', 'admin'] as const satisfies (keyof typeof added)[];
export type Role = (typeof roles)[number];

/** An operation's action: a kind of thing, and whether it is read, controlled or changed. */
export type AccessAction = (typeof added)[Role][number];

/**
 * How an operation is restricted for a caller with only one project. `shared`: reveals nothing of a project.
 * `path`: names the project. `run`, `schedule`: names a thing of one project. `filter`: lists, with the
 * project as its filter. `workflow`: names a workflow in its body. `handler`: checks by itself. `every`:
 * refused, because it shows or changes what all projects share.
 */
export type Scope = 'shared' | 'path' | 'run' | 'schedule' | 'filter' | 'workflow' | 'handler' | 'every';

/** The actions of each role. */
export const roleActions: Readonly<Record<Role, ReadonlySet<AccessAction>>> = {
  viewer: new Set(added.viewer),
  operator: new Set([...added.viewer, ...added.operator]),
  editor: new Set([...added.viewer, ...added.operator, ...added.editor]),
  admin: new Set([...added.viewer, ...added.operator, ...added.editor, ...added.admin]),
};

/** The lowest role that may perform an action. */
export function roleFor(action: AccessAction): Role {
  return roles.find((role) => roleActions[role].has(action)) ?? 'admin';
}

/**
 * Actions of the buttons of runs, task runs, schedules, nodes and elastic jobs; any other button changes a
 * workflow.
 */
export const buttonActions: Readonly<Record<string, AccessAction>> = {
  pause: 'run.control',
  resume: 'run.control',
  stop: 'run.control',
  recover: 'run.control',
  rerun: 'run.control',
  replay: 'run.start',
  force: 'run.control',
  kill: 'run.control',
  'start-now': 'run.control',
  'set-params': 'run.control',
  'set-parallel': 'run.control',
  'set-priority': 'run.control',
  tag: 'run.control',
  mute: 'need.mute',
  unmute: 'need.mute',
  'run-from-here': 'run.start',
  run: 'run.start',
  'pause-schedules': 'schedule.control',
  'resume-schedules': 'schedule.control',
  start: 'run.start',
  abort: 'run.control',
  drain: 'node.control',
  undrain: 'node.control',
  'trigger-job': 'job.control',
  'trigger-with-parameter': 'job.control',
  'disable-job': 'job.control',
  'enable-job': 'job.control',
  'stop-job': 'job.control',
  'switch-shard': 'job.control',
  'configure-job': 'job.edit',
  'delete-job': 'job.edit',
};
