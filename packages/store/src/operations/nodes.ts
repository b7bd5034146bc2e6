/** Nodes: join with a new epoch, beat, notice dead peers and fence them. */
import { StaleEpoch } from '../errors.ts';
import { change, type Operation, row, rows, together } from '../operation.ts';
import { appendEvents, type FeedEvent } from './feed.ts';
import { remember } from './history.ts';
import { tell } from './inbox.ts';
import { seizing } from './seize.ts';
import { checkSelf, type Self } from './self.ts';

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
}

/** What a beat brings back: the other nodes, and whether there is something to claim. */
export interface BeatAnswer {
  readonly peers: readonly NodeRow[];
  readonly commands: boolean;
  /** Something was told to a run that this node owns, or that nobody does. */
  readonly messages: boolean;
  readonly nextDue: number | null;
}

const nodeColumns = 'id, roles, address, epoch, fenced, beat, beat_at AS "beatAt", joined_at AS "joinedAt"';

/** Joins under a name: a new epoch, and what an earlier process of that name owned is free to be claimed. */
export function* joinNode(input: {
  readonly id: string;
  readonly roles: readonly string[];
  readonly address: string;
  readonly info: Readonly<Record<string, string>>;
  /** How long an earlier process of that name may hold this up before its connection is ended. */
  readonly patience?: number;
  readonly now: number;
}): Operation<{ epoch: number }> {
  const { id, roles, address, info, patience, now } = input;
  const earlier = yield* row<{ epoch: number }>('SELECT epoch FROM node WHERE id = ?1', id);
  const joined = yield* seizing(
    { node: id, epoch: earlier?.epoch ?? 0 },
    () =>
      row<{ epoch: number }>(
        `INSERT INTO node (id, roles, address, epoch, fenced, beat, beat_at, joined_at, info)
       VALUES (?1, ?2, ?3, 1, 0, 0, ?4, ?4, ?5)
       ON CONFLICT (id) DO UPDATE SET roles = excluded.roles, address = excluded.address, epoch = node.epoch + 1, fenced = 0,
         beat = 0, beat_at = excluded.beat_at, joined_at = excluded.joined_at, info = excluded.info
       RETURNING epoch`,
        id,
        roles.join(','),
        address,
        now,
        JSON.stringify(info),
      ),
    patience,
  );
  const epoch = joined?.epoch ?? 1;
  yield* releaseRuns(id, epoch, `${id} joined again`, now);
  yield* appendEvents({ node: id, epoch }, [nodeEvent(id, 'joined', epoch)], now);
  return { epoch };
}

/** Says that the node is alive, and learns what changed: one round trip a second is all an idle node makes. */
export function* beat({ self, now }: { readonly self: Self; readonly now: number }): Operation<BeatAnswer> {
  const [changed, peers, marks] = yield* together<
    [number, readonly NodeRow[], { commands: number; messages: number; due: number | null } | undefined]
  >(
    change(
      'UPDATE node SET beat = beat + 1, beat_at = ?3 WHERE id = ?1 AND epoch = ?2 AND fenced = 0',
      self.node,
      self.epoch,
      now,
    ),
    rows(`SELECT ${nodeColumns} FROM node WHERE id <> ?1 ORDER BY id`, self.node),
    row(
      `SELECT (SELECT count(*) FROM (SELECT 1 FROM command LIMIT 1) c) AS commands,
         (SELECT count(*) FROM (SELECT 1 FROM inbox i JOIN run r ON r.id = i.run WHERE r.owner IS NULL OR r.owner = ?1 LIMIT 1) o) AS messages,
         (SELECT min(next_due) FROM schedule WHERE enabled = 1 AND next_due IS NOT NULL) AS due`,
      self.node,
    ),
  );
  if (changed === 0) throw new StaleEpoch(self.node, self.epoch);
  return {
    peers,
    commands: (marks?.commands ?? 0) > 0,
    messages: (marks?.messages ?? 0) > 0,
    nextDue: marks?.due ?? null,
  };
}

/** Fences a dead peer and frees its runs, in one transaction; false when someone else did, or it is back. */
export function* fence(input: {
  readonly self: Self;
  readonly peer: { readonly id: string; readonly epoch: number; readonly beat: number };
  /** How long a write of the peer may hold this up before its connection is ended. */
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
  const runs = yield* releaseRuns(peer.id, peer.epoch + 1, reason, now);
  yield* appendEvents(self, [nodeEvent(peer.id, 'fenced', peer.epoch)], now);
  const fenced = {
    kind: 'node',
    subject: peer.id,
    action: 'fenced',
    body: { epoch: peer.epoch, runs },
  } as const;
  yield* remember([{ actor: self.node, ...fenced }], now);
  return { fenced: true, runs };
}

/** Leaves in good order: nothing is owned any more. */
export function* leaveNode({ self, now }: { readonly self: Self; readonly now: number }): Operation<void> {
  const { node, epoch } = self;
  const changed = yield* change(
    'UPDATE node SET fenced = 1 WHERE id = ?1 AND epoch = ?2 AND fenced = 0',
    node,
    epoch,
  );
  if (changed === 0) return;
  yield* releaseRuns(node, epoch + 1, `${node} left`, now);
  yield* appendEvents(self, [nodeEvent(node, 'left', epoch)], now);
}

/** Every node ever joined. */
export function* listNodes(): Operation<readonly NodeRow[]> {
  return yield* rows<NodeRow>(`SELECT ${nodeColumns} FROM node ORDER BY id`);
}

/** Frees the runs that epochs before `before` own; each gets an inbox row, so that a master claims it. */
function* releaseRuns(node: string, before: number, reason: string, now: number): Operation<number> {
  const freed = yield* rows<{ id: number }>(
    `UPDATE run SET owner = NULL, owner_epoch = NULL WHERE owner = ?1 AND owner_epoch < ?2 RETURNING id`,
    node,
    before,
  );
  yield* tell(
    freed.map(({ id }) => ({ run: id, message: { type: 'owner-lost', reason } })),
    now,
  );
  return freed.length;
}

function nodeEvent(id: string, what: 'joined' | 'fenced' | 'left', epoch: number): FeedEvent {
  return { topic: 'node', subject: 0, revision: epoch, body: JSON.stringify({ id, what }) };
}
