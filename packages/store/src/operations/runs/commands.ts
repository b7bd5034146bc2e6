/**
 * Commands: durable requests to start a run. A command is claimed once; the claim creates the run it
 * reserved.
 */
import type { Parameters, RunKind, RunMode, RunTrigger } from '@orrery/core/model';
import type { RunRequest, Scope } from '@orrery/core/run';
import { Conflict } from '../../errors.ts';
import { batch, change, type Operation, row, rows, together } from '../../operation.ts';
import { readJson } from '../../stored.ts';
import { insert } from '../../table.ts';
import { commandTable } from '../../tables.ts';
import type { LimitNeed } from '../limits/limit-book.ts';
import { claimPeriod, whyTaken } from '../limits/periods.ts';
import { offlineAmong } from '../workflows/workflow-online.ts';
import type { BadCommand } from './bad-commands.ts';
import { appendEvents, type FeedEvent, type FeedWriter } from './feed.ts';
import { tell } from './inbox.ts';
import { newNumbers } from './numbers.ts';

/** Everything needed to create a run. */
export interface Command {
  readonly workflow: number;
  readonly version: number;
  readonly project: string;
  readonly name: string;
  readonly priority: number;
  readonly kind: RunKind;
  readonly trigger: RunTrigger;
  readonly request: Omit<RunRequest, 'id'>;
  readonly params: Parameters;
  readonly scope: Scope;
  readonly parent?: {
    readonly run: number;
    readonly task: number;
    readonly round: number;
    readonly element: number;
  };
  /** Tags of the run, including its workflow's. */
  readonly tags?: readonly string[];
  /** Tenant of the run, for caps on open runs; `default` if absent. */
  readonly tenant?: string;
  /** Who asked for it; absent if a schedule, a trigger or another run starts it. */
  readonly startedBy?: string;
  /** Refused while another run for its business time is open. */
  readonly onePerPeriod?: boolean;
  /** The run fails if it would have to wait for a slot or for a master with room. */
  readonly onNoRoom?: 'fail';
  /** Slots the run needs to start, its workflow's first, and its mode while earlier runs are open. */
  readonly admission?: { readonly mode: RunMode; readonly needs: readonly LimitNeed[] };
}

/** A stored command; `run` is the id of the run it reserves. */
export interface StoredCommand {
  readonly run: number;
  readonly command: Command;
  readonly createdAt: number;
}

/** A command's row, without the number and time assigned when it is queued. */
export interface StartRow {
  readonly priority: number;
  readonly workflow: number;
  readonly limited: number;
  readonly replay_of: number | null;
  readonly parent: number | null;
  readonly parent_task: number | null;
  readonly parent_round: number | null;
  readonly parent_element: number | null;
  readonly body: string;
  /** 1: it fails if no master has room; null: it waits. */
  readonly impatient: number | null;
  /** The business time that it must have exclusively; null if others may share it. */
  readonly period: number | null;
}

/** Makes the row of a command, also ahead of time by callers that know what they will start. */
export function startRow(command: Command): StartRow {
  return {
    priority: command.priority,
    workflow: command.workflow,
    limited: Number(command.admission !== undefined),
    replay_of: command.request.replayOf ?? null,
    parent: command.parent?.run ?? null,
    parent_task: command.parent?.task ?? null,
    parent_round: command.parent?.round ?? null,
    parent_element: command.parent?.element ?? null,
    body: JSON.stringify(command),
    impatient: command.onNoRoom === 'fail' ? 1 : null,
    period: command.onePerPeriod && !command.request.dryRun ? command.request.businessTime : null,
  };
}

/** Queues many commands at once; returns the ids of their runs, in order. */
export function* submitCommands(input: {
  readonly commands: readonly Command[];
  readonly now: number;
}): Operation<number[]> {
  const queued = yield* queueCommands(null, input.commands, input.now);
  return queued.map(({ run, taken }) => {
    if (taken !== undefined) throw new Conflict(whyTaken(taken), [taken]);
    return run;
  });
}

/** A queued command, or one refused because an open run has its business time. */
export interface QueuedCommand {
  readonly run: number;
  readonly taken?: number;
}

/**
 * Queues commands within another operation; returns the results in order. Parents are told about refused
 * children.
 */
export function* queueCommands(
  writer: FeedWriter,
  commands: readonly Command[],
  now: number,
): Operation<readonly QueuedCommand[]> {
  const numbers = yield* newNumbers(commands.length);
  // For ticks and triggers, this transaction has already checked that the workflow is online.
  const offline = yield* offlineAmong(commands.flatMap(({ parent, workflow }) => (parent ? [workflow] : [])));
  const starts = commands.map((command, k) => ({ run: numbers[k], command }));
  const isOffline = ({ command: { parent, workflow } }: (typeof starts)[number]) =>
    parent !== undefined && offline.has(workflow);
  const taken = yield* claimPeriods(starts, isOffline);
  const free = starts.filter((start, k) => taken[k] === undefined && !isOffline(start));
  yield* writeCommands(
    writer,
    free.map((start) => ({ ...start, now })),
  );
  yield* tell(
    starts.flatMap(({ run, command: { parent, workflow } }, k) => {
      const by = taken[k];
      const reason = by === undefined ? offline.get(workflow) : whyTaken(by);
      if (!parent || reason === undefined) return [];
      const ended = { type: 'child', ...parent, run, state: 'failed', reason } as const;
      return [{ run: parent.run, message: ended }];
    }),
    now,
  );
  return numbers.map((run, k) => ({ run, taken: taken[k] }));
}

/**
 * Claims the business times of commands that need them exclusively; returns the open runs that have them.
 * Commands without this need are left out.
 */
export function* claimPeriods<S extends { readonly run: number; readonly command: Command }>(
  starts: readonly S[],
  isLeftOut: (start: S) => boolean = () => false,
): Operation<readonly (number | undefined)[]> {
  const taken: (number | undefined)[] = starts.map(() => undefined);
  const limited = starts.flatMap((start, k) => {
    const { onePerPeriod, workflow, request } = start.command;
    if (!onePerPeriod || request.dryRun || isLeftOut(start)) return [];
    return [{ k, run: start.run, workflow, businessTime: request.businessTime }];
  });
  // Rows are locked in this one order by all callers.
  limited.sort((a, b) => a.workflow - b.workflow || a.businessTime - b.businessTime || a.run - b.run);
  for (const { k, ...period } of limited) taken[k] = yield* claimPeriod(period);
  return taken;
}

/**
 * Takes the first commands in (priority, seq) that no other claim is taking; unreadable ones are returned
 * separately.
 */
export function* claimCommands(limit: number): Operation<TakenCommands> {
  const first = (column: string) => `SELECT ${column} FROM command ORDER BY priority, seq LIMIT ?1`;
  const returning = `RETURNING ${claimedColumns}`;
  const claimed = yield* rows<Claimed>(
    {
      sqlite: `DELETE FROM command WHERE seq IN (${first('seq')}) ${returning}`,
      postgres: `DELETE FROM command WHERE ctid = ANY (ARRAY(${first('ctid')} FOR UPDATE SKIP LOCKED)) ${returning}`,
    },
    limit,
  );
  return readable(claimed.toSorted((a, b) => a.priority - b.priority || a.seq - b.seq));
}

/** Takes commands that should have been claimed by now and may not wait longer. */
export function* claimImpatient(before: number, limit: number): Operation<TakenCommands> {
  const first = (column: string) =>
    `SELECT ${column} FROM command WHERE impatient = 1 AND created_at <= ?1 ORDER BY created_at LIMIT ?2`;
  const claimed = yield* rows<Claimed>(
    {
      sqlite: `DELETE FROM command WHERE seq IN (${first('seq')}) RETURNING ${claimedColumns}`,
      postgres: `DELETE FROM command WHERE ctid = ANY (ARRAY(${first('ctid')} FOR UPDATE SKIP LOCKED))
        RETURNING ${claimedColumns}`,
    },
    before,
    limit,
  );
  return readable(claimed);
}

/** Commands taken from the queue, with unreadable ones separate. */
export interface TakenCommands {
  readonly commands: readonly StoredCommand[];
  readonly bad: readonly BadCommand[];
}

function readable(claimed: readonly Claimed[]): TakenCommands {
  const commands: StoredCommand[] = [];
  const bad: BadCommand[] = [];
  for (const { seq, body, priority, workflow, created_at, ...of } of claimed) {
    try {
      const command = readJson<Command>(body, 'what it is to be started with');
      commands.push({ run: seq, command, createdAt: created_at });
    } catch (error) {
      const { parent: run, parent_task: task, parent_round: round, parent_element: element } = of;
      const parent = run === null ? undefined : { run, task, round, element };
      const reason = (error as Error).message;
      bad.push({ run: seq, workflow, priority, createdAt: created_at, reason, parent });
    }
  }
  return { commands, bad };
}

const claimedColumns =
  'seq, priority, workflow, body, created_at, parent, parent_task, parent_round, parent_element';

interface Claimed {
  readonly seq: number;
  readonly priority: number;
  readonly workflow: number;
  readonly body: string;
  readonly created_at: number;
  readonly parent: number | null;
  readonly parent_task: number;
  readonly parent_round: number;
  readonly parent_element: number;
}

/** Removes unclaimed commands; returns those that were there. */
export function* removeCommands(runs: readonly number[]): Operation<TakenCommands> {
  const returning = `RETURNING ${claimedColumns}`;
  const { rows: found } = yield* batch<Claimed>(
    {
      sqlite: `DELETE FROM command WHERE seq = ?1 ${returning}`,
      postgres: `DELETE FROM command WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM command WHERE seq = ANY (?1::int8[]) ORDER BY seq FOR UPDATE)) ${returning}`,
    },
    ['int'],
    runs.map((run) => [run]),
  );
  return readable(found);
}

/** Limit of a counted place in line. */
const MOST_COUNTED = 10_000;

/** An unclaimed command, and the number of commands before it. */
export function* readCommand({
  run,
}: {
  readonly run: number;
}): Operation<{ body: string; createdAt: number; ahead: number } | undefined> {
  return yield* row(
    `SELECT c.body, c.created_at AS "createdAt",
       (SELECT count(*) FROM (
          SELECT 1 FROM command o WHERE (o.priority, o.seq) < (c.priority, c.seq) LIMIT ${MOST_COUNTED}) before) AS ahead
     FROM command c WHERE c.seq = ?1`,
    run,
  );
}

/** Deletes request keys older than `before`, a few at a time; returns how many. */
export function* sweepKeys({
  before,
  limit,
}: {
  readonly before: number;
  readonly limit: number;
}): Operation<number> {
  return yield* change(
    `DELETE FROM idempotency WHERE key IN (
       SELECT key FROM idempotency WHERE created_at < ?1 ORDER BY created_at LIMIT ?2)`,
    before,
    limit,
  );
}

/** The feed event of a run without an owner; the owner's commits announce all other changes. */
export function runEvent(
  { run, command }: { readonly run: number; readonly command: Command },
  state: 'queued' | 'waiting' | 'stopped' | 'failed',
  revision: number,
): FeedEvent {
  const { workflow, parent } = command;
  return {
    topic: 'run',
    subject: run,
    revision,
    body: JSON.stringify({ state, workflow, parent: parent?.run }),
  };
}

/** Queues commands that own their business times. */
export function* writeCommands(
  writer: FeedWriter,
  list: readonly { readonly run: number; readonly command: Command; readonly now: number }[],
): Operation<void> {
  if (list.length === 0) return;
  yield* together(
    insert(
      commandTable,
      list.map(({ run, command, now }) => ({ seq: run, ...startRow(command), created_at: now })),
    ),
    appendEvents(
      writer,
      list.map((start) => runEvent(start, 'queued', 0)),
      list[0].now,
    ),
  );
}
