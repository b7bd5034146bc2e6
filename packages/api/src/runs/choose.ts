/** Which runs a request means: its filters as the store takes them. */

import type { RunChoice } from '@orrery/contract';
import { parseDuration } from '@orrery/core/model';
import type { RunState } from '@orrery/core/state';
import { said } from '@orrery/core/texts';
import type { RunFilter, RunList, Span, Store } from '@orrery/store';
import { Refusal } from '../problem.ts';
import { findWorkflow, workflowName } from '../workflows/find.ts';

/** What was chosen: a filter, or one run by its number. */
export type Chosen = RunList & { readonly only?: number };

/** Workflows that one text may stand for. */
const MOST_WORKFLOWS = 200;

/** Reads filters; an unknown workflow is refused, a text that nothing is called finds nothing. */
export async function chooseRuns(store: Store, choice: RunChoice, now: number): Promise<Chosen> {
  const { state, trigger, kind, unowned, owner, worker, error, fingerprint } = choice;
  const number = /^#?([1-9]\d{0,14})$/.exec(choice.q ?? '')?.[1];
  const filter: RunFilter = {
    ...(await chooseWorkflows(store, choice, number === undefined ? choice.q : undefined)),
    ...(trigger && { triggers: trigger }),
    ...(kind !== undefined && { kind }),
    ...(choice.from !== undefined && { from: momentOf(choice.from, now) }),
    ...(choice.to !== undefined && { to: momentOf(choice.to, now) }),
    ...(unowned && { unowned }),
    ...(state && { states: state.filter((each): each is RunState => each !== 'queued') }),
    ...(owner !== undefined && { owner }),
    ...(worker !== undefined && { worker }),
    ...(error !== undefined && { error }),
    ...(fingerprint !== undefined && { fingerprint }),
    ...(choice.version && { versions: choice.version }),
    ...(choice.tag && { tags: choice.tag }),
    ...(choice.param && { params: pairsOf(choice.param) }),
    ...(choice.duration !== undefined && { duration: spanOf(choice.duration), now }),
    ...(choice.wait !== undefined && { wait: spanOf(choice.wait), now }),
    ...(await chooseParent(store, choice)),
  };
  return {
    filter,
    queued: !unowned && (state?.includes('queued') ?? true),
    claimed: state === undefined || state.some((each) => each !== 'queued'),
    ...(number !== undefined && { only: Number(number) }),
  };
}

/** The run that started those that are meant; a backfill is one. */
async function chooseParent(
  store: Store,
  { parent, backfill }: RunChoice,
): Promise<Pick<RunFilter, 'parent'>> {
  if (backfill === undefined) return parent === undefined ? {} : { parent };
  const { runs, queued } = await store.readRunsById({ ids: [backfill] });
  const kind = runs[0]?.kind ?? queued[0]?.command.kind;
  if (kind !== 'backfill') throw new Refusal('not-accepted', said('filter.notBackfill', { run: backfill }));
  if (parent !== undefined && parent !== backfill)
    throw new Refusal('not-accepted', said('filter.parentAndBackfill'));
  return { parent: backfill };
}

/** `name=value` texts as values by name. */
function pairsOf(texts: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    texts.map((text) => [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)]),
  );
}

/** The bounds of `10m`, `..30s` or `10m..1h`. */
function spanOf(text: string): Span {
  const [least, most] = text.split('..');
  return {
    ...(least && { least: parseDuration(least) }),
    ...(most && { most: parseDuration(most) }),
  };
}

/** The workflows of a name, a part of a name or a project: runs of few workflows are found by those. */
async function chooseWorkflows(
  store: Store,
  { project: given, workflow: named }: RunChoice,
  text: string | undefined,
): Promise<Pick<RunFilter, 'project' | 'workflows'>> {
  // `project/*` is the project; a caller restricted to another project finds nothing there.
  const every = named?.endsWith('/*') ? named.slice(0, -2) : undefined;
  if (every !== undefined && given !== undefined && every !== given) return { workflows: [] };
  const project = given ?? every;
  const workflow = every === undefined ? named : undefined;
  if (workflow !== undefined) {
    const name = workflowName(workflow);
    // One that is only a draft may have test runs.
    const found = (await store.readWorkflow(name)) ?? { id: (await store.readDraft(name))?.workflow };
    const { id = (await findWorkflow(store, name, 'not-found')).id } = found;
    return { workflows: [id], ...(project !== undefined && { project }) };
  }
  if (text === undefined && project === undefined) return {};
  const workflows = await store.findWorkflows({ text: text ?? '', project, limit: MOST_WORKFLOWS + 1 });
  if (workflows.length <= MOST_WORKFLOWS) return { workflows: workflows.map(({ id }) => id) };
  if (text === undefined) return { project };
  throw new Refusal('not-accepted', said('filter.tooManyWorkflows', { most: MOST_WORKFLOWS, text }));
}

/** A range of time, which must not be empty. */
export function rangeOf(
  choice: { readonly from: string; readonly to: string },
  now: number,
): { readonly from: number; readonly to: number } {
  const [from, to] = [momentOf(choice.from, now), momentOf(choice.to, now)];
  if (to <= from) throw new Refusal('bad-request', said('time.fromBeforeTo'));
  return { from, to };
}

/** A time of the calendar, or so long before or after now. */
export function momentOf(text: string, now: number): number {
  const sign = { '-': -1, '+': 1 }[text[0]];
  return sign === undefined ? Date.parse(text) : now + sign * parseDuration(text.slice(1));
}
