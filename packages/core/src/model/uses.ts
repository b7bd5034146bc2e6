/** Which other workflows a workflow starts or awaits: what must still be there when it runs. */
import { isLogicType } from './glossary.ts';
import type { LogicSpecs, Workflow, WorkflowReference } from './types.ts';

/** One use of another workflow. */
export interface WorkflowUse {
  readonly project: string;
  readonly name: string;
  readonly as: 'sub-workflow' | 'dynamic' | 'dependent';
}

/** Every use, each once, in the order of the tasks. */
export function usesOf({ project, tasks }: Pick<Workflow, 'project' | 'tasks'>): WorkflowUse[] {
  const uses = new Map<string, WorkflowUse>();
  for (const { type, with: settings } of tasks) {
    if (!isLogicType(type) || type === 'conditions' || type === 'switch') continue;
    for (const reference of referencesOf(type, settings)) {
      const use = { project: reference.project ?? project, name: reference.name, as: type };
      uses.set(`${type} ${use.project}/${use.name}`, use);
    }
  }
  return [...uses.values()];
}

function referencesOf(type: WorkflowUse['as'], settings: unknown): readonly WorkflowReference[] {
  if (type !== 'dependent') return [(settings as LogicSpecs['sub-workflow']).workflow];
  const { groups } = settings as LogicSpecs['dependent'];
  return groups.flatMap(({ items }) => items.map(({ workflow }) => workflow));
}
