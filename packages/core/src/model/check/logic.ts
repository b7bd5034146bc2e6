/** Checks the tasks that the master runs itself: expressions, windows, children, keys. */
import { parseExpression } from '../../expression/index.ts';
import { coerce } from '../../params/index.ts';
import { countElements, productOf } from '../../series/index.ts';
import { said } from '../../texts/index.ts';
import { isLogicType } from '../glossary.ts';
import { entryAt, itemsAt, type Outline, type TaskOutline } from '../outline.ts';
import { type Report, reportRefusal } from '../problem.ts';
import { logicSchemas } from '../schema/logic.ts';
import { workflowReference } from '../schema/reference.ts';
import { parseWindow } from '../window.ts';
import { listed } from './branches.ts';
import { checkDeclarations } from './declarations.ts';

/** Keys that control how a worker runs a task. */
const workerKeys = [
  'retries',
  'queueTimeout',
  'onNoWorker',
  'workerGroup',
  'environment',
  'group',
  'shards',
  'resources',
  'onLostContact',
];

/** Reports every fault of a logic task that is not one of its branches. */
export function checkLogic(outline: Outline, report: Report): void {
  for (const task of outline.tasks) {
    if (task.type === undefined || !isLogicType(task.type)) continue;
    for (const key of workerKeys) {
      if (task.keys[key] !== undefined)
        report([...task.path, key], 'not-for-logic', said('file.notForLogic', { type: task.type, key }));
    }
    if (task.type === 'switch') checkExpressions(task, report);
    if (task.type === 'dependent') checkWindows(task, report);
    if (task.type === 'sub-workflow' || task.type === 'dynamic') checkChild(outline, task, report);
    if (task.type === 'dynamic') checkCount(task, report);
    if (task.type === 'approval') checkDeclarations(entryAt(task.with, 'fields'), report);
  }
}

function checkExpressions(task: TaskOutline, report: Report): void {
  const cases = entryAt(task.with, 'cases');
  for (const one of itemsAt(cases.value, cases.path)) {
    const { value, path } = entryAt(one, 'when');
    if (typeof value === 'string')
      reportRefusal(report, path, 'bad-expression', () => parseExpression(value));
  }
}

function checkWindows(task: TaskOutline, report: Report): void {
  for (const item of listed(task.with).flatMap((item) => [item, ...listed(item)])) {
    const { value, path } = entryAt(item, 'window');
    if (typeof value === 'string') reportRefusal(report, path, 'unknown-window', () => parseWindow(value));
  }
}

function checkChild({ keys }: Outline, task: TaskOutline, report: Report): void {
  const { value, path } = entryAt(task.with, 'workflow');
  const child = workflowReference.safeParse(value);
  const own = keys.project ?? 'default';
  if (child.success && child.data.name === keys.name && (child.data.project ?? own) === own)
    report(path, 'calls-itself', said('file.startsItself', { workflow: child.data.name }));
}

/** Literal lists can be counted before anything runs. */
function checkCount(task: TaskOutline, report: Report): void {
  const read = logicSchemas.dynamic.safeParse(task.with.value);
  if (!read.success || read.data.over.some(({ values }) => values.includes('${'))) return;
  const { over, without, maxElements } = read.data;
  const path = [...task.with.path, 'over'];
  const lists: { name: string; values: string[] }[] = [];
  for (const { name, values } of over) {
    reportRefusal(report, [...path, name], 'bad-value', () => {
      lists.push({ name, values: [coerce('list', values)].flat().map(String) });
    });
  }
  reportRefusal(report, path, 'too-many-elements', () =>
    countElements({ kind: 'product', lists: productOf(lists, without) }, maxElements),
  );
}
