/**
 * Evaluates a dependent task against the facts in the store; the rules are core's. The owner of its run
 * evaluates it after the wait is committed, when a run it may wait for ends, and periodically. Others
 * evaluate it to explain the wait to people.
 */
import {
  type Dependency,
  type DependencyItem,
  type DependencyResult,
  evaluateDependency,
  type Interval,
  itemIntervals,
  type RoundFact,
  type TaskFact,
} from '@orrery/core/depend';
import { type DependentSpec, parseWindow, timingOf, type WorkflowReference } from '@orrery/core/model';
import type { Run } from '@orrery/core/run';
import { DAY, nextTick, previousTick, type Timing, zone } from '@orrery/core/time';
import type { FactRow, OpenPeriod } from '../operations/runs/dependents.ts';
import type { Store } from '../store.ts';

/**
 * How long to wait for a better run if the task says `wait` without a duration: its own time limit ends the
 * wait.
 */
const WITHOUT_BOUND = 400 * DAY;

/** Ids of the workflows that a dependent task names; a workflow that does not exist yet is left out. */
export async function dependsOn(run: Run, task: number, store: Store): Promise<number[]> {
  const ids = await Promise.all(itemsOf(run, task).map((item) => idOf(run, item.workflow, store)));
  return ids.filter((id) => id !== undefined);
}

/** The current standing of a dependent task. */
export async function evaluateDependent(
  run: Run,
  task: number,
  store: Store,
  now: number,
): Promise<DependencyResult> {
  const { request } = run;
  const here = zone(request.timezone);
  const cadences = new Map<string, ReturnType<typeof cadenceOf>>();
  const ids = new Map<string, number>();
  const timings = new Map<string, readonly Timing[]>();
  for (const { workflow } of itemsOf(run, task)) {
    const id = await idOf(run, workflow, store);
    if (id === undefined) continue;
    const name = nameOf(run, workflow);
    const all = (await store.listSchedules({ workflow: id })).map(({ spec }) => timingOf(spec));
    ids.set(name, id);
    if (all.length === 0) continue;
    timings.set(name, all);
    cadences.set(name, cadenceOf(all[0]));
  }
  const own = nameOf(run, { name: run.plan.workflow.name });
  const ownId = ids.get(own);
  const first = ownId === undefined ? undefined : await store.firstBusinessTime({ workflow: ownId });
  const time = {
    businessTime: request.businessTime,
    zone: here,
    now,
    since: run.tasks[task].since,
    cadence: (project: string, workflow: string) => cadences.get(`${project}/${workflow}`),
    first: (project: string, workflow: string) => (`${project}/${workflow}` === own ? first : undefined),
    hasDue: (project: string, workflow: string, [from, to]: Interval) =>
      timings.get(`${project}/${workflow}`)?.some((timing) => (nextTick(timing, from - 1) ?? to) < to),
  };
  const facts: RoundFact[] = [];
  const dependency = dependencyOf(run, task);
  for (const item of dependency.groups.flatMap((group) => group.items)) {
    const workflow = ids.get(`${item.project}/${item.workflow}`);
    if (workflow === undefined) continue;
    const wanted = itemIntervals(item, time).map(([from, to]) => ({ workflow, from, to }));
    // Open runs first: a run that ends in between is then among the facts.
    const open = await store.readOpenPeriods({ wanted });
    facts.push(...open.filter(({ run: id }) => id !== request.id).map((row) => openFact(item, row)));
    facts.push(...(await store.readFacts({ wanted })).map((row) => factOf(item, row)));
  }
  return evaluateDependency(dependency, facts, time);
}

function itemsOf(run: Run, task: number): DependentSpec['groups'][number]['items'] {
  return (run.plan.tasks[task].spec.with as DependentSpec).groups.flatMap(({ items }) => items);
}

async function idOf(run: Run, reference: WorkflowReference, store: Store): Promise<number | undefined> {
  const from = run.request.project;
  const { project = from, name } = reference;
  if (project !== from && !(await store.isCallable({ from, project, name }))) return undefined;
  return (await store.readWorkflow({ project, name }))?.id;
}

function nameOf(run: Run, { project, name }: WorkflowReference): string {
  return `${project ?? run.request.project}/${name}`;
}

function cadenceOf(timing: Timing) {
  return {
    before: (instant: number) => previousTick(timing, instant),
    after: (instant: number) => nextTick(timing, instant),
  };
}

/** The task's condition as input of the rules. */
function dependencyOf(run: Run, task: number): Dependency {
  const spec = run.plan.tasks[task].spec.with as DependentSpec;
  const relation = (word: 'all' | 'any') => (word === 'all' ? 'and' : 'or');
  return {
    relation: relation(spec.relation),
    groups: spec.groups.map((group) => ({
      relation: relation(group.relation),
      items: group.items.map(
        ({ workflow, task: name, window, onFailure, for: bound }): DependencyItem => ({
          project: workflow.project ?? run.request.project,
          workflow: workflow.name,
          watch: name === undefined ? 'workflow' : { task: name },
          window: parseWindow(window),
          onFailure: onFailure === 'fail' ? 'fail' : { wait: bound ?? WITHOUT_BOUND },
        }),
      ),
    })),
  };
}

const taskFacts: Readonly<Record<string, TaskFact>> = {
  success: 'success',
  failed: 'failed',
  killed: 'stopped',
  skipped: 'skipped',
  passed: 'skipped',
};

function openFact({ project, workflow }: DependencyItem, row: OpenPeriod): RoundFact {
  const { businessTime, run, state } = row;
  return { project, workflow, businessTime, state: 'running', tasks: {}, open: { run, state } };
}

function factOf({ project, workflow }: DependencyItem, row: FactRow): RoundFact {
  const tasks = Object.entries(JSON.parse(row.tasks) as Record<string, string>);
  return {
    project,
    workflow,
    businessTime: row.businessTime,
    state: row.state === 'success' || row.state === 'failed' ? row.state : 'stopped',
    tasks: Object.fromEntries(tasks.map(([name, state]) => [name, taskFacts[state] ?? 'running'])),
    endedAt: row.endedAt,
  };
}
