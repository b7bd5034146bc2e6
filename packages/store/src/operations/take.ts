/** Takes: a worker asks a master for work, and rows move from the queue to its assignments. */
import { change, type Operation, row, rows } from '../operation.ts';
import { insert } from '../table.ts';
import { assignmentTable } from '../tables.ts';
import { type AttemptRef, keyColumns } from './attempt-key.ts';
import { checkSelf, type Self } from './self.ts';
import { isLive } from './workers.ts';

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
}

/** A worker's open take: which one, for how many, of which groups. */
export interface OpenTake {
  readonly worker: string;
  readonly epoch: number;
  readonly number: number;
  readonly room: number;
  readonly groups: readonly string[];
}

/** What a take gave; not `found` when the worker was declared lost or has joined again. */
export interface TakeAnswer {
  readonly found: boolean;
  readonly assignments: readonly AssignmentRow[];
}

/**
 * Gives work: take `number` of this worker moves rows from the queue to its assignments, once. Asked again it gives
 * the same; a take that finds nothing is not recorded and stays open.
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
  const found = yield* row<{ take: number; slots: number; draining: number }>(
    {
      sqlite: `SELECT take, slots, draining FROM worker WHERE ${isLive}`,
      postgres: `SELECT take, slots, draining FROM worker WHERE ${isLive} FOR UPDATE`,
    },
    worker,
    epoch,
  );
  if (!found) return { found: false, assignments: [] };
  if (found.take >= number) {
    const again = yield* rows<AssignmentRow>(
      `SELECT ${keyColumns}, take, payload FROM assignment WHERE worker = ?1 AND worker_epoch = ?2 AND take = ?3`,
      worker,
      epoch,
      number,
    );
    return { found: true, assignments: again };
  }
  // After the lock: counted with it, a take that was waited for would be left out.
  const standing = yield* row<{ open: number; avoided: number }>(
    `SELECT (SELECT count(*) FROM assignment WHERE worker = ?1 AND worker_epoch = ?2) AS open,
       (SELECT count(*) FROM (SELECT 1 FROM ready WHERE avoid = ?1 LIMIT 1) a) AS avoided`,
    worker,
    epoch,
  );
  const room = Math.min(input.room, found.slots - (standing?.open ?? 0));
  if (room <= 0 || found.draining === 1) return { found: true, assignments: [] };
  const alone = standing?.avoided ? yield* groupsAlone(worker, groups) : [];
  const taken = yield* takeReady(worker, groups, alone, room);
  if (taken.length === 0) return { found: true, assignments: [] };
  yield* change(`UPDATE worker SET take = ?3 WHERE ${isLive}`, worker, epoch, number);
  yield* insert(
    assignmentTable,
    taken.map(({ run, task, shard, number: attempt, limited, payload, queued_at }) => ({
      run,
      task,
      shard,
      number: attempt,
      worker,
      worker_epoch: epoch,
      take: number,
      killed: 0,
      limited,
      payload,
      queued_at,
      assigned_at: now,
    })),
  );
  return {
    found: true,
    assignments: taken.map(({ run, task, shard, number: attempt, payload }) => ({
      run,
      task,
      shard,
      number: attempt,
      take: number,
      payload,
    })),
  };
}

/** The groups in which this worker is the only one that takes work: there, nobody else could do what avoids it. */
function* groupsAlone(worker: string, groups: readonly string[]): Operation<readonly string[]> {
  const others = yield* rows<{ groups: string }>(
    'SELECT groups FROM worker WHERE lost = 0 AND draining = 0 AND id <> ?1',
    worker,
  );
  const served = new Set(others.flatMap((other) => JSON.parse(other.groups) as string[]));
  return groups.filter((group) => !served.has(group));
}

/** Takes at most `room` rows: those meant for this worker first, then others that do not avoid it. */
function* takeReady(
  worker: string,
  groups: readonly string[],
  alone: readonly string[],
  room: number,
): Operation<readonly Token[]> {
  const taken: Token[] = [];
  for (const group of groups) {
    for (const text of [meant, free, ...(alone.includes(group) ? [avoiding] : [])]) {
      if (taken.length >= room) return taken;
      const moved = yield* rows<Token>(text, group, worker, room - taken.length);
      taken.push(...moved.toSorted(inQueueOrder));
    }
  }
  return taken;
}

/** The rows of a statement come in any order. */
function inQueueOrder(a: Token, b: Token): number {
  return (
    a.run_priority - b.run_priority ||
    a.run - b.run ||
    a.task_priority - b.task_priority ||
    a.task - b.task ||
    a.shard - b.shard
  );
}

const meant = moving('target = ?2 AND worker_group = ?1');
const free = moving('worker_group = ?1 AND target IS NULL AND (avoid IS NULL OR avoid <> ?2)');
const avoiding = moving('worker_group = ?1 AND target IS NULL AND avoid = ?2');

/** The statement that takes the first `?3` rows of a condition out of the queue. */
function moving(condition: string): { sqlite: string; postgres: string } {
  const first = `SELECT ${keyColumns} FROM ready WHERE ${condition}
    ORDER BY run_priority, run, task_priority, task, shard LIMIT ?3`;
  const returning = `RETURNING ${keyColumns}, run_priority, task_priority, limited, payload, queued_at`;
  return {
    sqlite: `DELETE FROM ready WHERE (${keyColumns}) IN (${first}) ${returning}`,
    postgres: `DELETE FROM ready WHERE (${keyColumns}) IN (${first} FOR UPDATE SKIP LOCKED) ${returning}`,
  };
}
