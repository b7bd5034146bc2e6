/** Parameters visible to a task of a run, from all sources, resolved for the run's business time. */
import { InvalidInput } from '../errors.ts';
import type { Parameters } from '../model/index.ts';
import {
  builtinParameters,
  expand,
  noValue,
  type ResolutionOptions,
  type ResolvedParameter,
  resolveParameters as resolveSources,
  SECRET_PREFIX,
} from '../params/index.ts';
import { zone } from '../time/zone.ts';
import type { Draft } from './draft.ts';
import type { Pool } from './pool.ts';
import type { Run, RunFields } from './run.ts';

/** All parameters of a task by name, as its worker or its expression sees them. */
export function parametersOf(
  run: Run,
  i: number,
  pool: Pool | undefined,
  { params, given }: Pick<RunFields, 'params' | 'given'>,
  secret?: ResolutionOptions['secret'],
): ReadonlyMap<string, ResolvedParameter> {
  const { plan, request } = run;
  const { spec } = plan.tasks[i];
  const here = zone(request.timezone);
  return resolveSources(
    {
      cluster: given?.cluster,
      project: given?.project,
      global: Object.fromEntries(
        Object.entries(plan.workflow.params).map(([name, { default: value }]) => [name, value]),
      ),
      upstream: [
        {
          endedAt: 0,
          values: Object.fromEntries([...(pool ?? [])].map(([name, { value }]) => [name, value])),
        },
      ],
      local: spec.params,
      startup: params,
      builtin: builtinParameters({
        businessTime: request.businessTime,
        zone: here,
        projectName: request.project,
        workflowName: plan.workflow.name,
        runId: String(request.id),
        taskName: spec.name,
      }),
    },
    { businessTime: request.businessTime, zone: here, secret },
  );
}

/** The value of a required parameter: refuses a name without a value, even behind another name. */
export function neededValue(values: ReadonlyMap<string, ResolvedParameter>, name: string): string {
  const found = values.get(name);
  if (found && found.missing === undefined) return found.value;
  throw new InvalidInput(found?.missing === undefined ? noValue(name) : noValue(found.missing, name));
}

/** A task's parameters with the changes of the current decision; refuses a name without a value. */
export function namesOf(draft: Draft, i: number): (name: string) => string {
  const values = parametersOf(draft.run, i, draft.task(i).pool, draft.fields);
  return (name) => neededValue(values, name);
}

/** Resolves values that may refer to the task's parameters. A reference to a secret stays text. */
export function resolveParameters(draft: Draft, i: number, values: Parameters): Parameters {
  const entries = Object.entries(values);
  if (entries.length === 0) return {};
  const names = namesOf(draft, i);
  const value = (name: string) => (name.startsWith(SECRET_PREFIX) ? undefined : names(name));
  const { businessTime, timezone } = draft.run.request;
  const here = zone(timezone);
  return Object.fromEntries(
    entries.map(([name, text]) => [
      name,
      within(`parameter "${name}"`, () => expand(text, { value, businessTime, zone: here })),
    ]),
  );
}

/** Adds the place to a refusal. */
export function within<T>(place: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof InvalidInput) throw new InvalidInput(error.said ?? error.message, place);
    throw error;
  }
}
