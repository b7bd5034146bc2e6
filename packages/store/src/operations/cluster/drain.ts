/**
 * Draining and forgetting nodes on request. A name may belong to a master, a worker, or a process that is
 * both: all its roles drain. A refusal shows the capacity sum that forbids it.
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

/** Input of a drain request. */
interface DrainInput {
  readonly node: string;
  /** True to drain, false to accept work again. */
  readonly drain: boolean;
  /** How long a master's runs may continue there before they are handed over, in milliseconds. */
  readonly timeout: number;
  /** A master silent for this long does not count as remaining capacity. */
  readonly silentAfter: number;
  /** Drains it even if another master is still draining or tolerances differ. */
  readonly together?: boolean;
  /** Only reports whether the drain is allowed. */
  readonly dryRun?: boolean;
  readonly actor: string;
  readonly now: number;
}

/** Result of a drain request. */
export interface DrainAnswer {
  /** Roles of the node; empty if no live node has the name. */
  readonly roles: readonly ('master' | 'worker')[];
  /** Capacity of the remaining nodes. */
  readonly sum: string;
  /** Why the drain was refused. */
  readonly refused: string | undefined;
}

/**
 * Drains or undrains a node. Concurrent drains wait for each other, so that two cannot both pass the check.
 */
export function* drainNode(input: DrainInput): Operation<DrainAnswer> {
  const { node, drain, timeout, dryRun = false, now } = input;
  yield* rows({ sqlite: 'SELECT 1', postgres: 'SELECT pg_advisory_xact_lock(7071948)' });
  const nodes = yield* listNodes();
  const workers = yield* listWorkers();
  // A drain can be undone while the node is down; otherwise the node would come back draining.
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

/** Number of runs owned by each master. */
export function* countOwned(): Operation<readonly { readonly owner: string; readonly count: number }[]> {
  return yield* rows<{ owner: string; count: number }>(
    'SELECT owner, count(*) AS count FROM run WHERE owner IS NOT NULL GROUP BY owner',
  );
}

/**
 * Forgets a node that left or was lost. `again`: this call reserved its epoch permanently, and the next call
 * forgets it. In one transaction, the name could come back with an epoch used before.
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

/** The limit from its last join; undefined for a version that did not report one. */
function roomOf({ info }: NodeRow): number | undefined {
  const { room } = JSON.parse(info) as { room?: string };
  return room === undefined ? undefined : Number(room);
}
