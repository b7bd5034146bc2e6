/** Converts a workflow export of DolphinScheduler to workflow files of the same meaning, where one exists. */
import type { ParameterType, WorkflowFile } from '@orrery/core/model';
import { type AlertUse, importAlertGroups } from './alerts.ts';
import { type ExportedSchedule, type ExportedWorkflow, readExport } from './export-file.ts';
import { inheritedNames } from './inherited.ts';
import { Names } from './names.ts';
import { priorityOf } from './priority.ts';
import { type ImportNote, type ImportResult, Report } from './report.ts';
import { type Codes, importTask, minutes, Surroundings } from './task.ts';

/**
 * Reads the text of an export; throws `InvalidInput` where it is none. `alertLists` are the lists of alert groups and
 * alert instances, which are no part of an export.
 */
export function importDolphinScheduler(
  text: string,
  project = 'default',
  alertLists: readonly string[] = [],
): ImportResult {
  const exported = readExport(text);
  const names = new Names();
  const workflows = new Map<number, string>();
  const named = exported.map((one) => {
    const name = names.take(one.definition.name);
    workflows.set(one.definition.code, name);
    return { name, one };
  });
  const tasks = new Map<number, string>();
  for (const { one } of named) nameTasks(one, tasks);
  const notes: ImportNote[] = [];
  const codes: Codes = { workflows, tasks };
  const inherited = inheritedNames(exported);
  const files = named.map(({ name, one }) => {
    const around = new Surroundings(one, inherited.get(one.definition.code) ?? new Set());
    return importOne(name, project, one, around, codes, notes);
  });
  const uses = named.flatMap(({ name, one: { schedule } }) => alertUse(name, schedule));
  if (alertLists.length > 0)
    return { workflows: files, notes, alerts: { project, ...importAlertGroups(alertLists, uses, notes) } };
  for (const { workflow, type } of uses)
    new Report(workflow, undefined, notes).leftOut(
      `sent alerts when it ended (${type}); give the lists of alert groups too, or set up an alert rule`,
    );
  return { workflows: files, notes };
}

function alertUse(workflow: string, schedule: ExportedSchedule | undefined): AlertUse[] {
  const { warningType: type = '', warningGroupId: group = 0 } = schedule ?? {};
  return type === '' || type === 'NONE' ? [] : [{ workflow, group, type }];
}

function nameTasks({ tasks }: ExportedWorkflow, into: Map<number, string>): void {
  const names = new Names();
  for (const { code, name } of tasks) into.set(code, names.take(name));
}

function importOne(
  name: string,
  project: string,
  { definition, relations, tasks, schedule }: ExportedWorkflow,
  around: Surroundings,
  codes: Codes,
  notes: ImportNote[],
): WorkflowFile {
  const report = new Report(name, undefined, notes);
  if (name !== definition.name) report.changed(`was called "${definition.name}"`);
  const needs = needsOf(relations);
  const tenant = schedule?.tenantCode || definition.tenantCode;
  if (tenant && tenant !== 'default')
    report.changed(`ran as the user "${tenant}" of its machine; here a tenant only shares out slots`);
  const inherited = [...around.inherited];
  if (inherited.length > 0)
    report.changed(
      `is given ${inherited.map((each) => `"${each}"`).join(', ')} by the workflows that start it; declared without a value`,
    );
  const params = {
    ...declared(definition.globalParams),
    ...Object.fromEntries(inherited.map((each) => [each, {}])),
  };
  return {
    project,
    name,
    ...(definition.description && { description: definition.description }),
    ...(modes[definition.executionType] && { mode: modes[definition.executionType] }),
    ...(definition.timeout > 0 && {
      timeout: { after: minutes(definition.timeout), action: 'warn' as const },
    }),
    ...(schedule?.failureStrategy === 'END' && { onFailure: 'end' as const }),
    ...(schedule?.workerGroup && schedule.workerGroup !== 'default' && { workerGroup: schedule.workerGroup }),
    ...(tenant && tenant !== 'default' && { tenant: new Names().take(tenant) }),
    ...(Object.keys(params).length > 0 && { params }),
    ...(schedule && { schedule: importSchedule(schedule) }),
    tasks: tasks.map((task) =>
      importTask(
        task,
        (needs.get(task.code) ?? []).flatMap((code) => codes.tasks.get(code) ?? []),
        codes,
        around,
        report,
      ),
    ),
  };
}

const modes: Readonly<Record<string, WorkflowFile['mode']>> = {
  SERIAL_WAIT: 'serial-wait',
  SERIAL_DISCARD: 'serial-discard',
  SERIAL_PRIORITY: 'serial-priority',
};

/** Codes of the tasks before each task; an edge from 0 only says that a task is a first one. */
function needsOf(relations: ExportedWorkflow['relations']): Map<number, number[]> {
  const needs = new Map<number, number[]>();
  for (const { preTaskCode, postTaskCode } of relations) {
    const before = needs.get(postTaskCode) ?? [];
    if (preTaskCode !== 0 && !before.includes(preTaskCode)) before.push(preTaskCode);
    needs.set(postTaskCode, before);
  }
  return needs;
}

const types: Readonly<Record<string, ParameterType>> = {
  INTEGER: 'integer',
  LONG: 'integer',
  FLOAT: 'number',
  DOUBLE: 'number',
  BOOLEAN: 'boolean',
  DATE: 'date',
  TIME: 'time',
  TIMESTAMP: 'timestamp',
  LIST: 'list',
};

/** There no value is checked against its type, so one that is empty or has a placeholder is declared as text here. */
function declared(
  params: ExportedWorkflow['definition']['globalParams'],
): NonNullable<WorkflowFile['params']> {
  return Object.fromEntries(
    params.map(({ prop, direct, type, value }) => {
      const meant = types[type ?? ''];
      const declaration = {
        ...(meant && value !== '' && !value.includes('$') && { type: meant }),
        default: value,
        ...(direct === 'OUT' && { output: true }),
      };
      return [prop, Object.keys(declaration).join() === 'default' ? value : declaration];
    }),
  );
}

function importSchedule(schedule: ExportedSchedule): Exclude<WorkflowFile['schedule'], string | undefined> {
  const { crontab, timezoneId, startTime, endTime, releaseState } = schedule;
  const priority = priorityOf(schedule.workflowInstancePriority || schedule.processInstancePriority);
  return {
    cron: crontab,
    ...(timezoneId && { timezone: timezoneId }),
    ...(startTime && { from: momentText(startTime) }),
    ...(endTime && { until: momentText(endTime) }),
    ...(priority && { priority }),
    enabled: releaseState === 'ONLINE',
  };
}

function momentText(moment: string | number): string {
  return typeof moment === 'number' ? new Date(moment).toISOString() : moment;
}
