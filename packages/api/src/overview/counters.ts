/** How much is going on: figures for a glance, none counted beyond a bound. */
import type { Answer } from '@orrery/contract';
import { timingOf } from '@orrery/core/model';
import { ticksBetween } from '@orrery/core/time';
import type { NamedSchedule } from '@orrery/store';
import type { Context } from '../context.ts';
import { isMaster, masterState, workerState } from '../nodes.ts';
import { optionalTime } from '../time.ts';

type Counters = Answer<'showOverview'>['counters'];
type Bounded = Counters['running'];

const MOST_COUNTED = 10_000;
const HOUR = 3_600_000;

/** Limit of attempts whose delays are read. */
const MOST_DELAYS = 1_000;

/** Counts activity, of all projects or of one. Nodes belong to no project. */
export async function countAll(
  { store, clock }: Context,
  project: string | undefined,
  ticksNextHour: Bounded,
): Promise<Counters> {
  const now = clock.now();
  const [load, queues, delays, nodes, workers, assigned] = await Promise.all([
    store.readLoad({ project }),
    // Not awaited here: if an earlier read failed meanwhile, its rejection would be unhandled.
    project === undefined
      ? store.listQueues({ limit: 1_000 })
      : store.readReady({ project }).then((ready) => [ready]),
    store.readStartDelays({ limit: MOST_DELAYS }),
    store.listNodes(),
    store.listWorkers(),
    store.countAssignments(),
  ]);
  const masters = nodes.filter(isMaster);
  const live = workers.filter((worker) =>
    ['alive', 'draining', 'unhealthy'].includes(workerState(worker, now)),
  );
  const liveIds = new Set(live.map(({ id }) => id));
  const sum = (list: readonly number[]) => list.reduce((all, each) => all + each, 0);
  const runs = (waiting: boolean) =>
    sum(load.runs.filter(({ state }) => (state === 'waiting') === waiting).map(({ count }) => count));
  const waits = [load.oldestCommand, load.oldestLimited, ...queues.map(({ oldest }) => oldest)].filter(
    (at) => at !== null,
  );
  return {
    running: bounded(runs(false), load.moreRuns),
    queued: bounded(runs(true) + load.commands, load.moreRuns),
    ready: bounded(sum(queues.map(({ count }) => count))),
    waiting: bounded(load.limited),
    oldestWait: optionalTime(waits.length > 0 ? Math.min(...waits) : null),
    startP95: percentile(delays, 0.95),
    ticksNextHour,
    slots: {
      used: sum(assigned.filter(({ worker }) => liveIds.has(worker)).map(({ count }) => count)),
      total: sum(live.map(({ slots }) => slots)),
    },
    masters: {
      alive: masters.filter((node) => masterState(node, now) === 'alive').length,
      total: masters.filter((node) => node.fenced === 0).length,
    },
    workers: { alive: live.length, total: workers.filter(({ lost }) => lost === 0).length },
  };
}

/** How many ticks are due within an hour, of the schedules that are due then. */
export function ticksWithin(schedules: readonly NamedSchedule[], now: number, more: boolean): Bounded {
  let count = 0;
  for (const { spec } of schedules) {
    count += ticksBetween(timingOf(spec), now, now + HOUR, MOST_COUNTED - count).length;
    if (count >= MOST_COUNTED) return { value: MOST_COUNTED, more: true };
  }
  return { value: count, more };
}

function bounded(count: number, more = false): Bounded {
  return { value: Math.min(count, MOST_COUNTED), more: more || count > MOST_COUNTED };
}

/** The value that so large a part of the values does not exceed; null without any. */
function percentile(values: readonly number[], part: number): number | null {
  if (values.length === 0) return null;
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
}
