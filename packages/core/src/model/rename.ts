/** Renames a workflow or moves it to another project; its references keep their meaning. */
import { parseDocument } from 'yaml';
import { callsOthers, isLogicType } from './glossary.ts';
import type { DependentSpec, SubWorkflowSpec, TaskSpec, Workflow, WorkflowReference } from './types.ts';
import { writeWorkflow } from './write-workflow.ts';

/** A project and a name. */
type FullName = Pick<Workflow, 'project' | 'name'>;

/** The same workflow under another name: it still starts and awaits the same workflows, including itself. */
export function renameWorkflow(workflow: Workflow, to: FullName): Workflow {
  return { ...workflow, ...to, tasks: workflow.tasks.map((task) => relink(task, workflow, to)) };
}

/**
 * The text of a workflow under its new name. Comments are kept unless the workflow names others in its own
 * project.
 */
export function renameText(text: string, before: Workflow, to: FullName): string {
  const after = renameWorkflow(before, to);
  if (after.tasks.some((task, k) => task !== before.tasks[k])) return writeWorkflow(after, 'yaml');
  const document = parseDocument(text);
  document.set('name', to.name);
  if (document.has('project') || to.project !== 'default') document.set('project', to.project);
  return document.toString({ lineWidth: 0 });
}

/** A task with rewritten references; the same task if nothing changes. */
function relink(task: TaskSpec, from: FullName, to: FullName): TaskSpec {
  const { type, with: settings } = task;
  if (!isLogicType(type) || !callsOthers(type)) return task;
  if (type !== 'dependent') {
    const spec = settings as SubWorkflowSpec;
    const workflow = follow(spec.workflow, from, to);
    return workflow === spec.workflow ? task : { ...task, with: { ...spec, workflow } };
  }
  const spec = settings as DependentSpec;
  let changed = false;
  const groups = spec.groups.map((group) => ({
    ...group,
    items: group.items.map((item) => {
      const workflow = follow(item.workflow, from, to);
      changed ||= workflow !== item.workflow;
      return { ...item, workflow };
    }),
  }));
  return changed ? { ...task, with: { ...spec, groups } } : task;
}

function follow(reference: WorkflowReference, from: FullName, to: FullName): WorkflowReference {
  const project = reference.project ?? from.project;
  if (project === from.project && reference.name === from.name)
    return reference.project === undefined ? { name: to.name } : { project: to.project, name: to.name };
  return reference.project === undefined && to.project !== from.project
    ? { project, name: reference.name }
    : reference;
}
