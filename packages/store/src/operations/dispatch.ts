/** Between queue and worker: takes, reports that come to a master that does not own the run, beats and losses. */
import type { Outcome } from '@orrery/core/run';
import { batch, change, type Operation, row, rows, type Value } from '../operation.ts';
import { insert, unnest } from '../table.ts';
import { assignmentTable } from '../tables.ts';
import { recordAttempts } from './attempts.ts';
import { tell } from './inbox.ts';
import { checkSelf, type Self } from './nodes.ts';
import type { AttemptRef, OutcomeRow } from './runs.ts';

/** A worker, and which of its lives. */
export interface WorkerRef {
  readonly worker: string;
  readonly epoch: number;
}

/** An attempt on its way to a worker. */
export interface AssignmentRow extends AttemptRef {
  readonly take: number;
  readonly payload: string;
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
  readonly groups: string;
  readonly draining: number;
}

const workerColumns = 'id, address, epoch, lost, take, beat, beat_at AS "beatAt", slots, groups, draining';
const live = 'id = ?1 AND epoch = ?2 AND lost = 0';

/** A worker joins: a new epoch. What its earlier life still held is lost. */
export function* joinWorker(input: {
  readonly self: Self;
  readonly worker: string;
  readonly address: string;
  readonly slots: number;
  readonly groups: readonly string[];
  readonly now: number;
}): Operation<{ epoch: number }> {
  const { self, worker, address, slots, groups, now } = input;
  yield* checkSelf(self);
  const joined = yield* row<{ epoch: number }>(
    `INSERT INTO worker (id, address, epoch, lost, take, beat, beat_at, joined_at, slots, groups, draining, load)
     VALUES (?1, ?2, 1, 0, 0, 0, ?3, ?3, ?4, ?5, 0, '{}')
     ON CONFLICT (id) DO UPDATE SET address = excluded.address, epoch = worker.epoch + 1, lost = 0, take = 0, beat = 0,
       beat_at = excluded.beat_at, joined_at = excluded.joined_at, slots = excluded.slots, groups = excluded.groups
     RETURNING epoch`,
    worker,
    address,
    now,
    slots,
    JSON.stringify(groups),
  );
  const epoch = joined?.epoch ?? 1;
  yield* loseAssignments(worker, epoch, `worker ${worker} started again`, now);
  return { epoch };
}

/**
 * Gives work: take `number` of this worker moves rows from the queue to its assignments, once. Asked again it gives
 * the same; a take that finds nothing is not recorded and stays open.
 */
export function* take(input: {
  readonly self: Self;
  readonly worker: string;
  readonly epoch: number;
  readonly number: number;
  readonly room: number;
  readonly groups: readonly string[];
  readonly now: number;
}): Operation<{ found: boolean; assignments: readonly AssignmentRow[] }> {
  const { self, worker, epoch, number, groups, now } = input;
  yield* checkSelf(self);
  const found = yield* row<{ take: number; slots: number; draining: number }>(
    {
      sqlite: `SELECT take, slots, draining FROM worker WHERE ${live}`,
      postgres: `SELECT take, slots, draining FROM worker WHERE ${live} FOR UPDATE`,
    },
    worker,
    epoch,
  );
  if (!found) return { found: false, assignments: [] };
  if (found.take >= number) {
    const again = yield* rows<AssignmentRow>(
      `SELECT run, task, shard, number, take, payload FROM assignment WHERE worker = ?1 AND worker_epoch = ?2 AND take = ?3`,
      worker,
      epoch,
      number,
    );
    return { found: true, assignments: again };
  }
  const open = yield* row<{ count: number }>(
    'SELECT count(*) AS count FROM assignment WHERE worker = ?1 AND worker_epoch = ?2',
    worker,
    epoch,
  );
  const room = Math.min(input.room, found.slots - (open?.count ?? 0));
  if (room <= 0 || found.draining === 1) return { found: true, assignments: [] };
  const taken = yield* takeReady(worker, groups, room);
  if (taken.length === 0) return { found: true, assignments: [] };
  yield* change(`UPDATE worker SET take = ?3 WHERE ${live}`, worker, epoch, number);
  yield* insert(
    assignmentTable,
    taken.map(({ queued_at, payload, ...ref }) => ({
      ...ref,
      worker,
      worker_epoch: epoch,
      take: number,
      killed: 0,
      payload,
      queued_at,
      assigned_at: now,
    })),
  );
  return { found: true, assignments: taken.map(({ queued_at, ...rest }) => ({ ...rest, take: number })) };
}

/**
 * A worker beats: its lease goes on once this is committed. An assignment of a take it has received which it does
 * not hold is lost. Answers which of those it holds are to be killed, or that it is no longer welcome.
 */
export function* beatWorker(input: {
  readonly self: Self;
  readonly worker: string;
  readonly epoch: number;
  readonly take: number;
  readonly held: readonly AttemptRef[];
  readonly load: Readonly<Record<string, number>>;
  readonly now: number;
}): Operation<{ welcome: boolean; kill: readonly AttemptRef[] }> {
  const { self, worker, epoch, held, now } = input;
  yield* checkSelf(self);
  const changed = yield* change(
    `UPDATE worker SET beat = beat + 1, beat_at = ?3, load = ?4 WHERE ${live}`,
    worker,
    epoch,
    now,
    JSON.stringify(input.load),
  );
  if (changed === 0) return { welcome: false, kill: [] };
  const open = yield* rows<AttemptRef & { take: number; killed: number }>(
    'SELECT run, task, shard, number, take, killed FROM assignment WHERE worker = ?1 AND worker_epoch = ?2',
    worker,
    epoch,
  );
  const has = new Set(held.map(refText));
  const missing = open.filter((entry) => entry.take <= input.take && !has.has(refText(entry)));
  yield* endLost(missing, worker, `worker ${worker} does not have it`, now);
  return { welcome: true, kill: open.filter((entry) => entry.killed === 1 && has.has(refText(entry))) };
}

/** Declares a silent worker lost, if its beat has not changed since it was seen; its attempts are lost with it. */
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
    `UPDATE worker SET lost = 1 WHERE ${live} AND beat = ?3`,
    worker,
    epoch,
    beat,
  );
  if (changed === 0) return { lost: false };
  yield* loseAssignments(worker, epoch + 1, `worker ${worker} was lost`, now);
  return { lost: true };
}

/** A worker leaves in good order. */
export function* leaveWorker({
  self,
  worker,
  epoch,
  now,
}: { readonly self: Self; readonly now: number } & WorkerRef): Operation<void> {
  yield* checkSelf(self);
  yield* change(`UPDATE worker SET lost = 1 WHERE ${live}`, worker, epoch);
  yield* loseAssignments(worker, epoch + 1, `worker ${worker} left`, now);
}

/** Reports for runs that another master owns, or nobody: recorded once, and told to the owner. */
export function* recordElsewhere(input: {
  readonly self: Self;
  readonly reports: readonly (OutcomeRow & { readonly outcome: Outcome })[];
  readonly now: number;
}): Operation<{ owners: readonly { readonly run: number; readonly owner: string | null }[] }> {
  const { self, reports, now } = input;
  yield* checkSelf(self);
  const owners: { run: number; owner: string | null }[] = [];
  for (const report of reports) {
    const gone = yield* change(
      `DELETE FROM assignment WHERE run = ?1 AND task = ?2 AND shard = ?3 AND number = ?4 AND worker = ?5 AND worker_epoch = ?6`,
      report.run,
      report.task,
      report.shard,
      report.number,
      report.worker,
      report.workerEpoch,
    );
    yield* recordAttempts([report], gone === 0);
    if (gone === 0) continue;
    const { task, shard, number } = report;
    yield* tell(
      [
        {
          run: report.run,
          message: { type: 'outcome', attempt: { task, shard, number }, outcome: report.outcome },
        },
      ],
      now,
    );
    const found = yield* row<{ owner: string | null }>('SELECT owner FROM run WHERE id = ?1', report.run);
    owners.push({ run: report.run, owner: found?.owner ?? null });
  }
  return { owners };
}

/** Every worker ever joined. */
export function* listWorkers(): Operation<readonly WorkerRow[]> {
  return yield* rows<WorkerRow>(`SELECT ${workerColumns} FROM worker ORDER BY id`);
}

/** Takes at most `room` rows: those meant for this worker first, then others that do not avoid it. */
function* takeReady(
  worker: string,
  groups: readonly string[],
  room: number,
): Operation<readonly (AttemptRef & { payload: string; queued_at: number })[]> {
  const columns = 'run, task, shard, number, payload, queued_at';
  const order = 'ORDER BY run_priority, run, task_priority, task, shard';
  const taken: (AttemptRef & { payload: string; queued_at: number })[] = [];
  const where = (condition: string): { sqlite: string; postgres: string } => ({
    sqlite: `DELETE FROM ready WHERE rowid IN (SELECT rowid FROM ready WHERE ${condition} ${order} LIMIT ?3) RETURNING ${columns}`,
    postgres: `DELETE FROM ready WHERE (run, task, shard, number) IN (
      SELECT run, task, shard, number FROM ready WHERE ${condition} ${order} LIMIT ?3 FOR UPDATE SKIP LOCKED) RETURNING ${columns}`,
  });
  for (const group of groups) {
    if (taken.length < room) {
      taken.push(
        ...(yield* rows<(typeof taken)[number]>(
          where('target = ?2 AND worker_group = ?1'),
          group,
          worker,
          room - taken.length,
        )),
      );
    }
    if (taken.length < room) {
      const free = 'worker_group = ?1 AND target IS NULL AND (avoid IS NULL OR avoid <> ?2)';
      taken.push(...(yield* rows<(typeof taken)[number]>(where(free), group, worker, room - taken.length)));
    }
  }
  return taken;
}

/** All assignments of a worker's epochs before `before` are lost, and nothing is meant for it any more. */
function* loseAssignments(worker: string, before: number, reason: string, now: number): Operation<void> {
  const open = yield* rows<AttemptRef>(
    'SELECT run, task, shard, number FROM assignment WHERE worker = ?1 AND worker_epoch < ?2',
    worker,
    before,
  );
  yield* endLost(open, worker, reason, now);
  yield* change('UPDATE ready SET target = NULL WHERE target = ?1', worker);
}

function* endLost(lost: readonly AttemptRef[], worker: string, reason: string, now: number): Operation<void> {
  if (lost.length === 0) return;
  yield* batch(
    {
      sqlite: 'DELETE FROM assignment WHERE run = ?1 AND task = ?2 AND shard = ?3 AND number = ?4',
      postgres: `DELETE FROM assignment a USING ${unnest(['int', 'int', 'int', 'int'])} AS k(run, task, shard, number)
        WHERE a.run = k.run AND a.task = k.task AND a.shard = k.shard AND a.number = k.number`,
    },
    ['int', 'int', 'int', 'int'],
    lost.map(({ run, task, shard, number }): Value[] => [run, task, shard, number]),
  );
  yield* recordAttempts(
    lost.map((ref) => ({
      ...ref,
      worker,
      workerEpoch: 0,
      state: 'lost',
      late: false,
      startedAt: null,
      endedAt: now,
      exitCode: null,
      cpuTime: null,
      peakMemory: null,
      error: reason,
      logTail: null,
    })),
    false,
  );
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
}

function refText({ run, task, shard, number }: AttemptRef): string {
  return `${run}.${task}.${shard}.${number}`;
}
