/** A list of runs: what its filter means for runs that come in live, and the same list as commands. */
import { type AnswerOf, type InputOf, matchesStart } from '@orrery/sdk/client';
import { quoted } from './again.ts';
import { commandLine } from './command-line.ts';

/** The filter of a list, as the address and the API write it. */
export type RunsFilter = Omit<
  InputOf<'listRuns'>,
  'unowned' | 'count' | 'order' | 'limit' | 'before' | 'after'
>;

/** Which runs come first where it is not the newest. */
export const runsOrders = ['oldest', 'longest', 'shortest'] as const;
export type RunsOrder = (typeof runsOrders)[number] | undefined;

/** Whether runs are sorted by how long they took: the server does that for some thousands, not for all. */
export function isByDuration(order: RunsOrder): boolean {
  return order === 'longest' || order === 'shortest';
}

/** The fields of a run that filters read. */
export type FilteredRun = Pick<
  AnswerOf<'listRuns'>['runs'][number],
  | 'id'
  | 'project'
  | 'name'
  | 'state'
  | 'trigger'
  | 'kind'
  | 'version'
  | 'owner'
  | 'params'
  | 'tags'
  | 'parent'
>;

/**
 * Whether a newly created run belongs to the list. Filters on facts that a new run does not have yet
 * (duration, worker, error) exclude it; such a list shows it after the next read.
 */
export function isListed(filter: RunsFilter, run: FilteredRun): boolean {
  const { project, workflow, state, kind, to, q, owner } = filter;
  const { duration, wait, worker, error, fingerprint } = filter;
  const start = {
    project,
    kind,
    triggers: filter.trigger,
    versions: filter.version,
    parent: filter.parent ?? filter.backfill,
    params: Object.fromEntries((filter.param ?? []).map(parameterOf)),
    tags: filter.tag,
  };
  return (
    matchesStart(start, run) &&
    (workflow === undefined || sameWorkflow(workflow, run)) &&
    (state === undefined || state.includes(run.state)) &&
    (owner === undefined || run.owner === owner) &&
    [duration, wait, worker, error, fingerprint].every((each) => each === undefined) &&
    (q === undefined || run.name.toLowerCase().includes(q.toLowerCase()) || String(run.id) === q) &&
    // A range that ends in the past has no new runs.
    to === undefined
  );
}

function parameterOf(pair: string): [name: string, value: string] {
  const cut = pair.indexOf('=');
  return [pair.slice(0, cut), pair.slice(cut + 1)];
}

/** Also `project/*`: any workflow of a project. */
function sameWorkflow(wanted: string, { project, name }: FilteredRun): boolean {
  if (wanted.endsWith('/*')) return wanted === `${project}/*`;
  return wanted.includes('/') ? wanted === `${project}/${name}` : project === 'default' && wanted === name;
}

/**
 * Whether an action on many runs is possible: refused if the caller may not take it, or if none of the runs
 * allows it, with the reason of the first. `all` is false if some of the runs are unknown here: those may
 * allow it.
 */
export function actionOfMany(
  name: string,
  runs: readonly Pick<AnswerOf<'listRuns'>['runs'][number], 'actions'>[],
  { all, noRight }: { readonly all: boolean; readonly noRight: string | undefined },
): { readonly name: string; readonly allowed: boolean; readonly reason?: string } {
  if (noRight !== undefined) return { name, allowed: false, reason: noRight };
  const found = runs.flatMap(({ actions }) => actions.filter((action) => action.name === name));
  return (all && !found.some(({ allowed }) => allowed) && found[0]) || { name, allowed: true };
}

/** Tags as typed, separated by commas. */
export function tagsOfText(text: string): readonly string[] {
  return [...new Set(text.split(',').map((tag) => tag.trim()))].filter((tag) => tag !== '');
}

/** The same list as a command. */
export function runsCommand(list: RunsFilter & { readonly order?: RunsOrder }): string {
  const { workflow, state, trigger, project, param = [], ...rest } = list;
  const line = commandLine('orrery runs list', { workflow, state, trigger, project, ...rest });
  return [line, ...param.map((pair) => `--param ${quoted(pair)}`)].join(' ');
}
