/**
 * Steps that the master runs itself. Two of them choose a branch. A task that follows a branch names it in
 * its needs, as in `needs: ['check:success']`, so that no name is used before it is declared.
 */
import type { LogicFiles } from '@orrery/core/model';
import type { Declarations, ValuesOf } from './parameters.ts';
import type { Settings, Step } from './step.ts';

type Written<Type extends keyof LogicFiles> = LogicFiles[Type];

/** A workflow by name (`etl/daily`, or `daily` in the same project), or one that is defined here. */
export type Target<Params extends Declarations> =
  | string
  | { readonly ref: string; readonly declared: Params };

/** Runs another workflow and waits for it. */
export function subWorkflow<const Params extends Declarations>(
  workflow: Target<Params>,
  ...[params]: Arguments<ValuesOf<Params>>
): Step {
  return { type: 'sub-workflow', with: withoutAbsent({ workflow: refOf(workflow), params }) };
}

/** An argument that may be left out unless something in it is required. */
type Arguments<Values> = Record<never, never> extends Values ? [params?: Values] : [params: Values];

/** Waits until other workflows have run: `{ all: […] }` or `{ any: […] }`. */
export function dependent(spec: Written<'dependent'>): Step {
  return { type: 'dependent', with: spec };
}

type Check<Task extends string> = Task | { readonly task: Task; readonly is?: 'success' | 'failed' };
type Checks<Task extends string> = readonly (
  | Check<Task>
  | { readonly all: readonly Check<Task>[] }
  | { readonly any: readonly Check<Task>[] }
)[];

/** How tasks ended that come directly before: all of the list, or one of it, must hold. */
export type ConditionsSpec<Task extends string> =
  | { readonly all: Checks<Task>; readonly any?: undefined }
  | { readonly any: Checks<Task>; readonly all?: undefined };

/** Goes on by the branch `success` or `failure`, by how tasks before it ended. */
export function conditions<const Task extends string>(
  spec: ConditionsSpec<Task>,
): Step<'success' | 'failure', Task> {
  return {
    type: 'conditions',
    with: spec,
    branches: ['success', 'failure'],
    route: (routes) => ({ ...spec, ...routes }),
  };
}

/**
 * Continues with the first case whose expression is true, or with the branch `default`. Following tasks refer
 * to the names of the cases; their order is that of the object. `nothing`: if no case is true, continues with
 * no task instead of failing.
 */
export function switchOn<const Name extends string>(
  cases: Readonly<Record<Name, string>>,
  { otherwise }: { readonly otherwise?: 'nothing' } = {},
): Step<Name | 'default'> {
  const named = Object.entries<string>(cases);
  // Keys that look like numbers come first in every object, regardless of the written order.
  const unordered = named.find(([name]) => name === 'default' || /^\d+$/.test(name));
  if (unordered) throw new TypeError(`a case cannot be called "${unordered[0]}"; use another word`);
  const route = (routes: Readonly<Record<string, readonly string[]>>): Settings => ({
    cases: named.map(([name, when]) => ({ when, to: routes[name] ?? [] })),
    ...(otherwise === 'nothing' && { default: [] }),
    ...(routes.default && { default: routes.default }),
  });
  return { type: 'switch', with: route({}), branches: [...(Object.keys(cases) as Name[]), 'default'], route };
}

/** Starts a run of another workflow for every combination of some lists. */
export function dynamic<const Params extends Declarations>(
  workflow: Target<Params>,
  spec: Omit<Written<'dynamic'>, 'workflow' | 'params' | 'over'> & {
    readonly params?: Partial<ValuesOf<Params>>;
    readonly over: Readonly<Partial<Record<keyof Params, string | readonly (string | number | boolean)[]>>>;
  },
): Step {
  return { type: 'dynamic', with: { workflow: refOf(workflow), ...spec } };
}

/** Waits until a person approves or rejects; the fields they fill in become outputs. */
export function approval(message: string, spec: Omit<Written<'approval'>, 'message'> = {}): Step {
  return { type: 'approval', with: { message, ...spec } };
}

function refOf(workflow: Target<Declarations>): string {
  return typeof workflow === 'string' ? workflow : workflow.ref;
}

function withoutAbsent(settings: Settings): Settings {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}
