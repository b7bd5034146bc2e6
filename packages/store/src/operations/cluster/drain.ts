/**
 * Draining and forgetting nodes, as people ask for it. A name may be that of a master, of a worker, or of a process
 * that is both: all that it is drains. A refusal names the sum that forbids it.
 */
import {
  type MasterRoom,
  mayDrainMaster,
  mayDrainWorker,
  type Verdict,
  type WorkerRoom,
} from '@orrery/core/balance';
import { change, type Operation, row, rows } from '../../operation.ts';
import { audit } from '../access/audit.ts';
import { remember } from '../lists/history.ts';
import { appendEvents } from '../runs/feed.ts';
import { forgetGone } from './gone-nodes.ts';
import { freeHoldings, readHoldings } from './holdings.ts';
import { listNodes, type NodeRow, nodeEvent } from './nodes.ts';
import { listWorkers, setWorkerDraining, type WorkerRow } from './workers.ts';

/** What is asked of a node. */
interface DrainInput {
  readonly node: string;
  /** To drain, or to take work again. */
  readonly drain: boolean;
  /** How long the runs of a master may go on there before they are handed over, in milliseconds. */
  readonly timeout: number;
  /** A master that was not heard of for this long does not count among those that stay. */
  readonly silentAfter: number;
  /** Drains it although another master still drains and tolerances differ. */
  readonly together?: boolean;
  /** Only says whether it may be done. */
  readonly dryRun?: boolean;
  readonly actor: string;
  readonly now: number;
}

/** What came of it. */
export interface DrainAnswer {
  /** Which of both the node is; neither where nobody lives under that name. */
  readonly roles: readonly ('master' | 'worker')[];
  /** What the others can carry. */
  readonly sum: string;
  /** Why it was not done. */
  readonly refused: string | undefined;
}

/** Drains a node or takes that back. Drains wait for each other, so that two at once cannot both pass. */
export function* drainNode(input: DrainInput): Operation<DrainAnswer> {
  const { node, drain, timeout, dryRun = false, now } = input;
  yield* rows({ sqlite: 'SELECT 1', postgres: 'SELECT pg_advisory_xact_lock(7071948)' });
  const nodes = yield* listNodes();
  const workers = yield* listWorkers();
  // Taken back also while it is down: it would come back as one that drains.
  const isBack = (draining: number) => !drain && draining === 1;
  const master = nodes.find(
    (one) => one.id === node && isMaster(one) && (one.fenced === 0 || isBack(one.draining)),
  );
  const worker = workers.find((one) => one.id === node && (one.lost === 0 || isBack(one.draining)));
  const roles = [...(master ? (['master'] as const) : []), ...(worker ? (['worker'] as const) : [])];
  const verdicts: Verdict[] = [];
  if (drain && master?.draining === 0) verdicts.push(yield* judgeMaster(nodes, input));
  if (drain && worker?.draining === 0) verdicts.push(yield* judgeWorker(workers, input));
  const sum = verdicts.map(({ reason }) => reason).join('; ');
  const refused = verdicts.find(({ yes }) => !yes)?.reason;
  if (refused !== undefined || dryRun) return { roles, sum, refused };
  if (master) yield* setMasterDraining(master, drain ? now + timeout : null, input);
  if (worker) yield* setWorkerDraining({ worker: node, draining: drain, actor: input.actor, now });
  if (roles.length > 0)
    yield* audit(input.actor, drain ? 'node.drain' : 'node.undrain', node, { roles: roles.join(', ') }, now);
  return { roles, sum, refused };
}

function* setMasterDraining(
  { id, epoch }: NodeRow,
  drainBy: number | null,
  { drain, actor, now }: DrainInput,
): Operation<void> {
  yield* change('UPDATE node SET draining = ?2, drain_by = ?3 WHERE id = ?1', id, Number(drain), drainBy);
  if (drain) yield* freeHoldings({ node: id, epoch }, now);
  yield* appendEvents(null, [nodeEvent(id, drain ? 'draining' : 'open', epoch)], now);
  yield* remember([{ actor, kind: 'node', subject: id, action: drain ? 'drain' : 'undrain' }], now);
}

function* judgeMaster(
  nodes: readonly NodeRow[],
  { node, silentAfter, together, now }: DrainInput,
): Operation<Verdict> {
  const held = new Map((yield* countOwned()).map(({ owner, count }) => [owner, count]));
  const { view } = yield* readHoldings();
  const masters = nodes
    .filter((one) => one.fenced === 0 && isMaster(one))
    .map((one): MasterRoom => {
      const heard = now - one.beatAt <= silentAfter;
      const takes = heard && one.draining === 0 && one.state === 'acting';
      return { id: one.id, room: roomOf(one), held: held.get(one.id) ?? 0, takes };
    });
  return mayDrainMaster(masters, node, view, { together });
}

function* judgeWorker(workers: readonly WorkerRow[], { node }: DrainInput): Operation<Verdict> {
  const counts = yield* rows<{ worker: string; count: number }>(
    'SELECT worker, count(*) AS count FROM assignment GROUP BY worker',
  );
  const used = new Map(counts.map(({ worker, count }) => [worker, count]));
  const live = workers
    .filter(({ lost }) => lost === 0)
    .map(({ id, groups, slots, draining }): WorkerRoom => {
      return { id, groups: JSON.parse(groups), slots, used: used.get(id) ?? 0, takes: draining === 0 };
    });
  return mayDrainWorker(live, node);
}

/** How many runs each master owns. */
export function* countOwned(): Operation<readonly { readonly owner: string; readonly count: number }[]> {
  return yield* rows<{ owner: string; count: number }>(
    'SELECT owner, count(*) AS count FROM run WHERE owner IS NOT NULL GROUP BY owner',
  );
}

/**
 * Forgets a node that left or was lost. `again`: its epoch is set aside for good, and the next call forgets it; both in
 * one transaction would let the name come back with an epoch that was used before.
 */
export function* forgetNode(input: {
  readonly node: string;
  readonly dryRun?: boolean;
  readonly actor: string;
  readonly now: number;
}): Operation<'forgotten' | 'again' | 'alive' | 'busy' | 'unknown'> {
  const { node, dryRun = false, actor, now } = input;
  const found = yield* row<{ alive: number; held: number; known: number }>(
    `SELECT (SELECT count(*) FROM node WHERE id = ?1 AND fenced = 0)
         + (SELECT count(*) FROM worker WHERE id = ?1 AND lost = 0) AS alive,
       (SELECT count(*) FROM node WHERE id = ?1) + (SELECT count(*) FROM worker WHERE id = ?1) AS known,
       (SELECT count(*) FROM run WHERE owner = ?1) + (SELECT count(*) FROM assignment WHERE worker = ?1) AS held`,
    node,
  );
  if (!found || found.known === 0) return 'unknown';
  if (found.alive > 0) return 'alive';
  if (found.held > 0) return 'busy';
  if (dryRun) return 'forgotten';
  if (!(yield* forgetGone(node))) return 'again';
  yield* remember([{ actor, kind: 'node', subject: node, action: 'forget' }], now);
  yield* audit(actor, 'node.forget', node, {}, now);
  return 'forgotten';
}

function isMaster({ roles }: NodeRow): boolean {
  return roles.split(',').includes('master');
}

/** What its last join said; undefined of a version that did not say. */
function roomOf({ info }: NodeRow): number | undefined {
  const { room } = JSON.parse(info) as { room?: string };
  return room === undefined ? undefined : Number(room);
}
