/**
 * A workflow defined in TypeScript. Each call of `task` adds one and returns a new workflow, so a common beginning can
 * be continued in several ways. What comes out is what a workflow file has in it: one schema for both.
 *
 *     export const daily = workflow('etl/daily', { params: { day: '$[yyyyMMdd-1]' } })
 *       .task('extract', ({ params }) => shell(`./extract.sh ${params.day}`), { outputs: ['rows'] })
 *       .task('load', ({ outputs }) => shell(`./load.sh ${outputs.extract.rows}`), { needs: 'extract' });
 */
import type { WorkflowFile } from '@orrery/core/model';
import type { Declarations } from './parameters.ts';
import { type Giver, type Output, type References, referencesFor } from './references.ts';
import type { Step } from './step.ts';

type TaskFile = WorkflowFile['tasks'][number];

/** The fields of a workflow file besides its name and its tasks. */
export interface WorkflowOptions<Params extends Declarations>
  extends Omit<WorkflowFile, '$schema' | 'project' | 'name' | 'params' | 'tasks'> {
  readonly params?: Params;
}

/** The fields of a task besides its name and its step. */
export interface TaskOptions<Need extends string, Local extends string, Given extends string>
  extends Omit<TaskFile, 'name' | 'type' | 'with' | 'needs' | 'params'> {
  /** Earlier tasks: a name, a branch such as `check:success`, or several. */
  readonly needs?: Need | readonly Need[];
  /** Local parameters. */
  readonly params?: Readonly<Record<Local, NonNullable<TaskFile['params']>[string]>>;
  /** Names of the values it hands on, so that later tasks can refer to them. */
  readonly outputs?: readonly Given[];
}

/** By the name of each task, the outputs that can be seen after it: its own and those of all before it. */
type Tasks = Readonly<Record<string, Output>>;

/** The task of a branch. */
type TaskOf<Need extends string> = Need extends `${infer Task}:${string}` ? Task : Need;

/** A name that is not taken; for a taken one, a text that the compiler shows as its message. */
type NewName<Name extends string, Known extends Tasks> = string extends keyof Known
  ? Name
  : Name extends keyof Known
    ? `${Name} is the name of a task already`
    : Name;

/** Identifies a workflow, whichever copy of this package created it. */
const mark = Symbol.for('orrery.workflow');

/** A workflow with any tasks. */
export interface AnyWorkflow {
  /** `project/name`. */
  readonly ref: string;
  /** What a workflow file would say. */
  toJSON(): WorkflowFile;
}

/** A workflow whose tasks the compiler does not know: any name may be needed. */
export type LooseWorkflow = Workflow<Declarations, Tasks, string>;

/** A workflow with the tasks `Known` and the branches `Branch`, such as `check:success`. */
export class Workflow<Params extends Declarations, Known extends Tasks, Branch extends string>
  implements AnyWorkflow
{
  readonly [mark] = true;
  /** `project/name`. */
  readonly ref: string;
  /** The parameters it declares. */
  readonly declared: Params;
  readonly #options: WorkflowOptions<Params>;
  /** Shared with the workflow this one continues; its own tasks are the first `#length` of them. */
  readonly #tasks: Map<string, TaskEntry>;
  readonly #length: number;

  /** @internal Use `workflow`. */
  constructor(ref: string, options: WorkflowOptions<Params>, tasks: Map<string, TaskEntry>) {
    this.ref = ref;
    this.declared = options.params ?? ({} as Params);
    this.#options = options;
    this.#tasks = tasks;
    this.#length = tasks.size;
  }

  /** Adds a task. A step that refers to parameters or outputs is a function of them. */
  task<
    const Name extends string,
    Need extends (keyof Known & string) | Branch = never,
    Local extends string = never,
    Given extends string = never,
    Way extends string = never,
  >(
    name: NewName<Name, Known>,
    step:
      | Step<Way, NoInfer<TaskOf<Need>>>
      | ((
          references: References<
            (keyof Params & string) | NoInfer<Local>,
            Known[NoInfer<TaskOf<Need>> & keyof Known]
          >,
        ) => Step<Way, NoInfer<TaskOf<Need>>>),
    options: TaskOptions<Need, Local, Given> = {},
  ): Workflow<
    Params,
    Known & Readonly<Record<Name, Known[TaskOf<Need> & keyof Known] | { task: Name; output: Given }>>,
    Branch | `${Name}:${Way}`
  > {
    const entry = this.#entryOf(name, step as never, options);
    // A continuation of an earlier stage gets a copy of that stage's tasks.
    const tasks =
      this.#tasks.size === this.#length ? this.#tasks : new Map([...this.#tasks].slice(0, this.#length));
    tasks.set(name, entry);
    return new Workflow(this.ref, this.#options, tasks) as never;
  }

  /** The same for tasks that are added in a loop: names are then checked when it runs, not by the compiler. */
  loose(): LooseWorkflow {
    return this as unknown as LooseWorkflow;
  }

  /** The contents of the workflow file; `JSON.stringify` of a workflow is its text. */
  toJSON(): WorkflowFile {
    const [project, name] = this.ref.split('/');
    const entries = [...this.#tasks.values()].slice(0, this.#length);
    const routes = routesOf(entries);
    return {
      project,
      name,
      ...(this.#options as object),
      tasks: entries.map(({ name, step, needs, options: { outputs: _, needs: __, ...rest } }) => ({
        name,
        type: step.type,
        ...(needs.length > 0 && { needs: needs.map(({ name }) => name) }),
        with: step.route ? step.route(routes.get(name) ?? {}) : step.with,
        ...rest,
      })),
    };
  }

  #entryOf(
    name: string,
    step: AnyStep | ((references: References<string, Output>) => AnyStep),
    options: TaskOptions<string, string, string>,
  ): TaskEntry {
    const find = (task: string) => {
      const found = this.#tasks.get(task);
      return found && found.place < this.#length ? found : undefined;
    };
    if (find(name)) throw new TypeError(`there is a task "${name}" already`);
    const known = (task: string) => {
      const found = find(task);
      if (!found) throw new TypeError(`task ${name} needs "${task}", which is not defined before it`);
      return found;
    };
    const wanted = [options.needs ?? []].flat().map((need) => need.split(':', 2));
    const needs = [...new Set(wanted.map(([task]) => known(task)))];
    const branches = wanted.flatMap(([task, branch]) =>
      branch === undefined ? [] : [[task, branch] as const],
    );
    for (const [task, branch] of branches) checkBranch(name, known(task), branch);
    const outputs = options.outputs ?? [];
    const scope = { declared: Object.keys(this.declared), local: Object.keys(options.params ?? {}), needs };
    const made = typeof step === 'function' ? step(referencesFor(name, scope)) : step;
    return { place: this.#length, name, step: made, needs, branches, outputs, options };
  }
}

type AnyStep = Step<string, string>;

/** A task as it was added. */
interface TaskEntry extends Giver {
  readonly place: number;
  readonly step: AnyStep;
  readonly needs: readonly TaskEntry[];
  /** Which branches it follows by, with their tasks. */
  readonly branches: readonly (readonly [task: string, branch: string])[];
  readonly options: TaskOptions<string, string, string>;
}

/** Begins a workflow: `name`, or `project/name`. */
export function workflow<const Params extends Declarations = Record<never, never>>(
  name: string,
  options: WorkflowOptions<Params> = {},
): Workflow<Params, Record<never, never>, never> {
  const parts = name.split('/');
  if (parts.length > 2 || parts.includes(''))
    throw new TypeError(`"${name}" does not name a workflow; write name or project/name`);
  return new Workflow(parts.length === 2 ? name : `default/${name}`, options, new Map());
}

/** Whether something is a workflow made by this package, also by another copy of it. */
export function isWorkflow(value: unknown): value is AnyWorkflow {
  return typeof value === 'object' && value !== null && mark in value;
}

function checkBranch(task: string, { name, step }: TaskEntry, branch: string): void {
  const { branches = [] } = step;
  if (branches.includes(branch)) return;
  const there = branches.length > 0 ? `there is ${branches.join(', ')}` : 'it has none';
  throw new TypeError(`task ${task} needs the branch "${branch}" of ${name}; ${there}`);
}

/** By task and branch, the tasks that follow. */
function routesOf(entries: readonly TaskEntry[]): Map<string, Record<string, string[]>> {
  const routes = new Map<string, Record<string, string[]>>();
  for (const { name, branches } of entries) {
    for (const [task, branch] of branches) {
      const of = routes.get(task) ?? {};
      of[branch] = [...(of[branch] ?? []), name];
      routes.set(task, of);
    }
  }
  return routes;
}
