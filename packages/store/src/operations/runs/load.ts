/** Loads complete runs, for their new owner. */
import type { GivenParameters, RunRequest, RunRows, Scope, TaskRun } from '@orrery/core/run';
import { BadEntry } from '../../errors.ts';
import { batch, type Operation } from '../../operation.ts';
import { readJson } from '../../stored.ts';
import type { Self } from '../cluster/self.ts';
import { type AttemptRef, keyColumns } from './attempt-key.ts';
import { givenTo } from './given-parameters.ts';
import { type InboxMessage, messageOf } from './inbox.ts';

/** A run as its new owner loads it. */
export interface LoadedRun {
  readonly id: number;
  readonly workflow: number;
  readonly version: number;
  readonly kind: string;
  readonly owner: string;
  readonly ownerEpoch: number;
  readonly revision: number;
  readonly request: RunRequest & { readonly scope: Scope; readonly admission?: object };
  readonly rows: RunRows;
  /** Parameters of the run's project for a round that begins now. */
  readonly given?: GivenParameters;
  readonly parent: {
    readonly run: number;
    readonly task: number;
    readonly round: number;
    readonly element: number;
  } | null;
  /** Attempts in a wait list, in the queue or on a worker. */
  readonly alive: readonly AttemptRef[];
  readonly inbox: readonly { readonly seq: number; readonly message: InboxMessage }[];
}

interface StoredRun {
  readonly id: number;
  readonly workflow: number;
  readonly version: number;
  readonly kind: string;
  readonly project: string;
  readonly owner: string;
  readonly owner_epoch: number;
  readonly revision: number;
  readonly request: string;
  readonly fields: string;
  readonly parent: number | null;
  readonly parent_task: number;
  readonly parent_round: number;
  readonly parent_element: number;
}

interface StoredTask {
  readonly run: number;
  readonly task: number;
  readonly state: TaskRun['state'];
  readonly round: number;
  readonly since: number;
  readonly body: string;
}

/**
 * Everything the owner needs to continue runs, in the order asked. Runs without an owner are left out and,
 * with `self`, those of other owners: after a lost answer, the caller may have lost runs. Throws `BadEntry`
 * with the id of the first unreadable run, which can only be set aside.
 */
export function* loadRuns(input: {
  readonly runs: readonly number[];
  readonly self?: Self;
}): Operation<LoadedRun[]> {
  const { runs, self } = input;
  const found = yield* perRun<StoredRun>(
    runs,
    (is) =>
      `SELECT id, workflow, version, kind, project, owner, owner_epoch, revision, request, fields, parent, parent_task, parent_round,
         parent_element FROM run WHERE id ${is} AND owner IS NOT NULL`,
  );
  const tasks = yield* perRun<StoredTask>(
    runs,
    (is) => `SELECT run, task, state, round, since, body FROM task_run WHERE run ${is} ORDER BY run, task`,
  );
  // One statement, so that a moving token is seen once; before the inbox, so that an ended attempt is in one
  // of the two.
  const alive = yield* perRun<AttemptRef>(
    runs,
    (is) =>
      `SELECT ${keyColumns} FROM ready WHERE run ${is} UNION ALL SELECT ${keyColumns} FROM assignment WHERE run ${is}
       UNION ALL SELECT ${keyColumns} FROM limit_wait WHERE run ${is} AND task >= 0`,
  );
  const inbox = yield* perRun<{ run: number; seq: number; body: string }>(
    runs,
    (is) => `SELECT run, seq, body FROM inbox WHERE run ${is} ORDER BY run, seq`,
  );
  const given = yield* givenTo(found.map(({ project }) => project));
  const tasksOf = Map.groupBy(tasks, ({ run }) => run);
  const aliveOf = Map.groupBy(alive, ({ run }) => run);
  const inboxOf = Map.groupBy(inbox, ({ run }) => run);
  const byId = new Map(found.map((run) => [run.id, run]));
  return runs.flatMap((id) => {
    const run = byId.get(id);
    if (!run || (self && (run.owner !== self.node || run.owner_epoch !== self.epoch))) return [];
    const rest = { tasks: tasksOf.get(id), alive: aliveOf.get(id), inbox: inboxOf.get(id) };
    try {
      return [{ ...loadedRun(run, rest), given: given.get(run.project) }];
    } catch (error) {
      throw error instanceof BadEntry ? new BadEntry(error.message, id) : error;
    }
  });
}

interface Rest {
  readonly tasks?: readonly StoredTask[];
  readonly alive?: readonly AttemptRef[];
  readonly inbox?: readonly { readonly seq: number; readonly body: string }[];
}

function loadedRun(run: StoredRun, { tasks = [], alive = [], inbox = [] }: Rest): LoadedRun {
  return {
    id: run.id,
    workflow: run.workflow,
    version: run.version,
    kind: run.kind,
    owner: run.owner,
    ownerEpoch: run.owner_epoch,
    revision: run.revision,
    request: readJson(run.request, 'what it was started with'),
    rows: {
      fields: readJson(run.fields, 'its state'),
      tasks: tasks.map(({ task, state, round, since, body }) => [
        task,
        { ...readJson<TaskRun>(body, `task ${task + 1}`), state, round, since },
      ]),
    },
    parent: parentOf(run),
    alive,
    inbox: inbox.map(({ seq, body }) => ({ seq, message: messageOf(body) })),
  };
}

/** One statement for all runs on PostgreSQL, one per run on SQLite. */
function* perRun<T>(runs: readonly number[], text: (is: string) => string): Operation<readonly T[]> {
  const { rows } = yield* batch<T>(
    { sqlite: text('= ?1'), postgres: text('= ANY (?1::int8[])') },
    ['int'],
    runs.map((run) => [run]),
  );
  return rows;
}

function parentOf(run: StoredRun): LoadedRun['parent'] {
  if (run.parent === null) return null;
  return { run: run.parent, task: run.parent_task, round: run.parent_round, element: run.parent_element };
}
