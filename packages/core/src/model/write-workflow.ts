/**
 * Writes a workflow as a file that parses to the same workflow: short forms, defaults omitted. It has no
 * comments or layout of an author: keep the original text if that is wanted.
 */
import { stringify } from 'yaml';
import { writeDuration } from './duration.ts';
import { writeSize } from './size.ts';
import type {
  DeadlineSpec,
  Retries,
  ScheduleSpec,
  Shards,
  TaskSpec,
  Timeout,
  TriggerSpec,
  Workflow,
} from './types.ts';
import { declarations, reference, settingsOf } from './write-logic.ts';
import { type Keys, some, someKeys, unless, written } from './written-keys.ts';

/** The text of a workflow file. */
export function writeWorkflow(workflow: Workflow, format: 'yaml' | 'json'): string {
  const file = fileOf(workflow);
  return format === 'json' ? `${JSON.stringify(file, null, 2)}\n` : stringify(file, { lineWidth: 0 });
}

function fileOf(workflow: Workflow): Keys {
  const { project, name, description, tags, priority, mode, limit, onFailure, timeout } = workflow;
  const { deadline, workerGroup, environment, tenant, timezone, params, schedules, triggers, tasks } =
    workflow;
  return written({
    project: unless('default', project),
    name,
    description,
    tags: some(tags),
    priority: unless('medium', priority),
    mode: unless('parallel', mode),
    limit,
    onePerPeriod: workflow.onePerPeriod || undefined,
    onNoRoom: workflow.onNoRoom,
    onFailure: unless('continue', onFailure),
    timeout: timeout && timeoutOf(timeout),
    deadline: deadline && deadlineOf(deadline, timezone),
    workerGroup: unless('default', workerGroup),
    environment,
    tenant: unless('default', tenant),
    callableFrom: workflow.callableFrom && [...workflow.callableFrom],
    timezone: unless('UTC', timezone),
    params: declarations(params),
    schedules: some(schedules.map((one) => scheduleKeys(one, timezone))),
    triggers: some(triggers.map(triggerOf)),
    tasks: tasks.map(taskOf),
  });
}

function taskOf(task: TaskSpec): Keys {
  const { name, type, description, needs, params, trigger, retries, timeout, queueTimeout } = task;
  const { delay, priority, workerGroup, environment, group, shards, disabled } = task;
  return written({
    name,
    type,
    description,
    needs: some(needs),
    with: someKeys(settingsOf(task)),
    params: someKeys(params),
    trigger: unless(type === 'conditions' ? 'all-done' : 'all-succeeded', trigger),
    retries: retriesOf(retries),
    timeout: timeout && timeoutOf(timeout),
    queueTimeout: queueTimeout && writeDuration(queueTimeout),
    onNoWorker: task.onNoWorker && noWorkerOf(task.onNoWorker),
    delay: delay === 0 ? undefined : writeDuration(delay),
    priority: unless('medium', priority),
    workerGroup,
    environment,
    group: group && (group.priority === 0 ? group.name : group),
    shards: shards && shardsOf(shards),
    resources: task.resources && resourcesOf(task.resources),
    disabled: unless(false, disabled),
    ignoreFailure: unless(false, task.ignoreFailure),
    onLostContact: unless('kill', task.onLostContact),
  });
}

/** The keys of a schedule. */
export function scheduleKeys(spec: ScheduleSpec, zoneOfWorkflow: string): Keys {
  const { name, cron, every, timezone, from, until, misfire, exclude, calendar, params, priority, enabled } =
    spec;
  const { policy, threshold } = misfire;
  return written({
    name: unless('main', name),
    cron,
    every: every && writeDuration(every),
    timezone: unless(zoneOfWorkflow, timezone),
    from: from === undefined ? undefined : new Date(from).toISOString(),
    until: until === undefined ? undefined : new Date(until).toISOString(),
    misfire:
      threshold === 60_000
        ? unless('fire-once', policy)
        : written({ policy: unless('fire-once', policy), threshold: writeDuration(threshold) }),
    exclude:
      exclude &&
      written({
        dates: some(exclude.dates),
        yearly: some(exclude.yearly),
        weekdays: some(exclude.weekdays.map((day) => weekdays[day])),
      }),
    calendar,
    params: someKeys(params),
    priority,
    enabled,
  });
}

function triggerOf({ name, after, webhook, params, priority, enabled }: TriggerSpec): Keys {
  return written({
    name: unless('main', name),
    after:
      after &&
      written({
        workflows: after.workflows.map(reference),
        states: after.states.length === 1 && after.states[0] === 'success' ? undefined : after.states,
        when: unless('all', after.when),
      }),
    webhook:
      webhook &&
      written({ secret: webhook.secret, scheme: webhook.scheme, params: someKeys(webhook.params) }),
    params: someKeys(params),
    priority,
    enabled: unless(true, enabled),
  });
}

const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

function deadlineOf({ at, timezone, days }: DeadlineSpec, zoneOfWorkflow: string): unknown {
  const more = written({
    timezone: unless(zoneOfWorkflow, timezone),
    days: days?.map((day) => weekdays[day]),
  });
  return Object.keys(more).length > 0 ? { at, ...more } : at;
}

function timeoutOf({ after, action }: Timeout): unknown {
  return action === 'fail' ? writeDuration(after) : { after: writeDuration(after), action };
}

function noWorkerOf({ fail }: NonNullable<TaskSpec['onNoWorker']>): unknown {
  return fail === 0 ? 'fail' : { fail: writeDuration(fail) };
}

function resourcesOf({ cores, memory }: NonNullable<TaskSpec['resources']>): unknown {
  return written({ cores, memory: memory === undefined ? undefined : writeSize(memory) });
}

function retriesOf({ limit, delay, backoff, maxDelay, on, later }: Retries): unknown {
  const more = written({
    delay: delay === 0 ? undefined : writeDuration(delay),
    backoff: unless(1, backoff),
    maxDelay: maxDelay === 86_400_000 ? undefined : writeDuration(maxDelay),
    on: unless('any', on),
    // biome-ignore lint/suspicious/noThenProperty: a key of the file, never a function
    then: later?.on,
    after: later && unless(1, later.after),
  });
  if (Object.keys(more).length > 0) return { limit, ...more };
  return unless(0, limit);
}

function shardsOf({ count, parameters, plan, strategy, instances }: Shards): unknown {
  const more = written({
    params: someKeys(parameters),
    plan: unless('none', plan),
    strategy: unless('average', strategy),
    instances,
  });
  return Object.keys(more).length > 0 ? { count, ...more } : count;
}
