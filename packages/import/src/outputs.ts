/**
 * What the tasks of an exported workflow hand on. A task hands on its OUT parameters alone: with what it printed, else
 * with the value that stands beside the name, which may be empty. Here a task hands on what it prints.
 */
import { type ExportedTask, type ExportedWorkflow, type Property, properties } from './export-file.ts';

/** The local parameters of a task that go out, or those that go in. */
export function localParameters({ taskParams }: ExportedTask, way: 'in' | 'out'): Property[] {
  const read = properties.safeParse(taskParams.localParams).data ?? [];
  return read.filter(({ direct }) => (direct === 'OUT') === (way === 'out'));
}

/** The outputs of a workflow's tasks. */
export class Outputs {
  private readonly before = new Map<number, ExportedTask[]>();

  constructor({ tasks, relations }: ExportedWorkflow) {
    const byCode = new Map(tasks.map((task) => [task.code, task]));
    const needs = new Map<number, number[]>();
    for (const { preTaskCode, postTaskCode } of relations)
      needs.set(postTaskCode, [...(needs.get(postTaskCode) ?? []), preTaskCode]);
    for (const { code } of tasks) {
      const found = new Set(needs.get(code));
      for (const earlier of found) for (const next of needs.get(earlier) ?? []) found.add(next);
      this.before.set(
        code,
        [...found].flatMap((earlier) => byCode.get(earlier) ?? []),
      );
    }
  }

  /** The tasks before this one that hand on a value of each name. */
  upstream(code: number): Map<string, ExportedTask[]> {
    const names = new Map<string, ExportedTask[]>();
    for (const task of this.before.get(code) ?? [])
      for (const { prop } of localParameters(task, 'out'))
        names.set(prop, [...(names.get(prop) ?? []), task]);
    return names;
  }

  /** Whether a later task reads this output of a task even where nothing was printed. */
  needed(task: ExportedTask, name: string, later: readonly ExportedTask[]): boolean {
    return later.some(
      (other) =>
        this.before.get(other.code)?.includes(task) &&
        (startsRuns(other) ||
          localParameters(other, 'in').some(({ prop, value }) => prop === name && value === '')),
    );
  }
}

/** Whether a task starts child runs, which are given everything their parent knows. */
export function startsRuns({ taskType }: ExportedTask): boolean {
  return ['SUB_PROCESS', 'SUB_WORKFLOW', 'DYNAMIC'].includes(taskType);
}
