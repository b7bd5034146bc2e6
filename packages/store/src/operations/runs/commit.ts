/** The commit of an owner: everything its decisions about runs change, all or nothing. */
import type { Grant } from '@orrery/core/admit';
import type { Parameters } from '@orrery/core/model';
import type { RunFields, TaskRun } from '@orrery/core/run';
import { Conflict } from '../../errors.ts';
import { batch, type Operation, together } from '../../operation.ts';
import { insertRows, placeOf, type Row, unnest } from '../../table.ts';
import { attemptTable, factTable, taskRunTable } from '../../tables.ts';
import { type Alert, raise, raiseSuccesses } from '../alerting/alerts.ts';
import { checkSelf, type Self } from '../cluster/self.ts';
import { admitForced, askLimits, freeLimits, pausePlaces, runHolder } from '../limits/admission.ts';
import { countRuns, hasCaps } from '../limits/counted-runs.ts';
import type { LimitNeed } from '../limits/limit-book.ts';
import { type HistoryEntry, remember } from '../lists/history.ts';
import { closeApprovals, type OpenApproval, openApprovals } from './approvals.ts';
import { type AttemptRef, keyText } from './attempt-key.ts';
import { type Command, queueCommands } from './commands.ts';
import { closeWaits, type DependencyWait, openWaits, type WaitRef } from './dependents.ts';
import { appendEvents } from './feed.ts';
import { consume, type InboxMessage, tell } from './inbox.ts';
import { type EndedAssignment, endAssignments, type OutcomeRow, recordAttempts, rowKey } from './outcomes.ts';
import { countOwned, notOwned } from './owned.ts';
import { enqueueRows, type ReadyRow } from './ready.ts';
import { type AskedControl, tellControls } from './reopen.ts';
import { batchOf, type RareChange, type RunBatch, standingsOf, writtenTypes } from './run-batch.ts';
import { giveWork, type OpenTake, type TakeAnswer } from './take.ts';
import { type Ending, queueEndings } from './triggers.ts';
import { type Withdrawal, withdraw } from './withdraw.ts';

/** Everything that one decision, or several in a row, change about one run. */
export interface RunChange {
  readonly run: number;
  /**
   * The revision that the run has with this change, which its owner counts: one more than before if its row is
   * written, that is, with `fields` or `release`.
   */
  readonly revision: number;
  readonly fields?: RunFields;
  /** Set if the run starts or ends with this change. */
  readonly startedAt?: number;
  readonly endedAt?: number | null;
  /** For a run that ends: the first line of its error, and its outputs. */
  readonly error?: string | null;
  readonly outputs?: Parameters;
  readonly tasks: readonly (readonly [index: number, task: TaskRun])[];
  readonly enqueue: readonly ReadyRow[];
  readonly withdraw: readonly Withdrawal[];
  /** Attempts admitted despite a full limit, if they wait for its slot. */
  readonly admit?: readonly AttemptRef[];
  /** Reported outcomes: each is recorded once, or the whole change is refused. */
  readonly outcomes: readonly OutcomeRow[];
  /** Inbox rows handled by this change. */
  readonly consumed: readonly number[];
  readonly commands: readonly Command[];
  readonly messages: readonly { readonly run: number; readonly message: InboxMessage }[];
  readonly fact?: {
    readonly workflow: number;
    readonly businessTime: number;
    readonly round: number;
    readonly state: string;
    readonly tasks: string;
    /** Whether the run counts; true unless set to false. */
    readonly counts?: boolean;
  };
  /** Set with the end of a round that triggers may see. */
  readonly ending?: Omit<Ending, 'run'>;
  /** Dependent tasks that start or stop waiting. */
  readonly waits?: { readonly open?: readonly DependencyWait[]; readonly close?: readonly WaitRef[] };
  /** Approvals that start or stop waiting for a person. */
  readonly approvals?: { readonly open: readonly OpenApproval[]; readonly close: readonly WaitRef[] };
  /**
   * Slots of the run itself. Request them in a separate change before the run starts: the answer says whether
   * it holds them or waits; a waiting run gets a message on admission. Free them with the end of a round.
   */
  readonly limits?: {
    readonly take?: {
      readonly workflow: number;
      readonly needs: readonly LimitNeed[];
      readonly forced?: boolean;
    };
    readonly free?: boolean;
    /** For a run that waits for its slots: whether it is passed over until resumed. */
    readonly paused?: boolean;
  };
  /** Alerts to raise. */
  readonly alerts?: readonly Alert[];
  /** Actions on the run that its own rows do not record. */
  readonly history?: readonly HistoryEntry[];
  /** The run needs no owner any more: it ended or is parked. */
  readonly release: boolean;
  readonly event: string;
}

/** Results of a commit. */
export interface CommitAnswer {
  /** Attempts removed from the queue, or found nowhere and without an outcome: they end as withdrawn. */
  readonly withdrawn: readonly AttemptRef[];
  /** Runs that asked for slots, and whether they hold them. */
  readonly admissions: readonly { readonly run: number; readonly grant: Grant }[];
  /** Endings that wait for triggers. */
  readonly triggered: number;
  /** Number of other holders admitted by freed slots: their attempts are now in the queue. */
  readonly admitted: number;
  /** Answers to the open takes, in order. */
  readonly given: readonly TakeAnswer[];
}

/**
 * Commits changes of runs that the caller owns, all or nothing. An outcome without its assignment (the worker
 * was declared lost meanwhile), or a run no longer owned, refuses the batch and names the runs concerned;
 * their owner rebuilds them.
 */
export function* commitRuns(input: {
  readonly self: Self;
  readonly changes: readonly RunChange[];
  /**
   * Open takes at this master, answered in the same transaction from all queued attempts, including those it
   * queues.
   */
  readonly takes?: readonly OpenTake[];
  readonly now: number;
}): Operation<CommitAnswer> {
  const { changes, ...rest } = input;
  return yield* commitBatch({ ...rest, batch: batchOf(changes, input.now) });
}

/** The same with changes as rows. */
export function* commitBatch(input: {
  readonly self: Self;
  readonly batch: RunBatch;
  readonly takes?: readonly OpenTake[];
  readonly now: number;
}): Operation<CommitAnswer> {
  const { self, takes = [], now } = input;
  const { written, owned, tasks, ready, ends, attempts, facts, endings, events, rare } = input.batch;
  const all = <T>(part: (entry: RareChange) => readonly T[]) => rare.flatMap(part);
  const messages = all((entry) => entry.messages);
  const [, , ended, , capped] = yield* together(
    checkSelf(self),
    enqueueRows(ready),
    endAssignments(ends),
    updateRuns(self, written, owned),
    hasCaps(),
  );
  refuseLost(attempts, ended);
  const [triggered] = yield* together(
    queueEndings(endings, now),
    recordAttempts(attempts, ended),
    insertRows(
      taskRunTable,
      tasks,
      '(run, task) DO UPDATE SET state = excluded.state, round = excluded.round, since = excluded.since, body = excluded.body, attempt = excluded.attempt',
    ),
    insertRows(factTable, facts, 'DO NOTHING'),
    consume(all(({ consumed }) => consumed)),
    closeWaits(all(({ run, waits }) => (waits?.close ?? []).map((wait) => ({ run, ...wait })))),
    openWaits(
      all(({ run, waits }) => (waits?.open ?? []).map((wait) => ({ run, ...wait }))),
      now,
    ),
    closeApprovals(all(({ run, approvals }) => (approvals?.close ?? []).map((one) => ({ run, ...one })))),
    openApprovals(
      all(({ run, approvals }) => (approvals?.open ?? []).map((one) => ({ run, ...one }))),
      now,
    ),
    queueCommands(
      self,
      all(({ commands }) => commands),
      now,
    ),
    tell(
      messages.filter((each) => !isControl(each)),
      now,
    ),
    remember(
      all(({ history = [] }) => history),
      now,
    ),
    raise(
      self,
      all(({ alerts = [] }) => alerts),
      now,
    ),
    raiseSuccesses(self, endings, now),
    appendEvents(
      self,
      events.map(([run, revision, body]) => ({ topic: 'run', subject: run, revision, body })),
      now,
    ),
  );
  yield* tellControls(messages.filter(isControl), now);
  const admissions = yield* takeSlots(rare, now);
  yield* pausePlaces(
    rare.flatMap(({ run, limits }) => (limits?.paused === undefined ? [] : [{ run, paused: limits.paused }])),
    now,
  );
  for (const attempt of all(({ admit = [] }) => admit)) yield* admitForced(attempt, now);
  const { withdrawn, limited } = yield* withdraw(all((entry) => entry.withdraw));
  const [open, over] = capped ? standingsOf(written) : [[], []];
  const free = rare.filter(({ limits }) => limits?.free).map(({ run }) => run);
  const done = [...new Set([...free, ...over])].map(runHolder);
  yield* countRuns(open, now);
  const admitted = yield* freeLimits([...ended.filter((end) => end.limited === 1), ...limited, ...done], now);
  const given = yield* together(...takes.map((open) => giveWork(open, now)));
  return { withdrawn, admissions, triggered, admitted, given };
}

const LATE = placeOf(attemptTable, 'late');

/** Every outcome that counts must have removed its assignment, or the batch is refused. */
function refuseLost(attempts: readonly Row[], ended: readonly EndedAssignment[]): void {
  const recorded = new Set(ended.map(keyText));
  const missing = attempts.filter((row) => row[LATE] === 0 && !recorded.has(rowKey(row)));
  if (missing.length === 0) return;
  const runs = [...new Set(missing.map(([run]) => Number(run)))];
  throw new Conflict(`assignments are gone of runs ${runs.join(', ')}`, runs);
}

/**
 * Writes the rows of runs. A new round after an earlier one ended adds to the run's idle time. A run that the
 * caller does not own refuses the batch: rows are counted, since returning them doubled the cost of the update.
 * The owner is compared in a way that no index can serve: with the index of owned runs, each row once read all
 * of them.
 */
function* updateRuns(self: Self, written: readonly Row[], owned: readonly number[]): Operation<void> {
  const { node, epoch } = self;
  const types = [...writtenTypes, 'text', 'int'] as const;
  const [{ changed }, held] = yield* together(
    batch(
      {
        sqlite: `UPDATE run SET state = COALESCE(?2, state), fields = COALESCE(?3, fields), revision = revision + 1,
            started_at = COALESCE(started_at, ?4), ended_at = CASE WHEN ?5 = 1 THEN ?6 ELSE ended_at END,
            idle = CASE WHEN ?5 = 1 AND ?4 > ended_at AND started_at IS NOT NULL THEN idle + ?4 - ended_at ELSE idle END,
            owner = CASE WHEN ?7 = 1 THEN NULL ELSE owner END, owner_epoch = CASE WHEN ?7 = 1 THEN NULL ELSE owner_epoch END,
            standing = COALESCE(?8, standing), error = CASE WHEN ?5 = 1 THEN ?9 ELSE error END,
            fingerprint = CASE WHEN ?5 = 1 THEN ?10 ELSE fingerprint END, outputs = CASE WHEN ?5 = 1 THEN ?11 ELSE outputs END
          WHERE id = ?1 AND owner = ?12 AND owner_epoch = ?13`,
        postgres: `UPDATE run r SET state = COALESCE(k.state, r.state), fields = COALESCE(k.fields, r.fields),
            revision = r.revision + 1, started_at = COALESCE(r.started_at, k.started_at),
            ended_at = CASE WHEN k.ending = 1 THEN k.ended_at ELSE r.ended_at END,
            idle = CASE WHEN k.ending = 1 AND k.started_at > r.ended_at AND r.started_at IS NOT NULL
              THEN r.idle + k.started_at - r.ended_at ELSE r.idle END,
            owner = CASE WHEN k.release = 1 THEN NULL ELSE r.owner END,
            owner_epoch = CASE WHEN k.release = 1 THEN NULL ELSE r.owner_epoch END,
            standing = COALESCE(k.standing, r.standing), error = CASE WHEN k.ending = 1 THEN k.error ELSE r.error END,
            fingerprint = CASE WHEN k.ending = 1 THEN k.fingerprint ELSE r.fingerprint END,
            outputs = CASE WHEN k.ending = 1 THEN k.outputs ELSE r.outputs END
          FROM ${unnest(types)} AS k(id, state, fields, started_at, ending, ended_at, release, standing, error, fingerprint,
            outputs, owner, owner_epoch)
          WHERE r.id = k.id AND COALESCE(r.owner, '') = k.owner AND COALESCE(r.owner_epoch, 0) = k.owner_epoch`,
      },
      types,
      written.map((row) => [...row, node, epoch]),
    ),
    countOwned(self, owned),
  );
  if (changed === written.length && held === owned.length) return;
  const lost = yield* notOwned(self, written, owned);
  throw new Conflict(`not owned by ${node}: runs ${lost.join(', ')}`, lost);
}

/** A child that has ended may have to wait before it can do what its parent asks. */
function isControl(each: RunChange['messages'][number]): each is AskedControl {
  return each.message.type === 'control';
}

/** Takes slots for attempts, whose tokens then enter the queue or a wait list, and for runs. */
function* takeSlots(changes: readonly RareChange[], now: number): Operation<CommitAnswer['admissions']> {
  const tokens = changes
    .flatMap((entry) =>
      entry.enqueue.flatMap(({ limits, ...ready }) => {
        const { run, task, shard, number } = ready;
        return limits ? [{ run, task, shard, number, ...limits, ready }] : [];
      }),
    )
    // Attempts ready at the same time get free slots in their waiting order.
    .sort((a, b) => (a.needs[0].priority ?? 0) - (b.needs[0].priority ?? 0));
  const runs = changes
    .flatMap(({ run, limits }) => (limits?.take ? [{ ...runHolder(run), ...limits.take }] : []))
    .sort((a, b) => a.run - b.run);
  const grants = yield* askLimits([...tokens, ...runs], now);
  return runs.map(({ run }, k) => ({ run, grant: grants[tokens.length + k] }));
}
