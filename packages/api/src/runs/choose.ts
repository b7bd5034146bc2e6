/** Which runs a request means: its filters as the store takes them. */
import type { ShownRunState } from '@orrery/core/contract';
import { parseDuration } from '@orrery/core/model';
import type { RunState } from '@orrery/core/state';
import type { RunFilter, RunList, Store } from '@orrery/store';
import { Refusal } from '../problem.ts';
import { findWorkflow, workflowName } from '../workflows/find.ts';

/** Filters as they are asked for. */
export interface Choice {
  readonly project?: string;
  readonly workflow?: string;
  readonly state?: readonly ShownRunState[];
  readonly trigger?: readonly string[];
  readonly kind?: string;
  readonly from?: string;
  readonly to?: string;
  readonly q?: string;
  readonly unowned?: boolean;
}

/** What was chosen: a filter, or one run by its number. */
export type Chosen = RunList & { readonly only?: number };

/** Workflows that one text may stand for. */
const MOST_WORKFLOWS = 200;

/** Reads filters; an unknown workflow is refused, a text that nothing is called finds nothing. */
export async function chooseRuns(store: Store, choice: Choice, now: number): Promise<Chosen> {
  const { state, trigger, kind, unowned } = choice;
  const number = /^#?([1-9]\d{0,14})$/.exec(choice.q ?? '')?.[1];
  const filter: RunFilter = {
    ...(await chooseWorkflows(store, choice, number === undefined ? choice.q : undefined)),
    ...(trigger && { triggers: trigger }),
    ...(kind !== undefined && { kind }),
    ...(choice.from !== undefined && { from: momentOf(choice.from, now) }),
    ...(choice.to !== undefined && { to: momentOf(choice.to, now) }),
    ...(unowned && { unowned }),
    ...(state && { states: state.filter((each): each is RunState => each !== 'queued') }),
  };
  return {
    filter,
    queued: !unowned && (state?.includes('queued') ?? true),
    claimed: state === undefined || state.some((each) => each !== 'queued'),
    ...(number !== undefined && { only: Number(number) }),
  };
}

/** The workflows of a name, a part of a name or a project: runs of few workflows are found by those. */
async function chooseWorkflows(
  store: Store,
  { project, workflow }: Choice,
  text: string | undefined,
): Promise<Pick<RunFilter, 'project' | 'workflows'>> {
  if (workflow !== undefined) {
    const { id } = await findWorkflow(store, workflowName(workflow), 'not-found');
    return { workflows: [id], ...(project !== undefined && { project }) };
  }
  if (text === undefined && project === undefined) return {};
  const { workflows } = await store.findByName({ text: text ?? '', project, limit: MOST_WORKFLOWS + 1 });
  if (workflows.length <= MOST_WORKFLOWS) return { workflows: workflows.map(({ id }) => id) };
  if (text === undefined) return { project };
  throw new Refusal(
    'not-accepted',
    `q: more than ${MOST_WORKFLOWS} workflows are called like "${text}"; write more of the name, or a project`,
  );
}

/** A time of the calendar, or so long before or after now. */
export function momentOf(text: string, now: number): number {
  const sign = { '-': -1, '+': 1 }[text[0]];
  return sign === undefined ? Date.parse(text) : now + sign * parseDuration(text.slice(1));
}
