/** What happened to the cluster, newest first: the history of nodes and the plans of leaders, merged by time. */
import type { Answer } from '@orrery/contract';
import type { HistoryRow, PlanRow, Store } from '@orrery/store';
import type { Identity } from './access/identity.ts';
import { timeText } from './time.ts';

type Event = Answer<'listClusterEvents'>['events'][number];

/** An entry of one of both lists. */
interface Entry {
  readonly at: number;
  readonly event: Event;
}

/** Before this is everything. */
const NEWEST = 999_999_999_999_999;

const unknown = {
  ...{ epoch: null, runs: null, schedules: null, attempts: null },
  ...{ plan: null, took: null, reason: null },
};

/**
 * One page. `before` is where the previous page ended in both lists: its last history entry and its last
 * plan.
 */
export async function listClusterEvents(
  store: Store,
  { node, limit, before }: { readonly node?: string; readonly limit: number; readonly before?: string },
  identity: Identity,
): Promise<Answer<'listClusterEvents'>> {
  const [seq = NEWEST, plan = NEWEST] = before?.split('-').map(Number) ?? [];
  const [history, plans] = await Promise.all([
    store.listNodeHistory({ node, before: seq, limit: limit + 1 }),
    // Plans are about all masters.
    node === undefined ? store.listPlans({ before: plan, limit: limit + 1 }) : [],
  ]);
  const nodes = history.map((row) => ofNode(row, isHiddenFrom(identity, row)));
  const merged = mergeNewest(nodes, plans.map(ofPlan), limit);
  const { events, first, second } = merged;
  const end = `${history[first - 1]?.seq ?? seq}-${plans[second - 1]?.number ?? plan}`;
  const of = node === undefined ? '' : `&node=${encodeURIComponent(node)}`;
  const isLast = first === history.length && second === plans.length;
  return { events, next: isLast ? null : `/api/v1/cluster/events?limit=${limit}${of}&before=${end}` };
}

/** The newest entries of two lists, each of which keeps its order, and how many come from each. */
function mergeNewest(one: readonly Entry[], other: readonly Entry[], limit: number) {
  const events: Event[] = [];
  let [first, second] = [0, 0];
  while (events.length < limit) {
    const [a, b] = [one[first], other[second]];
    if (!a && !b) break;
    const isFirst = a !== undefined && (b === undefined || a.at >= b.at);
    events.push((isFirst ? a : b).event);
    if (isFirst) first++;
    else second++;
  }
  return { events, first, second };
}

/** What people do to nodes; nodes do the rest themselves. */
const byPeople: ReadonlySet<string> = new Set(['drain', 'undrain', 'forget']);

/** Whether a caller may not see who did it: names of people who run the cluster are no business of one project. */
export function isHiddenFrom(
  { project }: Identity,
  { kind, action }: { readonly kind: string; readonly action: string },
): boolean {
  return project !== null && (kind === 'node' || kind === 'worker') && byPeople.has(action);
}

function ofNode({ at, actor, kind, subject, action, body }: HistoryRow, isHidden: boolean): Entry {
  const { epoch, runs, schedules, attempts, reason } = JSON.parse(body) as Partial<Event>;
  return {
    at,
    event: {
      ...unknown,
      ...{ at: timeText(at), what: action as Event['what'], node: subject, by: isHidden ? null : actor },
      kind: kind === 'worker' ? 'worker' : 'master',
      epoch: epoch ?? null,
      runs: runs ?? null,
      schedules: schedules ?? null,
      attempts: attempts ?? null,
      reason: reason ?? null,
    },
  };
}

function ofPlan({ number, leader, reason, moved, writtenAt, adoptedAt }: PlanRow): Entry {
  return {
    at: writtenAt,
    event: {
      ...unknown,
      ...{ at: timeText(writtenAt), what: 'plan', kind: 'plan', node: leader, by: leader },
      ...{ schedules: moved, plan: number, took: adoptedAt === null ? null : adoptedAt - writtenAt, reason },
    },
  };
}
