/** One control for many runs: those whose stored state allows it are told together, the others are refused each. */
import type { Answer, ReadInput } from '@orrery/core/contract';
import { type Control, controlsIn } from '@orrery/core/run';
import type { RunState } from '@orrery/core/state';
import type { Store } from '@orrery/store';
import type { Identity } from '../access/identity.ts';
import { checkProject } from '../access/scope.ts';
import type { Context } from '../server.ts';
import { workflowName } from '../workflows/find.ts';
import { type Choice, chooseRuns } from './choose.ts';
import { queuedActions } from './show-row.ts';

/** Runs that one request deals with. */
const MOST_AT_ONCE = 1_000;

type Bulk = ReadInput<'bulkRuns'>['body'];

/** A run that a control is asked for, with what is known of it. */
interface Asked {
  readonly id: number;
  readonly project: string;
  readonly state: RunState | 'queued';
}

/** Asks for a control of the given or chosen runs. */
export async function controlRuns(
  context: Context,
  { action, ids, filter, after, dryRun, reason }: Bulk,
  identity: Identity,
): Promise<Answer<'bulkRuns'>> {
  const { store, clock, hints } = context;
  const { runs, unknown, next } = ids
    ? await givenRuns(store, ids)
    : await chosenRuns(context, withinProject(filter ?? {}, identity), after);
  const refused = unknown.map((id) => ({ id, reason: `there is no run ${id}` }));
  const done: number[] = [];
  for (const run of runs) {
    const why = whyNot(run, action, identity);
    if (why === undefined) done.push(run.id);
    else refused.push({ id: run.id, reason: why });
  }
  if (!dryRun && done.length > 0) {
    const { told, missing, ...answer } = await store.sendControls({
      runs: done,
      control: controlOf(action),
      by: identity.name,
      reason,
      now: clock.now(),
    });
    hints.inboxTold(told.map(({ run }) => run));
    refused.push(...missing.map((id) => ({ id, reason: `there is no run ${id}` })));
    refused.push(...answer.refused.map(({ run, reason }) => ({ id: run, reason })));
    const not = new Set(refused.map(({ id }) => id));
    return { action, dryRun, done: done.filter((id) => !not.has(id)), refused, next };
  }
  return { action, dryRun, done, refused, next };
}

/** A filter of a caller who has one project finds nothing of others. */
function withinProject(filter: Choice, identity: Identity): Choice {
  const { project, workflow } = filter;
  if (identity.project === null) return filter;
  if (project !== undefined) checkProject(identity, project);
  if (workflow !== undefined) checkProject(identity, workflowName(workflow).project);
  return { ...filter, project: identity.project };
}

interface Runs {
  readonly runs: readonly Asked[];
  readonly unknown: readonly number[];
  readonly next: number | null;
}

async function givenRuns(store: Store, ids: readonly number[]): Promise<Runs> {
  const wanted = [...new Set(ids)];
  const { runs, queued } = await store.readRunsById({ ids: wanted });
  const found: Asked[] = [
    ...runs.map(({ id, project, state }) => ({ id, project, state: state as RunState })),
    ...queued.map(({ run, command: { project } }) => ({ id: run, project, state: 'queued' as const })),
  ];
  const known = new Map(found.map((run) => [run.id, run]));
  return {
    runs: wanted.flatMap((id) => known.get(id) ?? []),
    unknown: wanted.filter((id) => !known.has(id)),
    next: null,
  };
}

/** Newest first, going down by their ids: a run that the control changes is not met again. */
async function chosenRuns(
  { store, clock }: Context,
  filter: Choice,
  after: number | undefined,
): Promise<Runs> {
  const chosen = await chooseRuns(store, filter, clock.now());
  if (chosen.only !== undefined) return givenRuns(store, [chosen.only]);
  const page = await store.pageRuns({ ...chosen, before: after, limit: MOST_AT_ONCE });
  const runs: Asked[] = [
    ...page.runs.map(({ run: { id, project }, fields: { state } }) => ({ id, project, state })),
    ...page.queued.map(({ id, command: { project } }) => ({ id, project, state: 'queued' as const })),
  ];
  return { runs: runs.toSorted((a, b) => b.id - a.id), unknown: [], next: page.next ?? null };
}

function whyNot(
  { id, project, state }: Asked,
  action: Bulk['action'],
  identity: Identity,
): string | undefined {
  if (identity.project !== null && project !== identity.project) return `there is no run ${id}`;
  const actions = state === 'queued' ? queuedActions : controlsIn(state);
  const { allowed, reason } = actions.find(({ name }) => name === action) ?? {};
  return allowed ? undefined : (reason ?? 'not possible now');
}

function controlOf(action: Bulk['action']): Control {
  return action === 'rerun' ? { type: action, scope: { kind: 'all', tasks: [] } } : { type: action };
}
