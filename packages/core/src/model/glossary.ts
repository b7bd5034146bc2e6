/**
 * The words of Orrery, one per thing; code, API, console and docs use no others.
 *
 *   project      every name is keyed (project, name); `default` unless given
 *   workflow     a versioned DAG of tasks; publishing makes a new immutable version
 *   task         one node of a workflow: a type, parameters, retries, timeout, priority, optional shards
 *   schedule     when a workflow fires: cron or interval, time zone, window, misfire policy, calendar
 *   tick         one due time of one schedule; ends as a run or in a recorded skip, never as nothing
 *   command      a durable request to start a run; reserves the run's id
 *   control      a durable request to change a run: pause, resume, stop, recover, rerun, force, …
 *   run          one execution of one workflow version, in one or more rounds
 *   round        one walk over (part of) the graph; rerun and recover open a new round of the same run
 *   task run     one task in one run
 *   attempt      (task run, shard or none, number): the unit of queue, assignment, outcome, kill and log
 *   series       a task run that starts child runs from a generator: dynamic fan-out and backfill
 *   job          an elastic job: a schedule, a number of shards, a handler in the user's own processes
 *   shard        one item 0..n-1 of a job or of a sharded task, with an optional parameter
 *   worker group where a task may run; task group: how many at once across the cluster
 */

/** Priority of a run or a task, in the order of service. */
export const priorities = ['highest', 'high', 'medium', 'low', 'lowest'] as const;
export type Priority = (typeof priorities)[number];

/**
 * When a task may run, seen from its predecessors (a task without any is ready, except by `one-failed`):
 *
 * | rule          | ready                                          | skipped                                   |
 * |---------------|------------------------------------------------|-------------------------------------------|
 * | all-succeeded | all ended, at least one succeeded, none failed | one failed, or all ended and were skipped |
 * | all-done      | all ended, however                             | never                                     |
 * | one-failed    | one failed                                     | all ended, none failed                    |
 * | one-succeeded | one succeeded                                  | all ended, none succeeded                 |
 * | none-failed   | all ended, none failed                         | one failed                                |
 *
 * A skipped predecessor does not stop `all-succeeded`, or a join could never follow a branch. A task is skipped
 * as soon as that is certain, so what comes after it may start while others before it still run.
 */
export const triggerRules = [
  'all-succeeded',
  'all-done',
  'one-failed',
  'one-succeeded',
  'none-failed',
] as const;
export type TriggerRule = (typeof triggerRules)[number];

/** What a new run of a workflow does while earlier ones are open. */
export const runModes = ['parallel', 'serial-wait', 'serial-discard', 'serial-priority'] as const;
export type RunMode = (typeof runModes)[number];

/** End states that a trigger can wait for; `any` also includes stopped. */
export const endStates = ['success', 'failed', 'any'] as const;
export type EndState = (typeof endStates)[number];

/** What a task's failure means for the rest of its run. */
export const failureStrategies = ['continue', 'end'] as const;
export type FailureStrategy = (typeof failureStrategies)[number];

/** What happens when a time limit is reached: an alert, a failure, or both. */
export const timeoutActions = ['warn', 'fail', 'both'] as const;
export type TimeoutAction = (typeof timeoutActions)[number];

/**
 * What happens to ticks that nobody could fire in time. `fire-once`: the latest one fires under its own due
 * time and stands for the others. `fire-all`: all fire. `skip`: none fires.
 */
export const misfirePolicies = ['fire-once', 'fire-all', 'skip'] as const;
export type MisfirePolicy = (typeof misfirePolicies)[number];

/** Task types that the master runs itself; they take no worker and no group slot. */
export const logicTypes = [
  'sub-workflow',
  'dependent',
  'conditions',
  'switch',
  'dynamic',
  'approval',
] as const;
export type LogicType = (typeof logicTypes)[number];

/** The types a declared parameter may have. */
export const parameterTypes = [
  'string',
  'integer',
  'number',
  'boolean',
  'date',
  'time',
  'timestamp',
  'list',
  'json',
] as const;
export type ParameterType = (typeof parameterTypes)[number];

/** Whether the master itself runs a task type. */
export function isLogicType(type: string): type is LogicType {
  return (logicTypes as readonly string[]).includes(type);
}

/** Whether a logic type starts or awaits runs of other workflows. */
export function callsOthers(type: LogicType): type is 'sub-workflow' | 'dependent' | 'dynamic' {
  return type === 'sub-workflow' || type === 'dependent' || type === 'dynamic';
}

/** Signature schemes of webhook requests; a trigger accepts one of them. */
export const hookSchemes = ['orrery', 'github'] as const;

/** What started a run. */
export const runTriggers = ['manual', 'api', 'tick', 'dependency', 'webhook', 'child', 'backfill'] as const;
export type RunTrigger = (typeof runTriggers)[number];

/**
 * Kind of run: a workflow's own, or one made by the engine to run a workflow over a range of business times.
 */
export const runKinds = ['normal', 'backfill'] as const;
export type RunKind = (typeof runKinds)[number];
