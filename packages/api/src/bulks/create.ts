/** Asking for a bulk: which runs are meant becomes what the store looks for, once and for all; or only what it would do. */

import type { Answer, ReadInput, RunChoice } from '@orrery/contract';
import { said } from '@orrery/core/texts';
import type { BulkRow, RunList, Store } from '@orrery/store';
import type { Identity } from '../access/identity.ts';
import { checkProject } from '../access/scope.ts';
import type { Context } from '../context.ts';
import { Refusal } from '../problem.ts';
import { chooseRuns } from '../runs/choose.ts';
import { listRuns } from '../runs/list.ts';
import { workflowName } from '../workflows/find.ts';
import { showRefusals } from './show.ts';

type Request = ReadInput<'createBulk'>['body'];
type Would = NonNullable<Answer<'createBulk'>['would']>;

/** Runs that a dry run looks at in one step, and in all; and steps, where few of many match. */
const AT_ONCE = 1_000;
const MOST_TRIED = 10_000;
const MOST_STEPS = 20;

/** Writes a bulk down for the masters. */
export async function createBulk(
  context: Context,
  request: Request,
  key: string | undefined,
  identity: Identity,
): Promise<{ readonly bulk: BulkRow; readonly repeated: boolean }> {
  const { store, clock, hints } = context;
  const { action, tags, reason } = request;
  const { choice, project } = await choose(context, request, identity);
  // Keys of run starts contain no blank, so the two cannot collide.
  const kept = key === undefined ? undefined : `createBulk ${identity.token} ${key}`;
  const now = clock.now();
  const { id, repeated } = await store.createBulk({
    action,
    tags,
    choice,
    project,
    by: identity.name,
    reason,
    key: kept,
    now,
  });
  hints.bulkMade?.();
  const [bulk] = await store.readBulks({ ids: [id] });
  if (!bulk || (repeated && !isSame(bulk, request, choice)))
    throw new Refusal('conflict', said('once.otherRequest'));
  return { bulk, repeated };
}

/** The effects of a bulk, within the limits of a dry run. */
export async function tryBulk(context: Context, request: Request, identity: Identity): Promise<Would> {
  const { action } = request;
  const { choice, project } = await choose(context, request, identity);
  let total = 0;
  let allowed = 0;
  const refusals: Record<string, number> = {};
  let before: number | undefined;
  for (let step = 0; step < MOST_STEPS; step++) {
    const part = await context.store.tryBulk({ action, choice, project, before, limit: AT_ONCE });
    allowed += part.allowed;
    for (const [reason, count] of Object.entries(part.refusals))
      refusals[reason] = (refusals[reason] ?? 0) + count;
    total += part.allowed + Object.values(part.refusals).reduce((sum, count) => sum + count, 0);
    before = part.next;
    if (before === undefined || total >= MOST_TRIED) break;
  }
  const more = before !== undefined && (await isMore(context, { action, choice, project, before }));
  return { total, more, allowed, refusals: showRefusals(refusals) };
}

/** Whether there are more runs; undefined if that is not known yet. */
async function isMore(
  { store }: Context,
  rest: Omit<Parameters<Store['tryBulk']>[0], 'limit'>,
): Promise<boolean> {
  const { allowed, refusals, next } = await store.tryBulk({ ...rest, limit: 1 });
  return allowed > 0 || Object.keys(refusals).length > 0 || next !== undefined;
}

/** Whether an existing bulk has the same request. */
function isSame(bulk: BulkRow, { action, tags }: Request, choice: Chosen['choice']): boolean {
  const means =
    'ids' in choice ? new Set(choice.ids).size === bulk.total : JSON.stringify(choice.asked) === bulk.asked;
  return bulk.action === action && JSON.stringify(bulk.tags) === JSON.stringify(tags ?? null) && means;
}

interface Chosen {
  readonly choice: { readonly ids: readonly number[] } | { readonly list: RunList; readonly asked: object };
  /** The only project of the runs; null if they may be of several. */
  readonly project: string | null;
}

async function choose(
  { store, clock }: Context,
  { ids, filter = { unowned: false } }: Request,
  identity: Identity,
): Promise<Chosen> {
  if (ids) return { choice: { ids }, project: identity.project };
  const asked = withinProject(filter, identity);
  const { only, ...list } = await chooseRuns(store, asked, clock.now());
  const project =
    asked.project ?? (asked.workflow === undefined ? null : workflowName(asked.workflow).project);
  if (only === undefined) return { choice: { list, asked }, project };
  const { runs } = await listRuns(store, { ...list, only }, { limit: 1 });
  return { choice: { ids: runs.map(({ id }) => id) }, project };
}

/** Restricts a filter to the project of a single-project caller. */
function withinProject(filter: RunChoice, identity: Identity): RunChoice {
  const { project, workflow } = filter;
  if (identity.project === null) return filter;
  if (project !== undefined) checkProject(identity, project);
  if (workflow !== undefined) checkProject(identity, workflowName(workflow).project);
  return { ...filter, project: identity.project };
}
