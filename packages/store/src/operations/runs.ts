/** Runs: claimed by one master, loaded whole, and changed by their owner in batches. */
import type { RunFields, RunRequest, RunRows, Scope, TaskRun } from '@orrery/core/run';
import { Conflict } from '../errors.ts';
import { batch, change, type Operation, row, rows, type Value } from '../operation.ts';
import { insert, unnest } from '../table.ts';
import { eventTable, readyTable, taskRunTable } from '../tables.ts';
import { recordAttempts } from './attempts.ts';
import { type Command, queueCommands } from './commands.ts';
import { type InboxMessage, tell } from './inbox.ts';
import { checkSelf, type Self } from './nodes.ts';

/** An attempt of a run. */
export interface AttemptRef {
  readonly run: number;
  readonly task: number;
  readonly shard: number;
  readonly number: number;
}

/** A row for the ready queue. */
export interface ReadyRow extends AttemptRef {
  readonly workerGroup: string;
  readonly runPriority: number;
  readonly taskPriority: number;
  readonly target?: string;
  readonly avoid?: string;
  /** What the worker gets, as JSON. */
  readonly payload: string;
}

/** An outcome that a worker reported to the run's owner. */
export interface OutcomeRow extends AttemptRef {
  readonly worker: string;
  readonly workerEpoch: number;
  readonly state: string;
  readonly late: boolean;
  readonly startedAt: number | null;
  readonly endedAt: number;
  readonly exitCode: number | null;
  readonly cpuTime: number | null;
  readonly peakMemory: number | null;
  readonly error: string | null;
  readonly logTail: string | null;
}

/** Everything that one decision, or several in a row, change about one run. */
export interface RunChange {
  readonly run: number;
  readonly fields?: RunFields;
  /** Set when the run starts or ends with this change. */
  readonly startedAt?: number;
  readonly endedAt?: number | null;
  readonly tasks: readonly (readonly [index: number, task: TaskRun])[];
  readonly enqueue: readonly ReadyRow[];
  readonly withdraw: readonly (AttemptRef & { readonly kill: boolean })[];
  /** Reported to the owner: recorded once, or the whole change is refused. */
  readonly outcomes: readonly OutcomeRow[];
  /** Inbox rows that this change has dealt with. */
  readonly consumed: readonly number[];
  readonly commands: readonly Command[];
  readonly messages: readonly { readonly run: number; readonly message: InboxMessage }[];
  readonly fact?: {
    readonly workflow: number;
    readonly businessTime: number;
    readonly round: number;
    readonly state: string;
    readonly tasks: string;
  };
  /** The run needs no owner any more: it ended or is parked. */
  readonly release: boolean;
  readonly event: string;
}

/** What a commit found out. */
export interface CommitAnswer {
  /** Attempts that were taken out of the queue, or are nowhere: they end as withdrawn. */
  readonly withdrawn: readonly AttemptRef[];
}

/** A run as it is loaded by its new owner. */
export interface LoadedRun {
  readonly id: number;
  readonly workflow: number;
  readonly version: number;
  readonly kind: string;
  readonly request: RunRequest & { readonly scope: Scope };
  readonly rows: RunRows;
  readonly parent: {
    readonly run: number;
    readonly task: number;
    readonly round: number;
    readonly element: number;
  } | null;
  /** Attempts in the queue or on a worker. */
  readonly alive: readonly AttemptRef[];
  readonly inbox: readonly { readonly seq: number; readonly message: InboxMessage }[];
}

const attemptTypes = ['int', 'int', 'int', 'int'] as const;
const attemptKey = 'run = ?1 AND task = ?2 AND shard = ?3 AND number = ?4';
const joinKey = (table: string) =>
  `${table}.run = k.run AND ${table}.task = k.task AND ${table}.shard = k.shard AND ${table}.number = k.number`;
const keys = (types: readonly ('int' | 'text')[], extra = '') =>
  `${unnest(types)} AS k(run, task, shard, number${extra})`;
const refOf = ({ run, task, shard, number }: AttemptRef): Value[] => [run, task, shard, number];
const keyText = ({ run, task, shard, number }: AttemptRef) => `${run}.${task}.${shard}.${number}`;

/**
 * Commits changes of runs that the caller owns. All or nothing: an outcome whose assignment is gone (the worker was
 * declared lost meanwhile) refuses the batch with the runs it concerns, and their owner rebuilds them.
 */
export function* commitRuns(input: {
  readonly self: Self;
  readonly changes: readonly RunChange[];
  /** Number of the first event of this batch, counted by this writer. */
  readonly eventNumber: number;
  readonly now: number;
}): Operation<CommitAnswer> {
  const { self, changes, eventNumber, now } = input;
  yield* checkSelf(self);
  yield* recordOutcomes(changes.flatMap((entry) => entry.outcomes));
  yield* updateRuns(self, changes);
  yield* insert(
    taskRunTable,
    changes.flatMap(({ run, tasks }) =>
      tasks.map(([task, { pool, state, round, since, ...body }]) => ({
        run,
        task,
        state,
        round,
        since,
        body: JSON.stringify(body),
      })),
    ),
    '(run, task) DO UPDATE SET state = excluded.state, round = excluded.round, since = excluded.since, body = excluded.body',
  );
  yield* insert(
    readyTable,
    changes.flatMap(({ enqueue }) =>
      enqueue.map((ready) => ({
        worker_group: ready.workerGroup,
        run_priority: ready.runPriority,
        run: ready.run,
        task_priority: ready.taskPriority,
        task: ready.task,
        shard: ready.shard,
        number: ready.number,
        target: ready.target ?? null,
        avoid: ready.avoid ?? null,
        payload: ready.payload,
        queued_at: now,
      })),
    ),
  );
  yield* batch(
    {
      sqlite: 'DELETE FROM inbox WHERE seq = ?1',
      postgres: `DELETE FROM inbox WHERE seq IN (SELECT * FROM ${unnest(['int'])})`,
    },
    ['int'],
    changes.flatMap(({ consumed }) => consumed.map((seq) => [seq])),
  );
  yield* queueCommands(
    changes.flatMap(({ commands }) => commands),
    now,
  );
  yield* tell(
    changes.flatMap(({ messages }) => messages),
    now,
  );
  for (const { run, fact } of changes) {
    if (!fact) continue;
    yield* change(
      `INSERT INTO fact (workflow, business_time, run, round, state, tasks, ended_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
       ON CONFLICT DO NOTHING`,
      fact.workflow,
      fact.businessTime,
      run,
      fact.round,
      fact.state,
      fact.tasks,
      now,
    );
  }
  yield* insert(
    eventTable,
    changes.map(({ run, event }, k) => ({
      node: self.node,
      epoch: self.epoch,
      n: eventNumber + k,
      topic: 'run',
      subject: run,
      revision: eventNumber + k,
      body: event,
      created_at: now,
    })),
  );
  const withdrawn = yield* withdraw(changes.flatMap((entry) => entry.withdraw));
  return { withdrawn };
}

/** Claims runs without an owner that have something in their inbox, oldest message first. */
export function* claimInboxes(input: {
  readonly self: Self;
  readonly limit: number;
}): Operation<readonly { run: number }[]> {
  const { self, limit } = input;
  yield* checkSelf(self);
  return yield* rows<{ run: number }>(
    {
      sqlite: `UPDATE run SET owner = ?1, owner_epoch = ?2 WHERE id IN (
          SELECT r.id FROM inbox i JOIN run r ON r.id = i.run WHERE r.owner IS NULL GROUP BY r.id ORDER BY min(i.seq) LIMIT ?3)
        RETURNING id AS run`,
      postgres: `UPDATE run SET owner = ?1, owner_epoch = ?2 WHERE id IN (
          SELECT r.id FROM run r WHERE r.owner IS NULL AND EXISTS (SELECT 1 FROM inbox i WHERE i.run = r.id)
          LIMIT ?3 FOR UPDATE SKIP LOCKED)
        RETURNING id AS run`,
    },
    self.node,
    self.epoch,
    limit,
  );
}

/** Everything about runs that their owner needs to go on with them. */
export function* loadRuns({ runs }: { readonly runs: readonly number[] }): Operation<LoadedRun[]> {
  const loaded: LoadedRun[] = [];
  for (const id of runs) {
    const found = yield* row<{
      workflow: number;
      version: number;
      kind: string;
      request: string;
      fields: string;
      parent: number | null;
      parent_task: number;
      parent_round: number;
      parent_element: number;
    }>(
      `SELECT workflow, version, kind, request, fields, parent, parent_task, parent_round, parent_element FROM run WHERE id = ?1`,
      id,
    );
    if (!found) continue;
    const tasks = yield* rows<{
      task: number;
      state: TaskRun['state'];
      round: number;
      since: number;
      body: string;
    }>('SELECT task, state, round, since, body FROM task_run WHERE run = ?1 ORDER BY task', id);
    const alive = yield* rows<AttemptRef>(
      `SELECT run, task, shard, number FROM ready WHERE run = ?1
       UNION ALL SELECT run, task, shard, number FROM assignment WHERE run = ?1`,
      id,
    );
    const inbox = yield* rows<{ seq: number; body: string }>(
      'SELECT seq, body FROM inbox WHERE run = ?1 ORDER BY seq',
      id,
    );
    loaded.push({
      id,
      workflow: found.workflow,
      version: found.version,
      kind: found.kind,
      request: JSON.parse(found.request),
      rows: {
        fields: JSON.parse(found.fields),
        tasks: tasks.map(({ task, state, round, since, body }) => [
          task,
          { ...JSON.parse(body), state, round, since },
        ]),
      },
      parent:
        found.parent === null
          ? null
          : {
              run: found.parent,
              task: found.parent_task,
              round: found.parent_round,
              element: found.parent_element,
            },
      alive,
      inbox: inbox.map(({ seq, body }) => ({ seq, message: JSON.parse(body) })),
    });
  }
  return loaded;
}

/** The inboxes of the runs that a master owns, in order. */
export function* readInboxes({
  self,
}: {
  readonly self: Self;
}): Operation<{ run: number; seq: number; message: InboxMessage }[]> {
  const found = yield* rows<{ run: number; seq: number; body: string }>(
    `SELECT i.run, i.seq, i.body FROM inbox i JOIN run r ON r.id = i.run
     WHERE r.owner = ?1 AND r.owner_epoch = ?2 ORDER BY i.seq LIMIT 1000`,
    self.node,
    self.epoch,
  );
  return found.map(({ run, seq, body }) => ({ run, seq, message: JSON.parse(body) }));
}

/** Records outcomes once: each takes its assignment away, or the batch is refused. */
function* recordOutcomes(outcomes: readonly OutcomeRow[]): Operation<void> {
  const counted = outcomes.filter(({ late }) => !late);
  const types = [...attemptTypes, 'text', 'int'] as const;
  const { rows: gone } = yield* batch<AttemptRef>(
    {
      sqlite: `DELETE FROM assignment WHERE ${attemptKey} AND worker = ?5 AND worker_epoch = ?6 RETURNING run, task, shard, number`,
      postgres: `DELETE FROM assignment a USING ${keys(types, ', worker, worker_epoch')}
        WHERE ${joinKey('a')} AND a.worker = k.worker AND a.worker_epoch = k.worker_epoch
        RETURNING a.run, a.task, a.shard, a.number`,
    },
    types,
    counted.map((outcome) => [...refOf(outcome), outcome.worker, outcome.workerEpoch]),
  );
  if (gone.length < counted.length) {
    const recorded = new Set(gone.map(keyText));
    const missing = counted.filter((outcome) => !recorded.has(keyText(outcome))).map(({ run }) => run);
    throw Object.assign(new Conflict(`assignments are gone of runs ${missing.join(', ')}`), {
      runs: missing,
    });
  }
  yield* recordAttempts(outcomes, false);
}

function* updateRuns(self: Self, changes: readonly RunChange[]): Operation<void> {
  const changed = changes.filter(({ fields, release }) => fields !== undefined || release);
  const types = ['int', 'text', 'int', 'text', 'text', 'int', 'int', 'int', 'int'] as const;
  const { changed: count } = yield* batch(
    {
      sqlite: `UPDATE run SET state = COALESCE(?4, state), fields = COALESCE(?5, fields), revision = revision + 1,
          started_at = COALESCE(started_at, ?6), ended_at = CASE WHEN ?7 = 1 THEN ?8 ELSE ended_at END,
          owner = CASE WHEN ?9 = 1 THEN NULL ELSE owner END, owner_epoch = CASE WHEN ?9 = 1 THEN NULL ELSE owner_epoch END
        WHERE id = ?1 AND owner = ?2 AND owner_epoch = ?3`,
      postgres: `UPDATE run r SET state = COALESCE(k.state, r.state), fields = COALESCE(k.fields, r.fields), revision = r.revision + 1,
          started_at = COALESCE(r.started_at, k.started_at),
          ended_at = CASE WHEN k.ending = 1 THEN k.ended_at ELSE r.ended_at END,
          owner = CASE WHEN k.release = 1 THEN NULL ELSE r.owner END,
          owner_epoch = CASE WHEN k.release = 1 THEN NULL ELSE r.owner_epoch END
        FROM ${unnest(types)} AS k(id, owner, owner_epoch, state, fields, started_at, ending, ended_at, release)
        WHERE r.id = k.id AND r.owner = k.owner AND r.owner_epoch = k.owner_epoch`,
    },
    types,
    changed.map(({ run, fields, startedAt, endedAt, release }) => [
      run,
      self.node,
      self.epoch,
      fields?.state ?? null,
      fields ? JSON.stringify(fields) : null,
      startedAt ?? null,
      endedAt === undefined ? 0 : 1,
      endedAt ?? null,
      Number(release),
    ]),
  );
  if (count < changed.length) {
    throw Object.assign(new Conflict('some runs of this batch are no longer owned'), {
      runs: changed.map(({ run }) => run),
    });
  }
}

/** Takes attempts out of the queue; where a worker has one already, marks it to be killed. */
function* withdraw(list: readonly (AttemptRef & { readonly kill: boolean })[]): Operation<AttemptRef[]> {
  if (list.length === 0) return [];
  const { rows: taken } = yield* batch<AttemptRef>(
    {
      sqlite: `DELETE FROM ready WHERE ${attemptKey} RETURNING run, task, shard, number`,
      postgres: `DELETE FROM ready r USING ${keys(attemptTypes)} WHERE ${joinKey('r')} RETURNING r.run, r.task, r.shard, r.number`,
    },
    attemptTypes,
    list.map(refOf),
  );
  const out = new Set(taken.map(keyText));
  const rest = list.filter((entry) => !out.has(keyText(entry)));
  // In a later statement, so that one taken meanwhile is seen as an assignment.
  const types = [...attemptTypes, 'int'] as const;
  const { rows: assigned } = yield* batch<AttemptRef>(
    {
      sqlite: `UPDATE assignment SET killed = max(killed, ?5) WHERE ${attemptKey} RETURNING run, task, shard, number`,
      postgres: `UPDATE assignment a SET killed = greatest(a.killed, k.killed) FROM ${keys(types, ', killed')} WHERE ${joinKey('a')}
        RETURNING a.run, a.task, a.shard, a.number`,
    },
    types,
    rest.map((entry) => [...refOf(entry), Number(entry.kill)]),
  );
  const held = new Set(assigned.map(keyText));
  return [...taken, ...rest.filter((entry) => !held.has(keyText(entry)))];
}
