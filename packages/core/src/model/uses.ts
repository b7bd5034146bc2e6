/** Uses of other workflows: those a workflow starts or awaits, which must exist when it runs. */
import { secretsWithin } from '../params/index.ts';
import { connectionsIn } from './connections.ts';
import { callsOthers, isLogicType } from './glossary.ts';
import type { LogicSpecs, Workflow, WorkflowReference } from './types.ts';

/** One use of another workflow. */
export interface WorkflowUse {
  readonly project: string;
  readonly name: string;
  readonly as: 'sub-workflow' | 'dynamic' | 'dependent' | 'trigger';
}

/** All uses, each once, in the order of the triggers and tasks. */
export function usesOf({
  project,
  triggers,
  tasks,
}: Pick<Workflow, 'project' | 'triggers' | 'tasks'>): WorkflowUse[] {
  const uses = new Map<string, WorkflowUse>();
  const add = (reference: WorkflowReference, as: WorkflowUse['as']) => {
    const use = { project: reference.project ?? project, name: reference.name, as };
    uses.set(`${as} ${use.project}/${use.name}`, use);
  };
  for (const { after } of triggers) for (const reference of after?.workflows ?? []) add(reference, 'trigger');
  for (const { type, with: settings } of tasks) {
    if (!isLogicType(type) || !callsOthers(type)) continue;
    for (const reference of referencesOf(type, settings)) add(reference, type);
  }
  return [...uses.values()];
}

function referencesOf(
  type: Exclude<WorkflowUse['as'], 'trigger'>,
  settings: unknown,
): readonly WorkflowReference[] {
  if (type !== 'dependent') return [(settings as LogicSpecs['sub-workflow']).workflow];
  const { groups } = settings as LogicSpecs['dependent'];
  return groups.flatMap(({ items }) => items.map(({ workflow }) => workflow));
}

/** A thing outside workflows that a workflow needs. Only environments are shared by all projects. */
export interface WorkflowNeed {
  readonly kind: 'environment' | 'task-group' | 'connection' | 'calendar' | 'secret';
  readonly project: string;
  readonly name: string;
}

/** Whether a thing restricted to these projects is open to a project; without projects it is open to all. */
export function isOpenTo(projects: readonly string[] | undefined, project: string): boolean {
  return projects === undefined || projects.length === 0 || projects.includes(project);
}

/** Environments of its tasks, each once. */
export function environmentsOf({ environment, tasks }: Pick<Workflow, 'environment' | 'tasks'>): string[] {
  const names = new Set([environment, ...tasks.map((task) => task.environment)]);
  return [...names].filter((name) => name !== undefined);
}

/** Worker groups of its tasks, each once; tasks that a master runs itself have none. */
export function workerGroupsOf({ workerGroup, tasks }: Pick<Workflow, 'workerGroup' | 'tasks'>): string[] {
  const sent = tasks.filter(({ type }) => !isLogicType(type));
  return [...new Set(sent.map((task) => task.workerGroup ?? workerGroup))];
}

/** All needs, each once. */
export function needsOf(workflow: Workflow): WorkflowNeed[] {
  const { project, params, tasks, schedules } = workflow;
  const groups = new Set(tasks.map(({ group }) => group?.name));
  // A name from a parameter is known only when the task runs.
  const connections = new Set(
    tasks.flatMap(({ with: settings }) => connectionsIn(settings)).filter((name) => !name.includes('$')),
  );
  const named = (names: ReadonlySet<string | undefined>) => [...names].filter((name) => name !== undefined);
  return [
    ...environmentsOf(workflow).map((name) => ({ kind: 'environment', project: '', name }) as const),
    ...named(groups).map((name) => ({ kind: 'task-group', project, name }) as const),
    ...named(connections).map((name) => ({ kind: 'connection', project, name }) as const),
    ...calendarsOf(schedules).map((name) => ({ kind: 'calendar', project, name }) as const),
    ...secretsWithin([params, tasks.map((task) => [task.params, task.with])]).map(
      (name) => ({ kind: 'secret', project, name }) as const,
    ),
  ];
}

/** Calendars named by schedules, each once. */
export function calendarsOf(schedules: Workflow['schedules']): string[] {
  return [...new Set(schedules.map(({ calendar }) => calendar))].filter((name) => name !== undefined);
}
