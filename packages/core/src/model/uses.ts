/** Which other workflows a workflow starts or awaits: what must still be there when it runs. */
import { isLogicType } from './glossary.ts';
import type { LogicSpecs, Workflow, WorkflowReference } from './types.ts';

/** One use of another workflow. */
export interface WorkflowUse {
  readonly project: string;
  readonly name: string;
  readonly as: 'sub-workflow' | 'dynamic' | 'dependent' | 'trigger';
}

/** Every use, each once, in the order of the triggers and tasks. */
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
    if (!isLogicType(type) || type === 'conditions' || type === 'switch') continue;
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

/** Something that is set up beside workflows and that one needs. A task group belongs to a project, an environment to all. */
export interface WorkflowNeed {
  readonly kind: 'environment' | 'task-group';
  readonly project: string;
  readonly name: string;
}

/** Every need, each once. */
export function needsOf({ project, environment, tasks }: Workflow): WorkflowNeed[] {
  const environments = new Set([environment, ...tasks.map((task) => task.environment)]);
  const groups = new Set(tasks.map(({ group }) => group?.name));
  const named = (names: ReadonlySet<string | undefined>) => [...names].filter((name) => name !== undefined);
  return [
    ...named(environments).map((name) => ({ kind: 'environment', project: '', name }) as const),
    ...named(groups).map((name) => ({ kind: 'task-group', project, name }) as const),
  ];
}
