/** Everything that needs people, each kind looked for by a bounded read; the most harmful comes first. */
import { needKinds } from '@orrery/contract';
import type { Context } from '../context.ts';
import { joinAddress } from '../node-commands.ts';
import { raisedAlerts, undelivered } from './alert-needs.ts';
import {
  fullLimit,
  missingNodes,
  noMaster,
  overThreshold,
  stuckQueue,
  unhealthyWorkers,
  wrongClocks,
} from './cluster-needs.ts';
import type { Need } from './need.ts';
import { failedRuns, openApprovals } from './run-needs.ts';
import { lateTicks, skippedTicks } from './schedule-needs.ts';

const DAY = 86_400_000;
/** Failures older than this have been lived with. */
const REMEMBERED = 7 * DAY;
/** A due time that is past by this much was not fired. */
const LATE = 10_000;
/** Waits for a limit that are no longer than this are what limits are for. */
const LIMIT_WAITS = 600_000;
const MOST_LOOKED_AT = 1_000;

/** Looks for everything that needs people. */
export async function findNeeds(
  context: Context,
  project: string | undefined,
  ofJobs: readonly Need[],
): Promise<Need[]> {
  const { store, clock } = context;
  const now = clock.now();
  const [
    nodes,
    workers,
    queues,
    assigned,
    failures,
    late,
    limits,
    alerts,
    skips,
    unsent,
    approvals,
    holdings,
  ] = await Promise.all([
    store.listNodes(),
    store.listWorkers(),
    store.listQueues({ limit: 100 }),
    store.countAssignments(),
    store.listFailures({ since: now - REMEMBERED, project, limit: MOST_LOOKED_AT }),
    store.schedulesDueBefore({ from: 0, to: now - LATE, project, limit: MOST_LOOKED_AT }),
    store.listFullLimits({ limit: 100 }),
    store.listOpenAlerts({ since: now - REMEMBERED, project, limit: MOST_LOOKED_AT }),
    store.listSkips({ since: now - DAY, project, limit: MOST_LOOKED_AT }),
    store.readUndelivered({ since: now - REMEMBERED, project }),
    store.listApprovals({ project, limit: MOST_LOOKED_AT }),
    store.readHoldings(),
  ]);
  const needs = [
    ...noMaster(nodes, now, (await store.readLoad()).commands, store.dialect),
    ...queues.flatMap((queue) =>
      stuckQueue(queue, workers, assigned, { now, join: joinAddress(nodes, now) }),
    ),
    ...(await failedRuns(store, failures, MOST_LOOKED_AT)),
    ...openApprovals(approvals),
    ...raisedAlerts(alerts),
    ...lateTicks(late, nodes, { now, most: MOST_LOOKED_AT }),
    ...wrongClocks(nodes, now),
    ...(await missingNodes(store, nodes, workers, now)),
    ...unhealthyWorkers(workers, now),
    ...[undelivered(unsent)].filter((one) => one !== undefined),
    ...ofJobs,
    ...overThreshold(holdings),
    ...limits.filter(({ name, oldest }) => oldest < now - LIMIT_WAITS && isOf(name, project)).map(fullLimit),
    ...skippedTicks(skips),
  ];
  // By harm, and of the same harm the newest first.
  return needs.sort(
    (a, b) =>
      needKinds.indexOf(a.kind) - needKinds.indexOf(b.kind) ||
      b.count - a.count ||
      (b.since ?? 0) - (a.since ?? 0) ||
      a.id.localeCompare(b.id),
  );
}

/**
 * Whether a limit concerns a project. Limits of workflows and task groups name theirs, others concern all
 * projects.
 */
function isOf(limit: string, project: string | undefined): boolean {
  const named = /^(?:workflow|task group) ([^/]+)\//.exec(limit)?.[1];
  return project === undefined || named === undefined || named === project;
}
