/** Commands: durable requests to start a run. One is claimed once, and the run it reserved is created with that. */
import type { Parameters } from '@orrery/core/model';
import type { RunFields, RunRequest, Scope } from '@orrery/core/run';
import { NotFound } from '../errors.ts';
import { change, type Operation, row, rows } from '../operation.ts';
import { insert, type RowOf } from '../table.ts';
import { commandTable, runTable } from '../tables.ts';
import { tell } from './inbox.ts';
import { checkSelf, type Self } from './nodes.ts';
import { newNumbers } from './numbers.ts';

/** Who asked for a run. */
export type TriggerKind = 'manual' | 'tick' | 'api' | 'child' | 'backfill' | 'webhook' | 'dependency';

/** Everything needed to create a run. */
export interface Command {
  readonly workflow: number;
  readonly version: number;
  readonly project: string;
  readonly name: string;
  readonly priority: number;
  readonly kind: 'normal' | 'backfill';
  readonly trigger: TriggerKind;
  readonly request: Omit<RunRequest, 'id'>;
  readonly params: Parameters;
  readonly scope: Scope;
  readonly parent?: {
    readonly run: number;
    readonly task: number;
    readonly round: number;
    readonly element: number;
  };
}

/** A run that was just created from its command. */
export interface ClaimedStart {
  readonly run: number;
  readonly command: Command;
}

/** Queues a command; with a key, a second request with the same key answers with the first run. */
export function* submitCommand(input: {
  readonly command: Command;
  readonly key?: string;
  readonly now: number;
}): Operation<{ run: number; repeated: boolean }> {
  const { command, key, now } = input;
  if (key !== undefined) {
    const earlier = yield* row<{ answer: string }>('SELECT answer FROM idempotency WHERE key = ?1', key);
    if (earlier) return { run: Number(earlier.answer), repeated: true };
  }
  const [run] = yield* queueCommands([command], now);
  if (key !== undefined) {
    const added = yield* change(
      'INSERT INTO idempotency (key, answer, created_at) VALUES (?1, ?2, ?3) ON CONFLICT (key) DO NOTHING',
      key,
      String(run),
      now,
    );
    if (added === 0) throw new NotFound('another request with this key is being answered; ask again');
  }
  return { run, repeated: false };
}

/** Queues many commands at once; the ids of their runs, in order. */
export function* submitCommands(input: {
  readonly commands: readonly Command[];
  readonly now: number;
}): Operation<number[]> {
  return yield* queueCommands(input.commands, input.now);
}

/** Queues commands within another operation. */
export function* queueCommands(commands: readonly Command[], now: number): Operation<number[]> {
  const numbers = yield* newNumbers(commands.length);
  yield* insert(
    commandTable,
    commands.map((command, k) => ({
      seq: numbers[k],
      priority: command.priority,
      run: numbers[k],
      workflow: command.workflow,
      body: JSON.stringify(command),
      created_at: now,
    })),
  );
  return numbers;
}

/** Claims waiting commands in (priority, seq), creates their runs and consumes them, all in one. */
export function* claimStarts(input: {
  readonly self: Self;
  readonly limit: number;
  readonly now: number;
}): Operation<ClaimedStart[]> {
  const { self, limit, now } = input;
  yield* checkSelf(self);
  const claimed = yield* rows<{ seq: number; run: number; body: string; created_at: number }>(
    {
      sqlite: `DELETE FROM command WHERE seq IN (SELECT seq FROM command ORDER BY priority, seq LIMIT ?1)
        RETURNING seq, run, body, created_at`,
      postgres: `DELETE FROM command WHERE seq IN (
          SELECT seq FROM command ORDER BY priority, seq LIMIT ?1 FOR UPDATE SKIP LOCKED)
        RETURNING seq, run, body, created_at`,
    },
    limit,
  );
  const starts = claimed.map(({ run, body, created_at }) => ({
    run,
    createdAt: created_at,
    command: JSON.parse(body) as Command,
  }));
  starts.sort((a, b) => a.command.priority - b.command.priority || a.run - b.run);
  yield* insert(
    runTable,
    starts.map(({ run, command, createdAt }) => ({
      ...runRow(run, command, createdAt, firstFields(command.params, now)),
      owner: self.node,
      owner_epoch: self.epoch,
    })),
  );
  return starts.map(({ run, command }) => ({ run, command }));
}

/** Takes back a command that nobody has claimed and records its run as stopped; false when it was claimed before. */
export function* withdrawCommand({
  run,
  now,
}: {
  readonly run: number;
  readonly now: number;
}): Operation<boolean> {
  const taken = yield* row<{ body: string; created_at: number }>(
    'DELETE FROM command WHERE seq = ?1 RETURNING body, created_at',
    run,
  );
  if (!taken) return false;
  const command = JSON.parse(taken.body) as Command;
  const fields = { ...firstFields(command.params, now), state: 'stopped' as const };
  yield* insert(runTable, [{ ...runRow(run, command, taken.created_at, fields), ended_at: now }]);
  yield* change(
    `INSERT INTO fact (workflow, business_time, run, round, state, tasks, ended_at) VALUES (?1, ?2, ?3, 1, 'stopped', '{}', ?4)`,
    command.workflow,
    command.request.businessTime,
    run,
    now,
  );
  if (command.parent) {
    const { run: parent, ...key } = command.parent;
    yield* tell([{ run: parent, message: { type: 'child', ...key, run, state: 'stopped' } }], now);
  }
  return true;
}

/** The row of a run as its command makes it; nobody owns it. */
function runRow(run: number, command: Command, createdAt: number, fields: RunFields): RowOf<typeof runTable> {
  return {
    id: run,
    workflow: command.workflow,
    version: command.version,
    project: command.project,
    name: command.name,
    kind: command.kind,
    trigger_kind: command.trigger,
    state: fields.state,
    priority: command.priority,
    owner: null,
    owner_epoch: null,
    request: JSON.stringify({ ...command.request, id: run, scope: command.scope }),
    fields: JSON.stringify(fields),
    revision: 0,
    business_time: command.request.businessTime,
    parent: command.parent?.run ?? null,
    parent_task: command.parent?.task ?? null,
    parent_round: command.parent?.round ?? null,
    parent_element: command.parent?.element ?? null,
    created_at: createdAt,
    started_at: null,
    ended_at: null,
  };
}

/** The fields of a run that has not started. */
function firstFields(params: Parameters, now: number): RunFields {
  return {
    state: 'waiting',
    since: now,
    round: 1,
    roundKind: 'start',
    roundStarted: now,
    picked: [],
    params,
  };
}
