/**
 * Workers: join with a new epoch, beat to keep the lease, drain, leave, or are declared lost with all they
 * hold.
 */
import { batch, change, type Operation, row, rows } from '../../operation.ts';
import { audit } from '../access/audit.ts';
import { clusterAlert, raise } from '../alerting/alerts.ts';
import { freeLimits } from '../limits/admission.ts';
import { remember } from '../lists/history.ts';
import {
  type AttemptRef,
  inKeyOrder,
  isAmong,
  isKey,
  keyColumns,
  keyText,
  keyTypes,
  keyValues,
} from '../runs/attempt-key.ts';
import { appendEvents, type FeedEvent } from '../runs/feed.ts';
import { type AbandonedHandle, claimAbandoned } from '../runs/handles.ts';
import { tell } from '../runs/inbox.ts';
import {
  attemptRows,
  type EndedAssignment,
  endedColumns,
  lostOutcome,
  recordAttempts,
} from '../runs/outcomes.ts';
import { inThousandths } from '../runs/ready.ts';
import { firstEpoch } from './gone-nodes.ts';
import { countRestores } from './restores.ts';
import { checkSelf, type Self } from './self.ts';

/** A worker and its epoch. */
export interface WorkerRef {
  readonly worker: string;
  readonly epoch: number;
}

/** A worker as masters see it. */
export interface WorkerRow {
  readonly id: string;
  readonly address: string;
  readonly epoch: number;
  readonly lost: number;
  readonly take: number;
  readonly beat: number;
  readonly beatAt: number;
  readonly slots: number;
  /** Capacity for attempts that ask: cores in thousandths, memory in bytes; null if not reported. */
  readonly cores: number | null;
  readonly memory: number | null;
  /** JSON: a list of names. */
  readonly groups: string;
  readonly draining: number;
  /** JSON: metrics by name. */
  readonly load: string;
  /** Why it takes no work; null while it is healthy. */
  readonly unhealthy: string | null;
  readonly unhealthySince: number | null;
  /** Hash of its session key; null without one. */
  readonly keyHash: string | null;
  /** Whether it joined by invitation. */
  readonly invited: number;
}

const workerColumns = `id, address, epoch, lost, take, beat, beat_at AS "beatAt", slots, cores, memory, groups, draining, load,
  unhealthy, unhealthy_since AS "unhealthySince", key_hash AS "keyHash", invited`;

/** SQL: a worker (?1) in this epoch (?2) that is not declared lost. */
export const isLive = 'id = ?1 AND epoch = ?2 AND lost = 0';

/**
 * Joins a worker with a new epoch; what its earlier epoch still held is lost. Its draining flag is kept. Also
 * returns how often the database was restored: attempts with the same number may have run before and after.
 * Epoch 0, without any change, if a live worker of that name has another session key.
 */
export function* joinWorker(input: {
  readonly self: Self;
  readonly worker: string;
  readonly address: string;
  readonly slots: number;
  readonly groups: readonly string[];
  /** JSON: the task types it can run. */
  readonly taskTypes?: string;
  /** Capacity for attempts that ask; memory in bytes. */
  readonly cores?: number;
  readonly memory?: number;
  /** Hash of its session key. */
  readonly keyHash?: string;
  readonly invited?: boolean;
  readonly now: number;
}): Operation<{ epoch: number; restores: number }> {
  const { self, worker, address, slots, groups, taskTypes = '[]', cores, memory = null, now } = input;
  const { keyHash = null, invited = false } = input;
  yield* checkSelf(self);
  const joined = yield* row<{ epoch: number }>(
    `INSERT INTO worker (id, address, epoch, lost, take, beat, beat_at, joined_at, slots, groups, draining, load, task_types, cores, memory, key_hash, invited)
     VALUES (?1, ?2, ${firstEpoch}, 0, 0, 0, ?3, ?3, ?4, ?5, 0, '{}', ?6, ?7, ?8, ?9, ?10)
     ON CONFLICT (id) DO UPDATE SET address = excluded.address, epoch = worker.epoch + 1, lost = 0, take = 0, beat = 0,
       beat_at = excluded.beat_at, joined_at = excluded.joined_at, slots = excluded.slots, groups = excluded.groups,
       unhealthy = NULL, unhealthy_since = NULL, task_types = excluded.task_types,
       cores = excluded.cores, memory = excluded.memory, key_hash = excluded.key_hash, invited = excluded.invited
       WHERE worker.lost = 1 OR worker.key_hash IS NULL OR worker.key_hash = excluded.key_hash
     RETURNING epoch`,
    worker,
    address,
    now,
    slots,
    JSON.stringify(groups),
    taskTypes,
    inThousandths(cores),
    memory,
    keyHash,
    Number(invited),
  );
  if (!joined) return { epoch: 0, restores: 0 };
  const { epoch } = joined;
  if (invited) yield* change('UPDATE invitation SET used_at = ?2 WHERE worker = ?1', worker, now);
  yield* loseAssignments(worker, epoch, `worker ${worker} started again`, now);
  yield* appendEvents(self, [workerEvent(worker, 'joined', epoch)], now);
  const entry = { actor: self.node, kind: 'worker', subject: worker, action: 'joined' } as const;
  yield* remember([{ ...entry, body: { epoch } }], now);
  const detail = { address, groups: groups.join(', '), slots, epoch, master: self.node };
  yield* audit(worker, 'worker.join', worker, detail, now);
  return { epoch, restores: yield* countRestores() };
}

/**
 * Records a worker's beat, which extends its lease on commit. An open assignment of a received take that the
 * worker does not hold is lost. Returns the attempts to kill, leftovers of others that it must end, or that
 * the worker is no longer welcome.
 */
export function* beatWorker(input: {
  readonly self: Self;
  readonly worker: string;
  readonly epoch: number;
  readonly take: number;
  readonly held: readonly AttemptRef[];
  readonly load: Readonly<Record<string, number>>;
  /** Why it takes no work; absent while it is healthy. */
  readonly unhealthy?: string;
  readonly now: number;
}): Operation<{ welcome: boolean; kill: readonly AttemptRef[]; end: readonly AbandonedHandle[] }> {
  const { self, worker, epoch, held, now } = input;
  yield* checkSelf(self);
  const found = yield* row<{ unhealthy: string | null; groups: string }>(
    `UPDATE worker SET beat = beat + 1, beat_at = ?3, load = ?4 WHERE ${isLive} RETURNING unhealthy, groups`,
    worker,
    epoch,
    now,
    JSON.stringify(input.load),
  );
  if (!found) return { welcome: false, kill: [], end: [] };
  const { unhealthy = null } = input;
  if (found.unhealthy !== unhealthy) yield* setHealth(self, { worker, epoch }, unhealthy, now);
  const open = yield* rows<AttemptRef & { take: number; killed: number }>(
    `SELECT ${keyColumns}, take, killed FROM assignment WHERE worker = ?1 AND worker_epoch = ?2`,
    worker,
    epoch,
  );
  const has = new Set(held.map(keyText));
  const missing = open.filter((entry) => entry.take <= input.take && !has.has(keyText(entry)));
  yield* endLost(missing, worker, `worker ${worker} does not have it`, now);
  const kill = open.filter((entry) => entry.killed === 1 && has.has(keyText(entry)));
  const groups = JSON.parse(found.groups) as string[];
  return {
    welcome: true,
    kill: kill.map(({ run, task, shard, number }) => ({ run, task, shard, number })),
    end: unhealthy === null ? yield* claimAbandoned({ worker, epoch, groups }, now) : [],
  };
}

/** Records a change of a worker's health: unhealthy, another reason, or healthy again. */
function* setHealth(
  self: Self,
  { worker, epoch }: WorkerRef,
  unhealthy: string | null,
  now: number,
): Operation<void> {
  if (unhealthy === null)
    yield* change('UPDATE worker SET unhealthy = NULL, unhealthy_since = NULL WHERE id = ?1', worker);
  else {
    yield* change(
      'UPDATE worker SET unhealthy = ?2, unhealthy_since = COALESCE(unhealthy_since, ?3) WHERE id = ?1',
      worker,
      unhealthy,
      now,
    );
    yield* untarget(worker);
  }
  if (unhealthy !== null) yield* raise(self, [clusterAlert('worker-unhealthy', worker, unhealthy)], now);
  const what = unhealthy === null ? 'healthy' : 'unhealthy';
  yield* appendEvents(self, [workerEvent(worker, what, epoch)], now);
  const entry = { actor: self.node, kind: 'worker', subject: worker, action: what } as const;
  yield* remember([unhealthy === null ? entry : { ...entry, body: { reason: unhealthy } }], now);
}

/** Declares a silent worker and its attempts lost, unless its beat has changed since it was seen. */
export function* loseWorker(input: {
  readonly self: Self;
  readonly worker: string;
  readonly epoch: number;
  readonly beat: number;
  readonly now: number;
}): Operation<{ lost: boolean }> {
  const { self, worker, epoch, beat, now } = input;
  yield* checkSelf(self);
  const changed = yield* change(
    `UPDATE worker SET lost = 1 WHERE ${isLive} AND beat = ?3`,
    worker,
    epoch,
    beat,
  );
  if (changed === 0) return { lost: false };
  const attempts = yield* loseAssignments(worker, epoch + 1, `worker ${worker} was lost`, now);
  yield* appendEvents(self, [workerEvent(worker, 'lost', epoch)], now);
  yield* remember(
    [{ actor: self.node, kind: 'worker', subject: worker, action: 'lost', body: { epoch, attempts } }],
    now,
  );
  yield* raise(self, [clusterAlert('worker-lost', worker, `worker ${worker} was lost`)], now);
  return { lost: true };
}

/** Records that a worker leaves in good order. */
export function* leaveWorker({
  self,
  worker,
  epoch,
  now,
}: { readonly self: Self; readonly now: number } & WorkerRef): Operation<void> {
  yield* checkSelf(self);
  const changed = yield* change(`UPDATE worker SET lost = 1 WHERE ${isLive}`, worker, epoch);
  if (changed === 0) return;
  yield* loseAssignments(worker, epoch + 1, `worker ${worker} left`, now);
  yield* appendEvents(self, [workerEvent(worker, 'left', epoch)], now);
  const entry = { actor: worker, kind: 'worker', subject: worker, action: 'left' } as const;
  yield* remember([{ ...entry, body: { epoch } }], now);
}

/** Ends a worker that joined by invitation, within another operation: its next frame is refused. */
export function* endWorker(worker: string, reason: string, now: number): Operation<void> {
  const ended = yield* row<{ epoch: number }>(
    'UPDATE worker SET lost = 1 WHERE id = ?1 AND lost = 0 AND invited = 1 RETURNING epoch',
    worker,
  );
  if (!ended) return;
  yield* loseAssignments(worker, ended.epoch + 1, reason, now);
  yield* appendEvents(null, [workerEvent(worker, 'lost', ended.epoch)], now);
}

/**
 * Drains or undrains a worker, within another operation: a draining worker finishes what it holds and takes
 * nothing new.
 */
export function* setWorkerDraining(input: {
  readonly worker: string;
  readonly draining: boolean;
  /** The person who asks for it. */
  readonly actor: string;
  readonly now: number;
}): Operation<void> {
  const { worker, draining, actor, now } = input;
  const found = yield* row<{ epoch: number }>(
    'UPDATE worker SET draining = ?2 WHERE id = ?1 RETURNING epoch',
    worker,
    Number(draining),
  );
  if (!found) return;
  if (draining) yield* untarget(worker);
  yield* appendEvents(null, [workerEvent(worker, draining ? 'draining' : 'open', found.epoch)], now);
  const action = draining ? 'drain' : 'undrain';
  yield* remember([{ actor, kind: 'worker', subject: worker, action }], now);
}

/** All workers that joined and were not forgotten. */
export function* listWorkers(): Operation<readonly WorkerRow[]> {
  return yield* rows<WorkerRow>(`SELECT ${workerColumns} FROM worker ORDER BY id`);
}

/** Task types of workers that are not lost, each distinct set once, as JSON. */
export function* listTaskTypes(): Operation<readonly string[]> {
  const found = yield* rows<{ types: string }>(
    `SELECT task_types AS types FROM worker WHERE lost = 0 GROUP BY task_types ORDER BY min(id)`,
  );
  return found.map(({ types }) => types);
}

/** Loses all assignments of a worker's epochs before `before`, and releases what is meant for it. */
export function* loseAssignments(
  worker: string,
  before: number,
  reason: string,
  now: number,
): Operation<number> {
  const open = yield* rows<AttemptRef>(
    `SELECT ${keyColumns} FROM assignment WHERE worker = ?1 AND worker_epoch < ?2`,
    worker,
    before,
  );
  yield* endLost(open, worker, reason, now);
  yield* untarget(worker);
  return open.length;
}

/** Makes queue rows meant for a worker that takes nothing any more available to all. */
function* untarget(worker: string): Operation<void> {
  yield* change('UPDATE ready SET target = NULL, wished = NULL WHERE target = ?1', worker);
}

/** Ends attempts as lost, but only those still assigned: a report may come first. */
function* endLost(open: readonly AttemptRef[], worker: string, reason: string, now: number): Operation<void> {
  const { rows: lost } = yield* batch<EndedAssignment>(
    {
      sqlite: `DELETE FROM assignment WHERE ${isKey} RETURNING ${endedColumns}`,
      postgres: `DELETE FROM assignment WHERE ${isAmong('assignment')} RETURNING ${endedColumns}`,
    },
    keyTypes,
    inKeyOrder(open).map(keyValues),
  );
  if (lost.length === 0) return;
  const outcomes = lost.map((ref) => lostOutcome(ref, worker, reason, now));
  yield* recordAttempts(attemptRows(outcomes), lost);
  yield* tell(
    lost.map(({ run, task, shard, number }) => ({
      run,
      message: {
        type: 'outcome',
        attempt: { task, shard, number },
        outcome: { state: 'lost', worker, error: reason },
      },
    })),
    now,
  );
  yield* freeLimits(
    lost.filter(({ limited }) => limited === 1),
    now,
  );
}

function workerEvent(
  id: string,
  what: 'joined' | 'lost' | 'left' | 'draining' | 'open' | 'unhealthy' | 'healthy',
  epoch: number,
): FeedEvent {
  return { topic: 'worker', subject: 0, revision: epoch, body: JSON.stringify({ id, what }) };
}
