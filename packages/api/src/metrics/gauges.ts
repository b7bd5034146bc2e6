/** What is told as it stands at the moment of asking: queues, nodes, slots. */
import type { Clock } from '@orrery/core/timing';
import type { Store } from '@orrery/store';
import type { Gauge } from 'prom-client';
import { inTime } from '../health/parts.ts';
import { isMaster, masterState, workerState } from '../nodes.ts';
import type { MetricsOptions } from './metrics.ts';

/** Worker groups that are told apart; the others are summed up as one. */
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
  readonly storeUp: Gauge;
}

/**
 * Reads them afresh. Without a store only what this process itself knows is told. A store that does not answer leaves the
 * values as they were last, and says so.
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
  const [depth, nodes, workers, assignments] = await Promise.all([
    store.readQueueDepth(),
    store.listNodes(),
    store.listWorkers(),
    store.countAssignments(),
  ]);
  return { ...depth, nodes, workers, assignments };
}

function setGauges(
  gauges: Gauges,
  { groups, commands, nodes, workers, assignments }: Awaited<ReturnType<typeof readStore>>,
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
  gauges.commands.set(commands.count);
  gauges.commandOldest.set(age(commands.oldest));
  for (const node of nodes.filter(isMaster)) gauges.masters.inc({ state: masterState(node, now) });
  for (const worker of workers) {
    const state = workerState(worker, now);
    gauges.workers.inc({ state });
    if (state !== 'gone') gauges.slots.inc(worker.slots);
  }
  gauges.slotsUsed.set(assignments.reduce((sum, { count }) => sum + count, 0));
}
