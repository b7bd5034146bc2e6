/** One task of a DolphinScheduler export as a task of a workflow file. */
import type { WorkflowFile } from '@orrery/core/model';
import { isShell, pasteReferences } from '@orrery/core/params';
import type { ExportedTask, ExportedWorkflow } from './export-file.ts';
import { logicSettings } from './logic.ts';
import { Names } from './names.ts';
import { localParameters, Outputs, startsRuns } from './outputs.ts';
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

/** The workflow that a task stands in. */
export class Surroundings {
  readonly outputs: Outputs;
  /** Names that it is given by the workflows that start it, and does not declare itself. */
  readonly inherited: ReadonlySet<string>;
  private readonly workflow: ExportedWorkflow;

  constructor(workflow: ExportedWorkflow, inherited: ReadonlySet<string>) {
    this.workflow = workflow;
    this.inherited = inherited;
    this.outputs = new Outputs(workflow);
  }

  /**
   * What a child run is given by this task: the parameters of the workflow and the outputs before the task, each under
   * its own name. There the child gets them without being told.
   */
  handedToChild({ code }: ExportedTask): Record<string, string> {
    const names = [
      ...this.workflow.definition.globalParams.map(({ prop }) => prop),
      ...this.inherited,
      ...this.outputs.upstream(code).keys(),
    ];
    return Object.fromEntries(names.map((name) => [name, `\${${name}}`]));
  }

  /** Names that may have a value when the task runs. */
  namesFor(task: ExportedTask): ReadonlySet<string> {
    const own = localParameters(task, 'in').map(({ prop }) => prop);
    return new Set([...Object.keys(this.handedToChild(task)), ...own]);
  }

  /** Outputs of a task that have a value without being printed: a given one, or an empty one that others read. */
  unprinted(task: ExportedTask): [name: string, value: string][] {
    return localParameters(task, 'out').flatMap(({ prop, value }): [string, string][] =>
      value !== '' || this.outputs.needed(task, prop, this.workflow.tasks) ? [[prop, value]] : [],
    );
  }
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
  around: Surroundings,
  whole: Report,
): TaskFile {
  const name = codes.tasks.get(task.code) ?? task.name;
  const report = whole.of(name);
  if (name !== task.name) report.changed(`was called "${task.name}"`);
  noteWhatIsLeftOut(task, report);
  const params = inputs(task, codes, around, report);
  const priority = priorityOf(task.taskPriority);
  const { description: about, ...settings } = settingsOf(task, codes, around, report);
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

function settingsOf(task: ExportedTask, codes: Codes, around: Surroundings, report: Report): Settings {
  const logic = logicSettings(task, codes, report);
  const settings = logic ?? withPasted(pluginSettings(task, report), around.namesFor(task), report);
  const unprinted = around.unprinted(task);
  if (startsRuns(task)) return withChildParameters(task, settings, around);
  // Their columns and out parameters are outputs.
  if (settings.type === 'sql' || settings.type === 'procedure') return settings;
  return unprinted.length > 0 ? withOutputs(task, settings, unprinted, report) : settings;
}

/** There every value is pasted into the script; here only where a variable cannot take its place. */
function withPasted(settings: Settings, names: ReadonlySet<string>, report: Report): Settings {
  if (settings.type !== 'shell') return settings;
  const given = settings.with as { readonly script: string; readonly shell?: string };
  const everywhere = given.shell !== undefined && !isShell(given.shell);
  const { script, pasted } = pasteReferences(given.script, (name) => names.has(name), everywhere);
  if (pasted.length === 0) return settings;
  report.changed(
    `pastes ${pasted.map((name) => `\${${name}:raw}`).join(', ')} into its script, where whoever gives the value can run commands; use double quotes or a variable where you can`,
  );
  return { ...settings, with: { ...given, script } };
}

/** A list that a dynamic task combines goes before a parameter of the same name. */
function withChildParameters(task: ExportedTask, settings: Settings, around: Surroundings): Settings {
  const given = settings.with as { readonly over?: object };
  const params = Object.entries(around.handedToChild(task)).filter(
    ([name]) => !Object.hasOwn(given.over ?? {}, name),
  );
  if (params.length === 0) return settings;
  return { ...settings, with: { ...given, params: Object.fromEntries(params) } };
}

/** A shell script first prints the value that stands unless it prints another; elsewhere a person has to. */
function withOutputs(
  { taskType }: ExportedTask,
  settings: Settings,
  unprinted: readonly (readonly [string, string])[],
  report: Report,
): Settings {
  const lines: string[] = [];
  for (const [name, value] of unprinted) {
    if (taskType === 'SHELL' && !/[\n$]|\)\}/.test(value)) {
      lines.push(`echo '#{setValue(${name}=${value.replaceAll("'", "'\\''")})}'`);
      report.changed(`hands on "${name}" as "${value}" unless its script prints another value`);
    } else
      report.leftOut(
        `handed on "${name}" as "${value}" unless it printed another value; here it has to print it`,
      );
  }
  if (lines.length === 0) return settings;
  const given = settings.with as { readonly script: string };
  return { ...settings, with: { ...given, script: `${lines.join('\n')}\n${given.script}` } };
}

function timeoutOf({ timeout, timeoutNotifyStrategy }: ExportedTask) {
  const actions = { WARN: 'warn', FAILED: 'fail', WARNFAILED: 'both' } as const;
  const action = actions[timeoutNotifyStrategy as keyof typeof actions] ?? 'warn';
  return { after: minutes(timeout), action };
}

/** An empty parameter is filled by an output of its name, so it is left to that where there is one. */
function inputs(
  task: ExportedTask,
  { tasks }: Codes,
  { outputs }: Surroundings,
  report: Report,
): Record<string, string> {
  const upstream = outputs.upstream(task.code);
  const kept = localParameters(task, 'in').filter(({ prop, value }) => {
    const from = value === '' ? upstream.get(prop) : undefined;
    if (!from) return true;
    const names = from.map(({ code, name }) => `"${tasks.get(code) ?? name}"`).join(', ');
    report.changed(`"${prop}" is empty there and filled by ${names}; here it is the output of that name`);
    return false;
  });
  return Object.fromEntries(kept.map(({ prop, value }) => [prop, value]));
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
