/** Values read at the time of the scrape: queues, nodes, slots. */
import { limitOf } from '@orrery/core/balance';
import type { Clock } from '@orrery/core/timing';
import type { NodeRow, Store } from '@orrery/store';
import type { Gauge } from 'prom-client';
import { inTime } from '../health/parts.ts';
import { isMaster, masterState, workerState } from '../nodes.ts';
import type { MetricsOptions } from './metrics.ts';

/** Limit of masters with series of their own. */
const MOST_MASTERS = 200;
/** Limit of worker groups with series of their own; the others are summed. */
const MOST_GROUPS = 50;

/** The gauges by what they tell. */
interface Gauges {
  readonly queued: Gauge<'group'>;
  readonly oldest: Gauge<'group'>;
  readonly commands: Gauge;
  readonly commandOldest: Gauge;
  readonly workers: Gauge<'state'>;
  readonly masters: Gauge<'state'>;
  readonly slots: Gauge;
  readonly slotsUsed: Gauge;
  readonly schedules: Gauge;
  readonly free: Gauge;
  readonly held: Gauge<'master'>;
  readonly limit: Gauge<'master'>;
  readonly alarmAbove: Gauge<'master'>;
  readonly mode: Gauge<'mode'>;
  readonly plan: Gauge;
  readonly planBehind: Gauge;
  readonly planConflicts: Gauge;
  readonly leader: Gauge<'master'>;
  readonly undelivered: Gauge;
  readonly storeUp: Gauge;
}

/**
 * Reads the gauges. Without a store, only this process's own values are exported. If the store does not
 * answer, the last values remain and are marked so.
 */
export async function readGauges(
  gauges: Gauges,
  { store, worker, clock }: { store: Store | undefined; worker: MetricsOptions['worker']; clock: Clock },
): Promise<void> {
  if (store) {
    const found = await inTime(clock, readStore(store)).catch(() => undefined);
    if (found) setGauges(gauges, found, clock.now());
    gauges.storeUp.set(found ? 1 : 0);
  } else if (worker) {
    const { slots, used } = worker();
    gauges.slots.set(slots);
    gauges.slotsUsed.set(used);
  }
}

async function readStore(store: Store) {
  const [depth, nodes, workers, assignments, holdings, [plan], unsent] = await Promise.all([
    store.readQueueDepth(),
    store.listNodes(),
    store.listWorkers(),
    store.countAssignments(),
    store.readHoldings(),
    store.listPlans({ limit: 1 }),
    store.readUndelivered({ since: Number.MAX_SAFE_INTEGER }),
  ]);
  return { ...depth, nodes, workers, assignments, holdings, plan, unsent };
}

type StoreReading = Awaited<ReturnType<typeof readStore>>;

function setGauges(
  gauges: Gauges,
  { groups, commands, nodes, workers, assignments, holdings, plan, unsent }: StoreReading,
  now: number,
): void {
  for (const gauge of Object.values(gauges)) gauge.reset();
  const age = (since: number | null) => (since === null ? 0 : Math.max(0, now - since) / 1_000);
  const bySize = [...groups].sort((a, b) => b.count - a.count);
  bySize.forEach(({ group: name, count, oldest }, k) => {
    const group = k < MOST_GROUPS ? name : '(others)';
    gauges.queued.inc({ group }, count);
    gauges.oldest.set({ group }, age(oldest));
  });
  gauges.undelivered.set(age(unsent.waitingSince));
  gauges.commands.set(commands.count);
  gauges.commandOldest.set(age(commands.oldest));
  for (const node of nodes.filter(isMaster)) gauges.masters.inc({ state: masterState(node, now) });
  for (const worker of workers) {
    const state = workerState(worker, now);
    gauges.workers.inc({ state });
    if (state !== 'gone') gauges.slots.inc(worker.slots);
  }
  gauges.slotsUsed.set(assignments.reduce((sum, { count }) => sum + count, 0));
  setOwnership(gauges, holdings);
  if (holdings.settings.mode === 'scope' && plan) setPlan(gauges, plan, nodes);
}

/** What masters hold; in scope mode no ownership is in the store. */
function setOwnership(gauges: Gauges, { settings, view, free }: StoreReading['holdings']): void {
  gauges.mode.set({ mode: settings.mode }, 1);
  gauges.schedules.set(view.schedules);
  if (settings.mode !== 'claim') return;
  gauges.free.set(free);
  for (const { name: master, held, alarmAbove } of view.masters.slice(0, MOST_MASTERS)) {
    gauges.held.set({ master }, held);
    gauges.limit.set({ master }, limitOf(view, master));
    gauges.alarmAbove.set({ master }, alarmAbove);
  }
}

/** The author of the newest plan, and whether all masters follow it. */
function setPlan(
  gauges: Gauges,
  { number, hash, leader }: NonNullable<StoreReading['plan']>,
  nodes: readonly NodeRow[],
): void {
  const masters = nodes.filter((node) => isMaster(node) && node.fenced === 0 && node.registry !== null);
  gauges.plan.set(number);
  gauges.leader.set({ master: leader }, 1);
  gauges.planBehind.set(masters.filter(({ plan }) => (plan ?? 0) < number).length);
  gauges.planConflicts.set(
    masters.filter(({ plan, planHash }) => plan === number && planHash !== hash).length,
  );
}
