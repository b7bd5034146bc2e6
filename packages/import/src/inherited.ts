/**
 * Parameters that a workflow is given by the workflows that start it. There a child run knows everything its parent
 * does, at any depth; here a workflow declares what it is given.
 */
import type { ExportedTask, ExportedWorkflow } from './export-file.ts';
import { Outputs, startsRuns } from './outputs.ts';

/** Names that each workflow is given, in the export, beyond those it declares; by its code. */
export function inheritedNames(exported: readonly ExportedWorkflow[]): Map<number, ReadonlySet<string>> {
  const known = new Map(
    exported.map(({ definition }) => [
      definition.code,
      new Set(definition.globalParams.map(({ prop }) => prop)),
    ]),
  );
  const starts = exported.flatMap((workflow) => {
    const outputs = new Outputs(workflow);
    return workflow.tasks.filter(startsRuns).map((task) => ({
      from: known.get(workflow.definition.code),
      to: known.get(childCode(task)),
      names: [...outputs.upstream(task.code).keys(), ...listNames(task)],
    }));
  });
  // Each pass hands names one level further down; a pass that adds none is the last.
  for (let added = true; added; ) {
    added = false;
    for (const { from = new Set<string>(), to, names } of starts)
      for (const name of [...from, ...names]) {
        if (!to || to.has(name)) continue;
        to.add(name);
        added = true;
      }
  }
  return new Map(
    exported.map(({ definition: { code, globalParams } }) => {
      const own = new Set(globalParams.map(({ prop }) => prop));
      return [code, (known.get(code) ?? new Set()).difference(own)];
    }),
  );
}

function childCode({ taskParams }: ExportedTask): number {
  return Number(taskParams.workflowDefinitionCode ?? taskParams.processDefinitionCode ?? 0);
}

function listNames({ taskParams }: ExportedTask): string[] {
  const lists = Array.isArray(taskParams.listParameters) ? taskParams.listParameters : [];
  return lists.flatMap((list: { name?: unknown } | null) =>
    typeof list?.name === 'string' ? list.name : [],
  );
}
