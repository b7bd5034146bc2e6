/**
 * `/cluster`, `/plans` and the holder of a schedule: read from the store, where leaders record their plans.
 */
import type { Answer } from '@orrery/contract';
import { ownerOf, type Plan, parsePlan, planPieces } from '@orrery/core/shard';
import type { NodeRow, PlanRow, Store } from '@orrery/store';
import { listClusterEvents } from '../cluster-events.ts';
import type { Context } from '../context.ts';
import type { Handlers } from '../handler.ts';
import { isMaster, masterState } from '../nodes.ts';
import { Refusal } from '../problem.ts';
import { findSchedule } from '../schedules/show.ts';
import { timeText } from '../time.ts';

/** Plans that are looked through for the one since which a master holds a schedule. */
const LOOK_BACK = 100;

export function planHandlers(context: Context) {
  const { store, clock } = context;
  return {
    showCluster: async () => {
      const now = clock.now();
      const [nodes, [newest], { settings }] = await Promise.all([
        store.listNodes(),
        store.listPlans({ limit: 1 }),
        store.readHoldings(),
      ]);
      const masters = nodes.filter((node) => isMaster(node) && node.fenced === 0);
      const byPlan = settings.mode === 'scope' && masters.some(({ registry }) => registry !== null);
      const plan = byPlan ? newest : undefined;
      const shares = plan ? await sharesOf(store, plan) : new Map<string, number>();
      return {
        mode: settings.mode,
        leader: masters.some(({ id }) => id === plan?.leader) ? (plan?.leader ?? null) : null,
        registry: registryOf(masters),
        plan: plan ? shown(plan) : null,
        masters: masters.map((node) => ({
          id: node.id,
          state: masterState(node, now),
          plan: node.plan,
          share: shares.get(node.id) ?? null,
        })),
        problems: problemsOf(masters, plan, now),
      };
    },

    listPlans: async ({ query: { limit, before } }) => {
      const rows = await store.listPlans({ limit: limit + 1, before });
      const page = rows.slice(0, limit);
      const last = page.at(-1);
      const more = rows.length > limit && last;
      return {
        plans: page.map(shown),
        next: more ? `/api/v1/plans?limit=${limit}&before=${last.number}` : null,
      };
    },

    showPlan: async ({ params: { number } }) => {
      const [row, before] = await store.listPlans({ before: number + 1, limit: 2 });
      if (row?.number !== number)
        throw new Refusal('not-found', `plan ${number} is not kept; see GET /plans`);
      const earlier = before?.number === number - 1 ? parsePlan(before.body) : undefined;
      return { ...shown(row), parts: await partsOf(store, parsePlan(row.body), earlier) };
    },

    listClusterEvents: async ({ query, request }) => listClusterEvents(store, query, request.identity),

    showHolder: async ({ params: { id } }): Promise<Answer<'showHolder'>> => {
      await findSchedule(context, id);
      const { settings } = await store.readHoldings();
      const base = { schedule: id, mode: settings.mode };
      if (settings.mode === 'claim') {
        const [row] = await store.listHoldings({ after: id - 1, limit: 1 });
        const held = row?.schedule === id ? row : undefined;
        const why = held?.holder ? `${held.holder} has claimed it` : 'no master has claimed it yet';
        const since = held ? timeText(held.since) : null;
        return { ...base, holder: held?.holder ?? null, plan: null, since, why };
      }
      const masters = (await store.listNodes()).filter((node) => isMaster(node) && node.fenced === 0);
      if (!masters.some(({ registry }) => registry !== null)) {
        const why = 'without a registry a hash over the masters that act decides, and others stand by';
        return { ...base, holder: null, plan: null, since: null, why };
      }
      const held = heldSince(await store.listPlans({ limit: LOOK_BACK }), id);
      if (!held) return { ...base, holder: null, plan: null, since: null, why: 'no plan is made yet' };
      const { holder, row } = held;
      const why = `plan ${row.number} of ${row.leader} gives it to ${holder ?? 'nobody'}: ${row.reason}`;
      return { ...base, holder, plan: row.number, since: timeText(row.writtenAt), why };
    },
  } satisfies Partial<Handlers>;
}

/** The holder by the newest plan, and the oldest plan in a row that names the same. */
function heldSince(
  rows: readonly PlanRow[],
  id: number,
): { readonly holder: string | null; readonly row: PlanRow } | undefined {
  let found: { holder: string | null; row: PlanRow } | undefined;
  for (const row of rows) {
    const holder = ownerOf(parsePlan(row.body), id) ?? null;
    if (found && found.holder !== holder) break;
    found = { holder, row };
  }
  return found;
}

/** The pieces of a plan with the schedules that are in them now; null where it has none. */
async function partsOf(store: Store, plan: Plan, before: Plan | undefined) {
  const pieces = planPieces(before ?? plan, plan);
  if (!pieces) return null;
  const cuts = pieces.flatMap(({ upTo }) => (upTo === null ? [] : [upTo]));
  const [counts, total] = await Promise.all([store.countUpTo({ cuts }), store.countEnabled()]);
  return pieces.map(({ above, upTo, from, to }, k) => ({
    from: above === null ? null : above + 1,
    to: upTo,
    master: to ?? null,
    before: from ?? null,
    schedules: (counts[k] ?? total) - (counts[k - 1] ?? 0),
  }));
}

async function sharesOf(store: Store, { body }: PlanRow): Promise<Map<string, number>> {
  const plan = parsePlan(body);
  if (!('ranges' in plan)) return new Map();
  const { owners, cuts } = plan.ranges;
  const [counts, total] = await Promise.all([store.countUpTo({ cuts }), store.countEnabled()]);
  const shares = new Map(plan.nodes.map((node) => [node, 0]));
  owners.forEach((owner, k) => {
    shares.set(owner, (counts[k] ?? total) - (counts[k - 1] ?? 0));
  });
  return shares;
}

function shown(row: PlanRow): Answer<'listPlans'>['plans'][number] {
  const { number, strategy, hash, leader, reason, schedules, moved } = row;
  const { nodes } = parsePlan(row.body);
  return {
    ...{ number, strategy, hash, leader, reason, schedules, moved },
    mode: row.mode === 'claim' ? 'claim' : 'scope',
    masters: nodes,
    writtenAt: timeText(row.writtenAt),
    adoptedAt: row.adoptedAt === null ? null : timeText(row.adoptedAt),
  };
}

function registryOf(masters: readonly NodeRow[]): Answer<'showCluster'>['registry'] {
  const node = masters.find(({ registry }) => registry !== null);
  if (!node) return null;
  const info = JSON.parse(node.info) as Record<string, string | undefined>;
  return {
    server: info.registry ?? '',
    cluster: info.cluster ?? '',
    sessionTimeout: Number(info.registryTimeout ?? 0),
    onLoss: info.onRegistryLoss ?? '',
  };
}

/** What people should look at. */
function problemsOf(masters: readonly NodeRow[], plan: PlanRow | undefined, now: number): string[] {
  const registries = new Set(masters.map(({ registry }) => registry));
  const behind = masters.filter(
    (node) => plan && node.state === 'acting' && node.registry !== null && node.plan !== plan.number,
  );
  const other = masters.filter(
    ({ planHash, ...node }) => node.plan === plan?.number && planHash !== plan?.hash,
  );
  return [
    ...masters
      .filter((node) => masterState(node, now) === 'paused')
      .map(({ id, reason }) => `${id} is paused: ${reason ?? ''}`),
    ...(registries.size > 1
      ? ['masters use different registries; give all the same --registry and --cluster']
      : []),
    ...(plan && behind.length > 0
      ? [`plan ${plan.number} is not adopted yet by ${behind.map(({ id }) => id).join(', ')}`]
      : []),
    ...other.map(({ id }) => `${id} holds another plan ${plan?.number} than the leader recorded`),
  ];
}
