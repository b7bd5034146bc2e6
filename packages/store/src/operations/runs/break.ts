/**
 * Sets aside a run that its owner can neither rebuild nor decide about, because some of its data is bad. None
 * of its data is trusted: unreadable values are rebuilt from other columns. People can then inspect the run
 * and, if its plan still exists, resume it.
 */
import {
  countsAsRun,
  fingerprint,
  type RunFields,
  type RunRequest,
  type Scope,
  setAside,
  type TaskRun,
} from '@orrery/core/run';
import { isFinal, move, type RunState, runMachine, taskMachine } from '@orrery/core/state';
import { change, type Operation, row, rows } from '../../operation.ts';
import { readOr } from '../../stored.ts';
import { insert } from '../../table.ts';
import { factTable, taskRunTable } from '../../tables.ts';
import { checkSelf, type Self } from '../cluster/self.ts';
import { freeLimits, runHolder } from '../limits/admission.ts';
import { type HistoryEntry, remember } from '../lists/history.ts';
import { type AttemptRef, keyColumns } from './attempt-key.ts';
import { plainRequest } from './created-run.ts';
import { appendEvents } from './feed.ts';
import { type InboxMessage, messageOf, tell } from './inbox.ts';
import { tellControls } from './reopen.ts';
import { standingOf } from './standing.ts';
import { endingRow, queueEndings } from './triggers.ts';
import { withdraw } from './withdraw.ts';

/** What follows after a run was set aside. */
export interface BrokenRun {
  readonly state: RunState;
  readonly workflow: number;
  /** Attempts on workers that must stop. */
  readonly killed: readonly AttemptRef[];
  /** Endings that wait for triggers. */
  readonly triggered: number;
}

interface StoredRun {
  readonly workflow: number;
  readonly project: string;
  readonly name: string;
  readonly kind: string;
  readonly state: string;
  readonly priority: number;
  readonly request: string;
  readonly fields: string;
  readonly revision: number;
  readonly business_time: number;
  readonly parent: number | null;
  readonly parent_task: number;
  readonly parent_round: number;
  readonly parent_element: number;
  readonly created_at: number;
  readonly started_at: number | null;
}

interface StoredTask {
  readonly task: number;
  readonly state: string;
  readonly round: number;
  readonly since: number;
  readonly attempt: number;
  readonly body: string;
}

/**
 * Sets a run of this master aside and releases it; undefined if another master owns it. A run that has ended
 * keeps its end: its messages are dropped, and each requested control is refused with a reason.
 */
export function* breakRun(input: {
  readonly self: Self;
  readonly run: number;
  readonly reason: string;
  readonly now: number;
}): Operation<BrokenRun | undefined> {
  const { self, run, now } = input;
  const reason = input.reason.slice(0, MOST_TEXT);
  yield* checkSelf(self);
  const select = `SELECT workflow, project, name, kind, state, priority, request, fields, revision, business_time, parent,
    parent_task, parent_round, parent_element, created_at, started_at FROM run WHERE id = ?1 AND owner = ?2 AND owner_epoch = ?3`;
  const found = yield* row<StoredRun>(
    { sqlite: select, postgres: `${select} FOR UPDATE` },
    run,
    self.node,
    self.epoch,
  );
  if (!found) return undefined;
  const told = (yield* rows<{ body: string }>('DELETE FROM inbox WHERE run = ?1 RETURNING body', run)).map(
    ({ body }) => messageOf(body),
  );
  const stored = yield* rows<StoredTask>(
    'SELECT task, state, round, since, attempt, body FROM task_run WHERE run = ?1 ORDER BY task',
    run,
  );
  const unreadable = stored.filter((one) => !taskOf(one));
  const mended = new Map(unreadable.map((one) => [one.task, remade(one, reason)]));
  const tasks = stored.flatMap((one) => {
    const task = mended.get(one.task) ?? taskOf(one);
    return task ? [[one.task, task] as const] : [];
  });
  const fields = fieldsOf(
    found,
    stored.reduce((last, { round }) => Math.max(last, round), 1),
  );
  const over = isFinal(runMachine, fields.state);
  const asked = told.filter((message) => message.type === 'control');
  // Stopping a broken run needs no plan.
  const stopped = fields.state === 'broken' && asked.some(({ control }) => control.type === 'stop');
  const ended = stopped ? { ...fields, state: move(runMachine, fields.state, 'stop'), since: now } : fields;
  const aside = over ? { fields: ended, tasks: [] } : setAside({ fields, tasks }, reason, now);
  const { state, round } = aside.fields;
  yield* writeTasks(run, new Map([...mended, ...aside.tasks]));
  const request = requestOf(run, found);
  yield* change(
    `UPDATE run SET state = ?2, fields = ?3, request = ?4, standing = ?5, revision = revision + 1, owner = NULL, owner_epoch = NULL,
       ended_at = COALESCE(ended_at, ?6), error = CASE WHEN ended_at IS NULL THEN ?7 ELSE error END,
       fingerprint = CASE WHEN ended_at IS NULL THEN ?8 ELSE fingerprint END WHERE id = ?1`,
    run,
    state,
    JSON.stringify(aside.fields),
    JSON.stringify(request),
    standingOf(state),
    now,
    reason,
    fingerprint(reason),
  );
  const { killed, limited } = over ? { killed: [], limited: [] } : yield* letGo(run, now);
  yield* freeLimits([...limited, runHolder(run)], now);
  if (found.parent !== null && (!over || isAwaited(told)))
    yield* tell([{ run: found.parent, message: parentMessage(run, found, state) }], now);
  const entry = { kind: 'run', subject: String(run), body: { reason, round } } as const;
  const history: HistoryEntry[] = asked.map(({ by, control }) => ({
    ...entry,
    actor: by,
    action: `${control.type}-${stopped && control.type === 'stop' ? 'done' : 'refused'}`,
  }));
  if (!over) history.push({ ...entry, actor: self.node, action: 'broken' });
  yield* remember(history, now);
  const triggered = over ? 0 : yield* tellEnd({ run, round, state }, found, request, now);
  const { workflow, parent } = found;
  const event = { state, workflow, parent: parent ?? undefined, tasks: aside.tasks.map(([i]) => i) };
  yield* appendEvents(
    self,
    [{ topic: 'run', subject: run, revision: found.revision + 1, body: JSON.stringify(event) }],
    now,
  );
  return { state, workflow, killed, triggered };
}

/** Whether a parent may be waiting for the effect of a message to an ended run. */
function isAwaited(told: readonly InboxMessage[]): boolean {
  return told.some(
    (message) => message.type === 'unreadable' || (message.type === 'control' && message.by === 'parent'),
  );
}

/** Limit of a reason's length. */
const MOST_TEXT = 1_000;

/** The readable part of a JSON text. */
function read<T extends object>(text: string): Partial<T> {
  return readOr<Partial<T>>(text, {});
}

function fieldsOf({ fields, state, created_at, started_at }: StoredRun, round: number): RunFields {
  const at = started_at ?? created_at;
  return {
    since: at,
    round,
    roundKind: 'start',
    roundStarted: at,
    picked: [],
    params: {},
    ...read<RunFields>(fields),
    state: Object.hasOwn(runMachine.transitions, state) ? (state as RunState) : 'running',
  };
}

type Request = RunRequest & { readonly scope: Scope };

function requestOf(id: number, { request, business_time, ...run }: StoredRun): Request {
  return { ...plainRequest({ ...run, businessTime: business_time }), ...read<Request>(request), id };
}

/** A task run as stored. */
function taskOf({ state, round, since, body }: StoredTask): TaskRun | undefined {
  const { shards, ...rest } = read<TaskRun>(body);
  const isWhole = Array.isArray(shards) && shards.every((line) => Number.isSafeInteger(line?.attempt));
  if (!isWhole || !Object.hasOwn(taskMachine.transitions, state)) return undefined;
  return { ...rest, shards, state: state as TaskRun['state'], round, since };
}

/** Replaces an unreadable task run from its columns: attempt numbers must continue. */
function remade({ state, round, since, attempt }: StoredTask, reason: string): TaskRun {
  const known = Object.hasOwn(taskMachine.transitions, state) ? (state as TaskRun['state']) : 'killed';
  const line = { state: known === 'success' || known === 'failed' ? known : 'killed', attempt } as const;
  const shards = attempt > 0 ? [{ ...line, failures: 0, lost: 0 }] : [];
  return { state: known, round, since, shards, reason };
}

function* writeTasks(run: number, tasks: ReadonlyMap<number, TaskRun>): Operation<void> {
  yield* insert(
    taskRunTable,
    [...tasks].map(([task, { state, round, since, ...body }]) => ({
      run,
      task,
      state,
      round,
      since,
      body: JSON.stringify(body),
      attempt: body.shards.reduce((most, { attempt }) => Math.max(most, attempt), 0),
    })),
    '(run, task) DO UPDATE SET state = excluded.state, since = excluded.since, body = excluded.body',
  );
}

/** Ends everything the run has in flight: calls its attempts back, closes its waits, stops its children. */
function* letGo(
  run: number,
  now: number,
): Operation<{ readonly killed: readonly AttemptRef[]; readonly limited: readonly AttemptRef[] }> {
  for (const table of ['dependency_on', 'dependency_wait', 'approval_link', 'approval'])
    yield* change(`DELETE FROM ${table} WHERE run = ?1`, run);
  const open = yield* rows<AttemptRef>(
    `SELECT ${keyColumns} FROM ready WHERE run = ?1 UNION ALL SELECT ${keyColumns} FROM assignment WHERE run = ?1
     UNION ALL SELECT ${keyColumns} FROM limit_wait WHERE run = ?1 AND task >= 0`,
    run,
  );
  const { limited } = yield* withdraw(open.map((attempt) => ({ ...attempt, kill: true })));
  const killed = yield* rows<AttemptRef>(`SELECT ${keyColumns} FROM assignment WHERE run = ?1`, run);
  const children = yield* rows<{ run: number }>(
    `SELECT id AS run FROM run WHERE parent = ?1 AND standing = 0
     UNION ALL SELECT seq FROM command WHERE parent = ?1`,
    run,
  );
  const message = { type: 'control', control: { type: 'stop' }, by: 'parent' } as const;
  yield* tellControls(
    children.map((child) => ({ run: child.run, message })),
    now,
  );
  return { killed, limited };
}

function parentMessage(
  run: number,
  { parent_task, parent_round, parent_element }: StoredRun,
  state: RunState,
): InboxMessage {
  const seen = state === 'success' || state === 'stopped' ? state : 'failed';
  const place = { task: parent_task, round: parent_round, element: parent_element };
  return { type: 'child', ...place, run, state: seen };
}

/** Informs dependents and triggers; returns how many endings wait for triggers. */
function* tellEnd(
  { run, round, state }: { readonly run: number; readonly round: number; readonly state: RunState },
  { workflow, project, name, kind, business_time }: StoredRun,
  request: RunRequest,
  now: number,
): Operation<number> {
  // A backfill does not count for its workflow; the runs it starts do.
  if (kind === 'backfill') return 0;
  const counts = countsAsRun(request);
  const fact = {
    workflow,
    business_time,
    run,
    round,
    state,
    tasks: '{}',
    ended_at: now,
    counts: Number(counts),
  };
  yield* insert(factTable, [fact], 'DO NOTHING');
  if (request.silent || !counts) return 0;
  const ending = { run, round, project, name, state, businessTime: business_time, outputs: '{}' };
  return yield* queueEndings([endingRow({ ...ending, chain: request.cause?.chain ?? 0 })], now);
}
