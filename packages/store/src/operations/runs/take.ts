/** Takes: a worker asks a master for work, and rows move from the queue to its assignments. */
import { fittingAttempts, type Resources, resourcesLeft } from '@orrery/core/queue';
import { batch, change, dialect, type Operation, row, rows, together } from '../../operation.ts';
import { insert } from '../../table.ts';
import { assignmentTable } from '../../tables.ts';
import { checkSelf, type Self } from '../cluster/self.ts';
import { isLive, type WorkerRow } from '../cluster/workers.ts';
import { readWorkerGroups, type WorkerGroupRow } from '../workflows/worker-groups.ts';
import { type AttemptRef, isAmong, isKey, keyColumns, keyTypes, keyValues } from './attempt-key.ts';
import { endWishes, WISH_LASTS } from './ready.ts';

/** An attempt on its way to a worker. */
export interface AssignmentRow extends AttemptRef {
  readonly take: number;
  readonly payload: string;
}

interface Token extends AttemptRef {
  readonly run_priority: number;
  readonly task_priority: number;
  readonly limited: number;
  readonly payload: string;
  readonly queued_at: number;
  readonly cores: number | null;
  readonly memory: number | null;
}

/** An open take of a worker: its number, room and groups. */
export interface OpenTake {
  readonly worker: string;
  readonly epoch: number;
  readonly number: number;
  readonly room: number;
  /** Attempts the worker holds that take no slot, as reported by the worker, like its slots. */
  readonly waiting?: number;
  readonly groups: readonly string[];
}

/** A worker group restricted to projects. */
export type KeptGroup = Pick<WorkerGroupRow, 'name' | 'projects'>;

/** Result of a take; not `found` if the worker was declared lost or has joined again. */
export interface TakeAnswer {
  readonly found: boolean;
  readonly assignments: readonly AssignmentRow[];
  /** Those of the worker's groups that are restricted to projects, with the projects. */
  readonly kept?: readonly KeptGroup[];
}

/**
 * Assigns work: take `number` of this worker moves rows from the queue to its assignments, once. A repeated
 * take returns the same rows; a take that finds nothing is not recorded and stays open.
 */
export function* take(
  input: OpenTake & { readonly self: Self; readonly now: number },
): Operation<TakeAnswer> {
  yield* checkSelf(input.self);
  return yield* giveWork(input, input.now);
}

/** A take within another operation. */
export function* giveWork(input: OpenTake, now: number): Operation<TakeAnswer> {
  const { worker, epoch, number, groups } = input;
  const [found, standing] = yield* together(
    row<Pick<WorkerRow, 'take' | 'slots' | 'draining' | 'unhealthy' | 'cores' | 'memory'>>(
      {
        sqlite: `SELECT take, slots, draining, unhealthy, cores, memory FROM worker WHERE ${isLive}`,
        postgres: `SELECT take, slots, draining, unhealthy, cores, memory FROM worker WHERE ${isLive} FOR UPDATE`,
      },
      worker,
      epoch,
    ),
    // A separate statement after the lock: counting in the locking statement would miss a take it waited for.
    row<{ open: number; avoided: number; meant: number; asking: number; bound: number; wished: number }>(
      `SELECT (SELECT count(*) FROM assignment WHERE worker = ?1 AND worker_epoch = ?2) AS open,
         (SELECT count(*) FROM (SELECT 1 FROM ready WHERE avoid = ?1 LIMIT 1) a) AS avoided,
         (SELECT count(*) FROM (SELECT 1 FROM ready WHERE target = ?1 LIMIT 1) t) AS meant,
         (SELECT count(*) FROM (SELECT 1 FROM ready WHERE wished = 1 AND queued_at <= ?3 LIMIT 1) w) AS wished,
         (SELECT count(*) FROM (SELECT 1 FROM ready WHERE ${asks} LIMIT 1) r) AS asking,
         (SELECT count(*) FROM (SELECT 1 FROM worker_group WHERE projects <> '[]' LIMIT 1) g) AS bound`,
      worker,
      epoch,
      now - WISH_LASTS,
    ),
  );
  if (!found) return { found: false, assignments: [] };
  const kept = standing?.bound ? yield* keptGroups(groups) : undefined;
  if (found.take >= number) {
    const again = yield* rows<AssignmentRow>(
      `SELECT ${keyColumns}, take, payload FROM assignment WHERE worker = ?1 AND worker_epoch = ?2 AND take = ?3`,
      worker,
      epoch,
      number,
    );
    return { found: true, assignments: again, kept };
  }
  const room = Math.min(input.room, found.slots + (input.waiting ?? 0) - (standing?.open ?? 0));
  if (room <= 0 || found.draining === 1 || found.unhealthy !== null) return { found: true, assignments: [] };
  if (standing?.wished) yield* endWishes(now - WISH_LASTS);
  const alone = standing?.avoided ? yield* groupsAlone(worker, groups) : [];
  const conditions = groups.flatMap((group) => [
    ...(standing?.meant ? [{ group, condition: meant }] : []),
    { group, condition: free },
    ...(alone.includes(group) ? [{ group, condition: avoiding }] : []),
  ]);
  const taker = { worker, epoch, number, now };
  const taken = standing?.asking
    ? yield* takeFitting(conditions, room, taker, { cores: found.cores ?? 0, memory: found.memory ?? 0 })
    : yield* takeReady(conditions, room, taker);
  return {
    found: true,
    assignments: taken.map((token) => ({ ...keyed(token), take: number, payload: token.payload })),
    kept,
  };
}

/** Those of the groups that are restricted to projects. */
function* keptGroups(names: readonly string[]): Operation<readonly KeptGroup[]> {
  return (yield* readWorkerGroups({ names })).filter(({ projects }) => projects.length > 0);
}

/** Groups in which no other worker takes work: there, only this worker can run attempts that avoid it. */
function* groupsAlone(worker: string, groups: readonly string[]): Operation<readonly string[]> {
  const others = yield* rows<{ groups: string }>(
    'SELECT groups FROM worker WHERE lost = 0 AND draining = 0 AND unhealthy IS NULL AND id <> ?1',
    worker,
  );
  const served = new Set(others.flatMap((other) => JSON.parse(other.groups) as string[]));
  return groups.filter((group) => !served.has(group));
}

/** The worker and its take. */
interface Taker {
  readonly worker: string;
  readonly epoch: number;
  readonly number: number;
  readonly now: number;
}

/** Takes at most `room` rows, one condition after the other. */
function* takeReady(
  conditions: readonly { readonly group: string; readonly condition: string }[],
  room: number,
  taker: Taker,
): Operation<readonly Token[]> {
  const taken: Token[] = [];
  for (const { group, condition } of conditions) {
    if (taken.length >= room) return taken;
    const moved = yield* move(condition, group, room - taken.length, taker);
    taken.push(...moved.toSorted(inQueueOrder));
  }
  return taken;
}

/** SQL: an attempt asks for cores or memory. */
const asks = '(cores IS NOT NULL OR memory IS NOT NULL)';

/**
 * The same if queued attempts ask for cores or memory. Reads the first rows of each condition and moves those
 * that fit the worker's remaining capacity. While it reserves room for one that does not fit, attempts that
 * ask for nothing may still follow.
 */
function* takeFitting(
  conditions: readonly { readonly group: string; readonly condition: string }[],
  room: number,
  taker: Taker,
  capacity: Resources,
): Operation<readonly Token[]> {
  const used = yield* row<Resources>(
    `SELECT COALESCE(sum(cores), 0) AS cores, COALESCE(sum(memory), 0) AS memory FROM assignment
     WHERE worker = ?1 AND worker_epoch = ?2 AND ${asks}`,
    taker.worker,
    taker.epoch,
  );
  let left = resourcesLeft(capacity, used ?? { cores: 0, memory: 0 });
  const taken: Token[] = [];
  for (const { group, condition } of conditions) {
    const most = room - taken.length;
    if (most <= 0) break;
    const first = yield* rows<AttemptRef & { cores: number | null; memory: number | null }>(
      {
        sqlite: firstReady(condition, `${keyColumns}, cores, memory`),
        postgres: `${firstReady(condition, `${keyColumns}, cores, memory`)} FOR UPDATE SKIP LOCKED`,
      },
      group,
      taker.worker,
      most,
    );
    const wanted = first.map(({ cores, memory, ...key }) => ({
      key,
      cores: cores ?? 0,
      memory: memory ?? 0,
    }));
    const fitting = fittingAttempts(wanted, capacity, left, most);
    for (const asked of fitting.taken) left = resourcesLeft(left, asked);
    taken.push(
      ...(yield* moveKeys(
        fitting.taken.map(({ key }) => key),
        taker,
      )),
    );
    const rest = room - taken.length;
    if (rest > 0 && fitting.taken.length < first.length)
      taken.push(...(yield* move(`${condition} AND NOT ${asks}`, group, rest, taker)).toSorted(inQueueOrder));
  }
  return taken;
}

const meant = 'target = ?2 AND worker_group = ?1';
const free = 'worker_group = ?1 AND target IS NULL AND (avoid IS NULL OR avoid <> ?2)';
const avoiding = 'worker_group = ?1 AND target IS NULL AND avoid = ?2';

/**
 * Moves the first rows of a condition from the queue to a worker's assignments, and counts the take if there
 * are any. Server time per row, in takes of 500: this 6.5 us; by key instead of ctid 8.5; with a separate
 * insert 9.7, and the payload crosses the wire twice.
 */
function* move(condition: string, group: string, most: number, taker: Taker): Operation<readonly Token[]> {
  const { worker, epoch, number, now } = taker;
  const first = (column: string) => firstReady(condition, column);
  if ((yield* dialect()) === 'postgres') {
    return yield* rows<Token>(
      `WITH taken AS (
         DELETE FROM ready WHERE ctid = ANY (ARRAY(${first('ctid')} FOR UPDATE SKIP LOCKED)) RETURNING ${columns}),
       moved AS (
         INSERT INTO assignment (${keyColumns}, worker, worker_epoch, take, killed, limited, payload, queued_at, assigned_at, cores, memory)
         SELECT ${keyColumns}, ?2, ?4::int8, ?5::int8, 0, limited, payload, queued_at, ?6::int8, cores, memory FROM taken),
       counted AS (
         UPDATE worker SET take = ?5::int8 WHERE id = ?2 AND epoch = ?4::int8 AND EXISTS (SELECT 1 FROM taken))
       SELECT ${columns} FROM taken`,
      group,
      worker,
      most,
      epoch,
      number,
      now,
    );
  }
  const taken = yield* rows<Token>(
    `DELETE FROM ready WHERE (${keyColumns}) IN (${first(keyColumns)}) RETURNING ${columns}`,
    group,
    worker,
    most,
  );
  yield* assign(taken, taker);
  return taken;
}

/** Moves those of the rows that are still in the queue. */
function* moveKeys(keys: readonly AttemptRef[], taker: Taker): Operation<readonly Token[]> {
  const { rows: taken } = yield* batch<Token>(
    {
      sqlite: `DELETE FROM ready WHERE ${isKey} RETURNING ${columns}`,
      postgres: `DELETE FROM ready WHERE ${isAmong('ready')} RETURNING ${columns}`,
    },
    keyTypes,
    keys.map(keyValues),
  );
  yield* assign(taken, taker);
  return taken.toSorted(inQueueOrder);
}

/** Assigns taken rows to the worker, and counts the take if there are any. */
function* assign(taken: readonly Token[], { worker, epoch, number, now }: Taker): Operation<void> {
  yield* insert(
    assignmentTable,
    taken.map(({ limited, payload, queued_at, cores, memory, ...token }) => ({
      ...keyed(token),
      worker,
      worker_epoch: epoch,
      take: number,
      killed: 0,
      limited,
      payload,
      queued_at,
      assigned_at: now,
      cores,
      memory,
    })),
  );
  if (taken.length > 0) yield* change(`UPDATE worker SET take = ?3 WHERE ${isLive}`, worker, epoch, number);
}

const columns = `${keyColumns}, run_priority, task_priority, limited, payload, queued_at, cores, memory`;

/** SQL: the first rows of a condition in queue order, at most ?3. */
function firstReady(condition: string, wanted: string): string {
  return `SELECT ${wanted} FROM ready WHERE ${condition}
    ORDER BY run_priority, run, task_priority, task, shard LIMIT ?3`;
}

/** Statements return rows in any order. */
function inQueueOrder(a: Token, b: Token): number {
  return (
    a.run_priority - b.run_priority ||
    a.run - b.run ||
    a.task_priority - b.task_priority ||
    a.task - b.task ||
    a.shard - b.shard
  );
}

function keyed({ run, task, shard, number }: AttemptRef): AttemptRef {
  return { run, task, shard, number };
}
