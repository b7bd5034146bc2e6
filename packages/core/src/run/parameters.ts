/** What a task of a run can read: its parameters from every source, resolved for the run's business time. */
import type { Parameters } from '../model/index.ts';
import {
  builtinParameters,
  expand,
  type ResolutionOptions,
  resolveParameters as resolveSources,
} from '../params/index.ts';
import { zone } from '../time/zone.ts';
import type { Draft } from './draft.ts';
import type { Pool } from './pool.ts';
import type { Run, RunFields } from './run.ts';

/** Every parameter of a task by name, as its worker or its expression sees it. */
export function parametersOf(
  run: Run,
  i: number,
  pool: Pool | undefined,
  { params, given }: Pick<RunFields, 'params' | 'given'>,
  secret?: ResolutionOptions['secret'],
): ReadonlyMap<string, string> {
  const { plan, request } = run;
  const { spec } = plan.tasks[i];
  const here = zone(request.timezone);
  const resolved = resolveSources(
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
  return new Map([...resolved].map(([name, { value }]) => [name, value]));
}

/** A task's parameters with the changes of the decision being made. */
export function namesOf(draft: Draft, i: number): (name: string) => string | undefined {
  const values = parametersOf(draft.run, i, draft.task(i).pool, draft.fields);
  return (name) => values.get(name);
}

/** Values that may refer to the task's parameters, resolved. */
export function resolveParameters(draft: Draft, i: number, values: Parameters): Parameters {
  const entries = Object.entries(values);
  if (entries.length === 0) return {};
  const value = namesOf(draft, i);
  const { businessTime, timezone } = draft.run.request;
  const here = zone(timezone);
  return Object.fromEntries(
    entries.map(([name, text]) => [
      name,
      expand(text, { value, businessTime, zone: here, at: `parameter "${name}"` }),
    ]),
  );
}
