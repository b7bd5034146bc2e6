/** One task of a DolphinScheduler export as a task of a workflow file. */
import type { WorkflowFile } from '@orrery/core/model';
import { type ExportedTask, properties } from './export-file.ts';
import { logicSettings } from './logic.ts';
import { Names } from './names.ts';
import { priorityOf } from './priority.ts';
import type { Report } from './report.ts';
import { pluginSettings } from './settings.ts';

/** A task as written in a workflow file. */
export type TaskFile = WorkflowFile['tasks'][number];

/** The part of a task that its type decides. */
export type Settings = Pick<TaskFile, 'type' | 'with' | 'description'>;

/** New names of everything in the export, by the codes it refers to them with. */
export interface Codes {
  readonly workflows: ReadonlyMap<number, string>;
  readonly tasks: ReadonlyMap<number, string>;
}

/** A number of minutes as a duration. */
export function minutes(count: number): string {
  return `${count}m`;
}

/** The task under its new name, after the tasks it needs. */
export function importTask(
  task: ExportedTask,
  needs: readonly string[],
  codes: Codes,
  whole: Report,
): TaskFile {
  const name = codes.tasks.get(task.code) ?? task.name;
  const report = whole.of(name);
  if (name !== task.name) report.changed(`was called "${task.name}"`);
  noteWhatIsLeftOut(task, report);
  const params = localParameters(task);
  const priority = priorityOf(task.taskPriority);
  const { description: about, ...settings } = settingsOf(task, codes, report);
  const description = [task.description, about].filter(Boolean).join('\n\n');
  return {
    name,
    ...settings,
    ...(description && { description }),
    ...(needs.length > 0 && { needs: [...needs] }),
    ...(Object.keys(params).length > 0 && { params }),
    ...(task.failRetryTimes > 0 && {
      retries: { limit: task.failRetryTimes, delay: minutes(task.failRetryInterval) },
    }),
    ...(task.timeoutFlag === 'OPEN' && task.timeout > 0 && { timeout: timeoutOf(task) }),
    ...(task.delayTime > 0 && { delay: minutes(task.delayTime) }),
    ...(priority && { priority }),
    ...(task.workerGroup && task.workerGroup !== 'default' && { workerGroup: workerGroup(task, report) }),
    ...(task.taskGroupId > 0 && { group: groupOf(task) }),
    ...(task.flag === 'NO' && { disabled: true }),
  };
}

function settingsOf(task: ExportedTask, codes: Codes, report: Report): Settings {
  return logicSettings(task, codes, report) ?? pluginSettings(task, report);
}

function timeoutOf({ timeout, timeoutNotifyStrategy }: ExportedTask) {
  const actions = { WARN: 'warn', FAILED: 'fail', WARNFAILED: 'both' } as const;
  const action = actions[timeoutNotifyStrategy as keyof typeof actions] ?? 'warn';
  return { after: minutes(timeout), action };
}

/** What a script prints as `setValue` is handed on without being declared, so only what goes in is carried over. */
function localParameters({ taskParams }: ExportedTask): Record<string, string> {
  const read = properties.safeParse(taskParams.localParams);
  const given = (read.data ?? []).filter(({ direct }) => direct !== 'OUT');
  return Object.fromEntries(given.map(({ prop, value }) => [prop, value]));
}

function workerGroup({ workerGroup }: ExportedTask, report: Report): string {
  const name = new Names().take(workerGroup);
  if (name !== workerGroup) report.changed(`worker group "${workerGroup}" is called "${name}" here`);
  return name;
}

function groupOf({ taskGroupId, taskGroupPriority }: ExportedTask) {
  const name = `group-${taskGroupId}`;
  return taskGroupPriority > 0 ? { name, priority: taskGroupPriority } : name;
}

function noteWhatIsLeftOut(task: ExportedTask, report: Report): void {
  if (task.taskGroupId > 0)
    report.changed(
      `the export has only the number of its task group; it is "group-${task.taskGroupId}" here, with slots to be set`,
    );
  if (task.environmentCode > 0)
    report.leftOut(`its environment (code ${task.environmentCode}) is not in the export`);
  if (task.isCache === 'YES') report.leftOut('its result was kept and used again; here it runs every time');
  if (task.cpuQuota > 0 || task.memoryMax > 0)
    report.leftOut('its limits of CPU and memory; set them for the worker instead');
  const resources = Array.isArray(task.taskParams.resourceList) ? task.taskParams.resourceList : [];
  if (resources.length > 0)
    report.leftOut(`its ${resources.length} resource file(s); put them into the code folder of the workers`);
}
