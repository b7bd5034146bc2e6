/** Where things are in the console. Everything has an address; links and commands print these. */
import { attemptShape, taskRunShape } from '@orrery/sdk/client';
import { FIRST_ERROR } from '../model/log-line.ts';
import { formatQuery } from './search-fields.ts';

const part = encodeURIComponent;

export const runsAddress = (search: Readonly<Record<string, string | undefined>> = {}) =>
  `/runs${formatQuery(search)}`;
export const runAddress = (run: number | string) => `/runs/${part(run)}`;
export const taskRunAddress = (taskRun: string) => `/task-runs/${part(taskRun)}`;
/** The first error in what a task run printed. */
export const firstErrorAddress = (taskRun: string) =>
  `${taskRunAddress(taskRun)}${formatQuery({ line: FIRST_ERROR })}`;
export const workflowAddress = (project: string, name: string) => `/workflows/${part(project)}/${part(name)}`;
/** A tab of a workflow's page. */
export const workflowTabAddress = (project: string, name: string, tab: string) =>
  `${workflowAddress(project, name)}/${tab}`;
/** Its editor. */
export const editAddress = (project: string, name: string) => `${workflowAddress(project, name)}/edit`;
/** Two of its versions beside each other. */
export const versionsAddress = (
  project: string,
  name: string,
  from: number | string = 1,
  to: number | string = 2,
) => `${workflowAddress(project, name)}/versions/${from}..${to}`;
export const backfillAddress = (search: Readonly<Record<string, string | undefined>>) =>
  `/backfills/new${formatQuery(search)}`;
export const nodeAddress = (node: string) => `/cluster/nodes/${part(node)}`;
export const workerGroupAddress = (name: string) => `/groups/workers/${part(name)}`;
export const taskGroupAddress = (project: string, name: string) =>
  `/groups/tasks/${part(project)}/${part(name)}`;
export const jobAddress = (center: string, job: string, tab?: string) =>
  `/jobs/${part(center)}/${part(job)}${tab === undefined ? '' : `/${tab}`}`;
export const scheduleAddress = (schedule: number | string) => `/schedules/${part(schedule)}`;

/** A task run beside its run, or a run, by its id. */
export function taskAddress(id: string): string {
  const [, run, task] = taskRunShape.exec(id) ?? [];
  return run === undefined ? runAddress(id) : `${runAddress(run)}${formatQuery({ task })}`;
}

/** The page of an id, from its form only; null if the server has to resolve it. */
export function addressOfId(id: string): string | null {
  const given = id.trim();
  if (/^[1-9]\d{0,14}$/.test(given)) return runAddress(given);
  const attempt = attemptShape.exec(given);
  if (attempt) {
    const [, run, task, shard, number] = attempt;
    return `${taskRunAddress(`${run}.${task}`)}${formatQuery({ attempt: number, shard })}`;
  }
  if (taskRunShape.test(given)) return taskRunAddress(given);
  const workflow = /^([\w.-]+)\/([\w.-]+)$/.exec(given);
  return workflow ? workflowAddress(workflow[1], workflow[2]) : null;
}
