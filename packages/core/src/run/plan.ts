/**
 * A workflow compiled for the walk: its graph over task indexes, and per-task facts used often. Compiled once
 * per version in time linear in tasks plus edges, and shared by all runs of that version.
 */
import { buildDag, type Dag, successors } from '../dag/index.ts';
import { InvalidInput } from '../errors.ts';
import { isLogicType, type LogicType } from '../model/glossary.ts';
import type { TaskSpec, Workflow } from '../model/types.ts';
import { said } from '../texts/index.ts';

/** A task as the walk sees it. */
export interface PlannedTask {
  readonly spec: TaskSpec;
  /** Set if the master runs the task itself; only the engine makes `backfill`, never a file. */
  readonly logic?: LogicType | 'backfill';
  /** Whether it runs even if its run has failed: it cleans up. */
  readonly cleanup: boolean;
  /** Whether it asks for failures, so that it may forgive those of its predecessors. */
  readonly judge: boolean;
  /** Whether every successor is a judge, so that its failure may be forgiven. */
  readonly judged: boolean;
}

/** A compiled workflow version. */
export interface Plan {
  readonly workflow: Workflow;
  readonly dag: Dag;
  readonly tasks: readonly PlannedTask[];
  readonly index: ReadonlyMap<string, number>;
}

/** Compiles a valid workflow; refuses unknown and duplicate names and leaves other faults to validation. */
export function compile(workflow: Workflow): Plan {
  const index = new Map<string, number>();
  workflow.tasks.forEach((task, i) => {
    if (index.has(task.name)) throw new InvalidInput(said('file.tasksTwice', { name: task.name }));
    index.set(task.name, i);
  });
  const pairs: number[] = [];
  workflow.tasks.forEach((task, i) => {
    for (const name of task.needs) pairs.push(indexOf(index, name), i);
  });
  const dag = buildDag(workflow.tasks.length, Int32Array.from(pairs));
  const tasks = workflow.tasks.map((spec, i): PlannedTask => {
    const after = successors(dag, i);
    const judged = after.length > 0 && after.every((next) => asksForFailures(workflow.tasks[next]));
    const logic = spec.type === 'backfill' || isLogicType(spec.type) ? spec.type : undefined;
    return {
      spec,
      logic,
      cleanup: spec.type !== 'conditions' && (spec.trigger === 'all-done' || spec.trigger === 'one-failed'),
      judge: asksForFailures(spec),
      judged,
    };
  });
  return { workflow, dag, tasks, index };
}

function asksForFailures({ type, trigger }: TaskSpec): boolean {
  return type === 'conditions' || trigger === 'one-failed';
}

/** The index of a task by its name; refuses an unknown name. */
export function indexOf(index: ReadonlyMap<string, number>, name: string): number {
  const found = index.get(name);
  if (found === undefined) throw new InvalidInput(said('control.noTask', { task: name }));
  return found;
}
