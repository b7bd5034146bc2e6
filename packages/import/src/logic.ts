/** Tasks that the master runs itself: sub-workflow, dependent, conditions, switch, dynamic. */

import { InvalidInput } from '@orrery/core/errors';
import { parseExpression } from '@orrery/core/expression';
import { type LogicFiles, parseWindow } from '@orrery/core/model';
import { z } from 'zod';
import { type ExportedTask, readSettings } from './export-file.ts';
import type { Report } from './report.ts';
import type { Codes, Settings } from './task.ts';

const code = z.coerce.number().nullish();
const relation = z.string().nullish();
const group = z.object({
  relation,
  dependItemList: z
    .array(
      z.object({
        definitionCode: code,
        depTaskCode: code,
        dateValue: z.string().nullish(),
        status: z.string().nullish(),
      }),
    )
    .default([]),
});
const dependence = z.object({
  relation,
  dependTaskList: z.array(group).default([]),
  failurePolicy: z.string().nullish(),
  /** Minutes. */
  failureWaitingTime: z.number().nullish(),
});
const waits = z.object({ dependence });
type Dependence = z.output<typeof dependence>;
type Item = z.output<typeof group>['dependItemList'][number];

const child = z.object({ workflowDefinitionCode: code, processDefinitionCode: code });

const conditions = z.object({
  dependence,
  conditionResult: z.object({
    successNode: z.array(code).default([]),
    failedNode: z.array(code).default([]),
  }),
});

const choice = z.object({
  switchResult: z.object({
    dependTaskList: z.array(z.object({ condition: z.string().nullish(), nextNode: code })).default([]),
    nextNode: code,
  }),
});

const dynamic = child.extend({
  maxNumOfSubWorkflowInstances: z.coerce.number().nullish(),
  degreeOfParallelism: z.coerce.number().nullish(),
  filterCondition: z.string().nullish(),
  listParameters: z
    .array(z.object({ name: z.string(), value: z.string(), separator: z.string().nullish() }))
    .default([]),
});

/** Type and settings of a logic task; undefined for one that a worker runs. */
export function logicSettings(task: ExportedTask, codes: Codes, report: Report): Settings | undefined {
  switch (task.taskType) {
    case 'SUB_PROCESS':
    case 'SUB_WORKFLOW':
      return { type: 'sub-workflow', with: { workflow: childOf(readSettings(child, task), codes, report) } };
    case 'DEPENDENT':
      return {
        type: 'dependent',
        with: importDependent(readSettings(waits, task).dependence, codes, report),
      };
    case 'CONDITIONS':
      return { type: 'conditions', with: importConditions(readSettings(conditions, task), codes) };
    case 'SWITCH':
      return { type: 'switch', with: importSwitch(readSettings(choice, task).switchResult, codes, report) };
    case 'DYNAMIC':
      return { type: 'dynamic', with: importDynamic(readSettings(dynamic, task), codes, report) };
    default:
      return undefined;
  }
}

function childOf(
  { workflowDefinitionCode, processDefinitionCode }: z.output<typeof child>,
  codes: Codes,
  report: Report,
): string {
  return workflowOf(workflowDefinitionCode ?? processDefinitionCode ?? 0, codes, report);
}

/** The workflow with this code; one outside the export is named by its code, for a person to replace. */
function workflowOf(code: number, { workflows }: Codes, report: Report): string {
  const known = workflows.get(code);
  if (known !== undefined) return known;
  report.leftOut(`refers to workflow ${code}, which is not in the export; it is "workflow-${code}" here`);
  return `workflow-${code}`;
}

function importDependent(from: Dependence, codes: Codes, report: Report): LogicFiles['dependent'] {
  const { failurePolicy, failureWaitingTime: minutes } = from;
  const policy =
    failurePolicy === 'DEPENDENT_FAILURE_WAITING'
      ? { onFailure: 'wait' as const, ...(minutes && minutes > 0 && { for: `${minutes}m` }) }
      : {};
  return joined(from, ({ definitionCode, depTaskCode, dateValue }) => {
    const task = depTaskCode && depTaskCode > 0 ? taskOf(depTaskCode, codes, report) : undefined;
    return {
      workflow: workflowOf(definitionCode ?? 0, codes, report),
      ...(task !== undefined && { task }),
      window: windowOf(dateValue ?? 'today', report),
      ...policy,
    };
  });
}

function taskOf(code: number, { tasks }: Codes, report: Report): string {
  const known = tasks.get(code);
  if (known !== undefined) return known;
  report.leftOut(`waits for task ${code}, which is not in the export; it is "task-${code}" here`);
  return `task-${code}`;
}

function windowOf(text: string, report: Report): string {
  try {
    parseWindow(text);
    return text;
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    report.leftOut(`waits for runs of "${text}", which has no counterpart; it is "today" here`);
    return 'today';
  }
}

function importConditions(
  { dependence, conditionResult }: z.output<typeof conditions>,
  codes: Codes,
): LogicFiles['conditions'] {
  return {
    ...joined(dependence, ({ depTaskCode, status }) => ({
      task: codes.tasks.get(depTaskCode ?? 0) ?? `task-${depTaskCode}`,
      is: status === 'FAILURE' ? ('failed' as const) : ('success' as const),
    })),
    success: tasksOf(conditionResult.successNode, codes),
    failure: tasksOf(conditionResult.failedNode, codes),
  };
}

function tasksOf(list: readonly (number | null | undefined)[], { tasks }: Codes): string[] {
  return list.flatMap((code) => tasks.get(code ?? 0) ?? []);
}

/** Groups stay groups, so that nothing depends on how a mixed list would be read. */
function joined<Out>(from: Dependence, item: (item: Item) => Out) {
  const groups = from.dependTaskList.map((group) =>
    inRelation(group.relation, group.dependItemList.map(item)),
  );
  return inRelation(from.relation, groups);
}

function inRelation<Entry>(relation: string | null | undefined, entries: Entry[]) {
  return relation === 'OR' ? { any: entries } : { all: entries };
}

function importSwitch(
  { dependTaskList, nextNode }: z.output<typeof choice>['switchResult'],
  codes: Codes,
  report: Report,
): LogicFiles['switch'] {
  const otherwise = tasksOf([nextNode], codes);
  return {
    cases: dependTaskList.map(({ condition, nextNode }) => ({
      when: expression(condition ?? '', report),
      to: tasksOf([nextNode], codes),
    })),
    ...(otherwise.length > 0 && { default: otherwise }),
  };
}

/** There a parameter is put into the text before it is read, so it stands in quotes where it is text; here it is a name. */
function expression(condition: string, report: Report): string {
  const meant = condition.replace(/(['"])(\$\{[^}'"]+\})\1/g, '$2');
  try {
    parseExpression(meant);
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    report.leftOut(`the condition "${condition}" has to be rewritten: ${error.message}`);
  }
  return meant;
}

function importDynamic(from: z.output<typeof dynamic>, codes: Codes, report: Report): LogicFiles['dynamic'] {
  const { maxNumOfSubWorkflowInstances: most, degreeOfParallelism, filterCondition, listParameters } = from;
  const without = (filterCondition ?? '').split(',').flatMap((value) => value.trim() || []);
  return {
    workflow: childOf(from, codes, report),
    over: Object.fromEntries(
      listParameters.map(({ name, value, separator }) => [
        name,
        value.split(separator || ',').map((each) => each.trim()),
      ]),
    ),
    ...(without.length > 0 && { without }),
    ...(degreeOfParallelism && { parallelism: degreeOfParallelism }),
    ...(most && { maxElements: most }),
  };
}
