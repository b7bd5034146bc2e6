/** Nodes: join with a new epoch, beat, detect dead peers and fence them. */
import { StaleEpoch } from '../../errors.ts';
import { change, type Operation, row, rows } from '../../operation.ts';
import { audit } from '../access/audit.ts';
import { clusterAlert, raise } from '../alerting/alerts.ts';
import { remember } from '../lists/history.ts';
import { appendEvents, type FeedEvent } from '../runs/feed.ts';
import { type LostOwner, tell } from '../runs/inbox.ts';
import { lastEdit } from '../ticks/schedule-edits.ts';
import { withStoreTime } from '../ticks/store-time.ts';
import { firstEpoch } from './gone-nodes.ts';
import { freeHoldings } from './holdings.ts';
import { ownershipText } from './ownership.ts';
import { seizing } from './seize.ts';
import { checkSelf, type Self } from './self.ts';
import type { WorkerRow } from './workers.ts';

/** A node as others see it. */
export interface NodeRow {
  readonly id: string;
  readonly roles: string;
  readonly address: string;
  readonly epoch: number;
  readonly fenced: number;
  readonly beat: number;
  readonly beatAt: number;
  readonly joinedAt: number;
  /** 1 while it should take no new work; what it still holds at `drainBy` is handed over. */
  readonly draining: number;
  readonly drainBy: number | null;
  /** State from its last beat, and why it takes no work. */
  readonly state: string;
  readonly reason: string | null;
  /** JSON: its settings in force, by name. */
  readonly info: string;
  /** Null until measured. */
  readonly clockOffset: number | null;
  readonly clockFault: string | null;
  /** The registry it uses; null if it is judged by its beat. */
  readonly registry: string | null;
  /** The plan it has adopted. */
  readonly plan: number | null;
  readonly planHash: string | null;
}

/** A live node, as its peers watch it. */
export type Peer = Pick<NodeRow, 'id' | 'roles' | 'address' | 'epoch' | 'beat' | 'state' | 'registry'>;

/** A live worker, as masters watch it. */
type LiveWorker = Pick<WorkerRow, 'id' | 'epoch' | 'beat' | 'take'>;

/** Answer to a beat: orders for this node, the other live nodes, and marks of pending work. */
export interface BeatAnswer {
  /** It should drain, and hand over what it still holds at this time. */
  readonly draining: boolean;
  readonly drainBy: number | null;
  readonly peers: readonly Peer[];
  readonly workers: readonly LiveWorker[];
  readonly commands: boolean;
  /** A run that this node owns, or one without an owner, has inbox messages. */
  readonly messages: boolean;
  /** Attempts are in the queue. */
  readonly ready: boolean;
  /** Ended runs wait for triggers to see them. */
  readonly triggers: boolean;
  /** A bulk has runs left to tell. */
  readonly bulks: boolean;
  /** When the next schedule is due, the next dependent must be evaluated, and the next deadline comes. */
  readonly nextDue: number | null;
  readonly nextLook: number | null;
  readonly nextDeadline: number | null;
  /**
   * When alerting has work next: rules to evaluate or messages to send; at once after an alert was raised.
   */
  readonly nextAlert: number | null;
  /** Number of the last schedule edit. */
  readonly scheduleRevision: number;
  /** Some schedules have no holder. */
  readonly free: boolean;
  /** Ownership settings as JSON; null before anyone sets them. */
  readonly ownership: string | null;
  /** The store's clock. */
  readonly storeTime: number;
}

/** A node's measurement of its clock. */
export interface ClockReport {
  /** Milliseconds to add to the node's clock to get the store's time. */
  readonly offset: number;
  /** Why the node does not trust its clock; null if it does. */
  readonly fault: string | null;
}

const nodeColumns = `id, roles, address, epoch, fenced, beat, beat_at AS "beatAt", joined_at AS "joinedAt", draining,
  drain_by AS "drainBy", state, reason, info,
  clock_offset AS "clockOffset", clock_fault AS "clockFault", registry, plan, plan_hash AS "planHash"`;

/** Joins under a name: starts a new epoch, and frees what an earlier process of that name owned. */
export function* joinNode(input: {
  readonly id: string;
  readonly roles: readonly string[];
  readonly address: string;
  readonly info: Readonly<Record<string, string>>;
  readonly registry?: string | null;
  /** How long an earlier process of that name may block this before its connection is ended. */
  readonly patience?: number;
  readonly now: number;
}): Operation<{ epoch: number }> {
  const { id, roles, address, info, registry = null, patience, now } = input;
  const earlier = yield* row<{ epoch: number }>('SELECT epoch FROM node WHERE id = ?1', id);
  const joined = yield* seizing(
    { node: id, epoch: earlier?.epoch ?? 0 },
    () =>
      row<{ epoch: number }>(
        `INSERT INTO node (id, roles, address, epoch, fenced, beat, beat_at, joined_at, info, registry)
       VALUES (?1, ?2, ?3, ${firstEpoch}, 0, 0, ?4, ?4, ?5, ?6)
       ON CONFLICT (id) DO UPDATE SET roles = excluded.roles, address = excluded.address, epoch = node.epoch + 1, fenced = 0,
         beat = 0, beat_at = excluded.beat_at, joined_at = excluded.joined_at, info = excluded.info, state = 'acting',
         reason = NULL, registry = excluded.registry, plan = NULL, plan_hash = NULL
       RETURNING epoch`,
        id,
        roles.join(','),
        address,
        now,
        JSON.stringify(info),
        registry,
      ),
    patience,
  );
  const epoch = joined?.epoch ?? 1;
  yield* releaseRuns({ node: id, epoch: epoch - 1, how: 'joined-again', at: now }, `${id} joined again`);
  yield* freeHoldings({ node: id, epoch: epoch - 1 }, now);
  yield* appendEvents({ node: id, epoch }, [nodeEvent(id, 'joined', epoch)], now);
  yield* remember([{ actor: id, kind: 'node', subject: id, action: 'joined', body: { epoch } }], now);
  yield* audit(id, 'node.join', id, { roles: roles.join(', '), address, epoch }, now);
  return { epoch };
}

/**
 * A beat, answered with marks of pending work in one statement: an idle node sends no other. Without a state
 * the last one stands.
 */
export function* beat(input: {
  readonly self: Self;
  readonly now: number;
  readonly clock?: ClockReport;
  readonly state?: string;
  readonly reason?: string | null;
  /** The plan it has adopted. */
  readonly plan?: { readonly number: number; readonly hash: string };
}): Operation<BeatAnswer> {
  const { self, now, clock, state = null, reason = null, plan } = input;
  const found = yield* row<Marks>(
    withStoreTime({
      sqlite: beatText('json_group_array(json_object'),
      postgres: beatText('json_agg(json_build_object'),
    }),
    self.node,
    self.epoch,
    now,
    state,
    reason,
    clock?.offset ?? null,
    clock?.fault ?? null,
    plan?.number ?? null,
    plan?.hash ?? null,
  );
  if (!found) throw new StaleEpoch(self.node, self.epoch);
  const { peers, workers, commands, messages, ready, triggers, bulks, free, ...marks } = found;
  return {
    ...marks,
    draining: found.draining === 1,
    peers: JSON.parse(peers ?? '[]'),
    workers: JSON.parse(workers ?? '[]'),
    commands: commands === 1,
    messages: messages === 1,
    ready: ready === 1,
    triggers: triggers === 1,
    bulks: bulks === 1,
    free: free === 1,
  };
}

interface Marks {
  readonly draining: number;
  readonly drainBy: number | null;
  readonly peers: string | null;
  readonly workers: string | null;
  readonly commands: number;
  readonly messages: number;
  readonly ready: number;
  readonly triggers: number;
  readonly bulks: number;
  readonly nextDue: number | null;
  readonly nextLook: number | null;
  readonly nextDeadline: number | null;
  readonly nextAlert: number | null;
  readonly scheduleRevision: number;
  readonly free: number;
  readonly ownership: string | null;
  readonly storeTime: number;
}

/** The statement of a beat; `list` is the dialect's function that builds a list of objects. */
function beatText(list: string): string {
  const any = (from: string) => `CASE WHEN EXISTS (SELECT 1 FROM ${from}) THEN 1 ELSE 0 END`;
  const peer = `'id', n.id, 'roles', n.roles, 'address', n.address, 'epoch', n.epoch, 'beat', n.beat,
    'state', n.state, 'registry', n.registry`;
  const worker = `'id', w.id, 'epoch', w.epoch, 'beat', w.beat, 'take', w.take`;
  // Starts at the inboxes, which are few: a join could start at the runs, which include all past ones.
  const told = 'inbox i WHERE (SELECT r.owner IS NULL OR r.owner = ?1 FROM run r WHERE r.id = i.run)';
  return `UPDATE node SET beat = beat + 1, beat_at = ?3, state = COALESCE(CAST(?4 AS TEXT), state),
    clock_offset = ?6, clock_fault = ?7, plan = ?8, plan_hash = ?9,
    reason = CASE WHEN CAST(?4 AS TEXT) IS NULL THEN reason ELSE CAST(?5 AS TEXT) END
    WHERE id = ?1 AND epoch = ?2 AND fenced = 0 RETURNING draining, drain_by AS "drainBy",
    (SELECT CAST(${list}(${peer})) AS TEXT) FROM node n WHERE n.id <> ?1 AND n.fenced = 0) AS peers,
    (SELECT CAST(${list}(${worker})) AS TEXT) FROM worker w WHERE w.lost = 0) AS workers,
    ${any('command')} AS commands, ${any(told)} AS messages, ${any('ready')} AS ready, ${any('trigger_due')} AS triggers,
    ${any("bulk WHERE state = 'running'")} AS bulks,
    (SELECT min(next_due) FROM schedule WHERE enabled = 1 AND next_due IS NOT NULL) AS "nextDue",
    (SELECT min(look_at) FROM dependency_wait) AS "nextLook",
    (SELECT min(due) FROM deadline) AS "nextDeadline",
    ${any('holding WHERE holder IS NULL')} AS free, ${ownershipText} AS ownership,
    CASE WHEN EXISTS (SELECT 1 FROM alert WHERE routed = 0) THEN 0 ELSE (SELECT min(at) FROM (
      SELECT min(due) AS at FROM alert_group WHERE due IS NOT NULL
      UNION ALL SELECT min(next_try) FROM delivery WHERE next_try IS NOT NULL) AS times) END AS "nextAlert",
    ${lastEdit} AS "scheduleRevision", {storeTime} AS "storeTime"`;
}

/**
 * Fences a dead peer and frees its runs and schedules, in one transaction; false if another node did, or the
 * peer is back.
 */
export function* fence(input: {
  readonly self: Self;
  readonly peer: { readonly id: string; readonly epoch: number; readonly beat: number };
  /** How long a write of the peer may block this before its connection is ended. */
  readonly patience?: number;
  readonly now: number;
}): Operation<{ fenced: boolean; runs: number }> {
  const { self, peer, patience, now } = input;
  yield* checkSelf(self);
  const changed = yield* seizing(
    { node: peer.id, epoch: peer.epoch },
    () =>
      change(
        'UPDATE node SET fenced = 1 WHERE id = ?1 AND epoch = ?2 AND beat = ?3 AND fenced = 0',
        peer.id,
        peer.epoch,
        peer.beat,
      ),
    patience,
  );
  if (changed === 0) return { fenced: false, runs: 0 };
  const reason = `${peer.id} epoch ${peer.epoch} was fenced by ${self.node}`;
  const runs = yield* releaseRuns({ node: peer.id, epoch: peer.epoch, how: 'fenced', at: now }, reason);
  const schedules = yield* freeHoldings({ node: peer.id, epoch: peer.epoch }, now);
  yield* appendEvents(self, [nodeEvent(peer.id, 'fenced', peer.epoch)], now);
  const fenced = {
    kind: 'node',
    subject: peer.id,
    action: 'fenced',
    body: { epoch: peer.epoch, runs, schedules },
  } as const;
  yield* remember([{ actor: self.node, ...fenced }], now);
  yield* raise(self, [clusterAlert('master-lost', peer.id, reason)], now);
  return { fenced: true, runs };
}

/** Leaves in good order and frees all it owned. */
export function* leaveNode({ self, now }: { readonly self: Self; readonly now: number }): Operation<void> {
  const { node, epoch } = self;
  const changed = yield* change(
    'UPDATE node SET fenced = 1 WHERE id = ?1 AND epoch = ?2 AND fenced = 0',
    node,
    epoch,
  );
  if (changed === 0) return;
  const runs = yield* releaseRuns({ node, epoch, how: 'left', at: now }, `${node} left`);
  const schedules = yield* freeHoldings(self, now);
  const body = { epoch, runs, schedules };
  yield* remember([{ actor: node, kind: 'node', subject: node, action: 'left', body }], now);
  yield* appendEvents(self, [nodeEvent(node, 'left', epoch)], now);
}

/** All nodes that joined and were not forgotten. */
export function* listNodes(): Operation<readonly NodeRow[]> {
  return yield* rows<NodeRow>(`SELECT ${nodeColumns} FROM node ORDER BY id`);
}

/**
 * Frees the runs that a node owned up to its lost epoch; each gets an inbox row, so that a master claims it.
 */
function* releaseRuns(lost: LostOwner, reason: string): Operation<number> {
  const freed = yield* rows<{ id: number }>(
    `UPDATE run SET owner = NULL, owner_epoch = NULL WHERE owner = ?1 AND owner_epoch <= ?2 RETURNING id`,
    lost.node,
    lost.epoch,
  );
  yield* tell(
    freed.map(({ id }) => ({ run: id, message: { type: 'owner-lost', reason, lost } })),
    lost.at,
  );
  return freed.length;
}

/** The feed event of a node. */
export function nodeEvent(
  id: string,
  what: 'joined' | 'fenced' | 'left' | 'draining' | 'open',
  epoch: number,
): FeedEvent {
  return { topic: 'node', subject: 0, revision: epoch, body: JSON.stringify({ id, what }) };
}
