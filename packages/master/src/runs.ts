/**
 * The runs this master owns. What happens to one is decided and applied in memory at once; what it changes is
 * committed in batches, and only then acted on. A batch that fails takes its runs out of memory: they are rebuilt
 * from the store, which is right by definition.
 *
 * A run here: loading -> held -> (releasing) -> gone.
 */
import { limitOfGroup } from '@orrery/core/admit';
import { InvalidInput } from '@orrery/core/errors';
import { priorities } from '@orrery/core/model';
import { priorityNumber } from '@orrery/core/queue';
import {
  type Alarm,
  type AttemptKey,
  apply,
  createRun,
  decide,
  type GivenParameters,
  type Happening,
  type Plan,
  type Run,
  type RunRows,
  reopens,
  restore,
  type Scope,
  type Ticket,
} from '@orrery/core/run';
import { isFinal, runMachine } from '@orrery/core/state';
import { type ClockTimer, type TimerHandle, TimerQueue } from '@orrery/core/timing';
import {
  type AttemptRef,
  type ClaimedStart,
  Conflict,
  type InboxMessage,
  type LoadedRun,
  type OpenTake,
  type OutcomeRow,
  type ReadyRow,
  type RunChange,
  StaleEpoch,
  type TakeAnswer,
} from '@orrery/store';
import { evaluateDependent } from '@orrery/store/dependency';
import { type Commitment, commitOf, isLimited } from './commitment.ts';
import { Outgoing } from './outgoing.ts';
import { payloadOf } from './payload.ts';
import type { Pending } from './pending.ts';
import { Plans } from './plans.ts';
import type { Context } from './ports.ts';

/** A run in memory. */
export interface Held {
  readonly id: number;
  readonly workflow: number;
  readonly version: number;
  readonly parent: LoadedRun['parent'];
  /** What a round that begins now finds in its project. */
  readonly given?: GivenParameters;
  /** The part of the graph its first round walks. */
  readonly scope: Scope;
  readonly run: Run;
  readonly timers: Map<TimerHandle, Alarm>;
  /** Inbox rows that are being dealt with. */
  readonly reading: Set<number>;
  /** It waits for a slot, and is here only because something was told to it. */
  waits: boolean;
  /** Dependent tasks of it that are being looked at. */
  looking: number;
  /** Its release is being committed; what comes meanwhile is tried again afterwards. */
  afterRelease: (() => void)[] | undefined;
}

/** What others want to hear of. */
export interface RunListener {
  /**
   * The takes that a commit shall answer, `filled` if it queues attempts or frees slots; none of them may be asked for
   * elsewhere meanwhile.
   */
  openTakes(filled: boolean): readonly OpenTake[];
  /** What a commit gave to them, or that it failed. */
  answered(takes: readonly OpenTake[], given: readonly TakeAnswer[] | undefined): void;
  /** Attempts were put in the queue, and no take was open here for them. */
  queued(): void;
  /** Nothing is being committed any more, and nothing waits to be. */
  settled(): void;
  /** These attempts, where a worker has them, must be killed. */
  killed(attempts: readonly { run: number; task: number; shard: number; number: number }[]): void;
  /** Runs have left memory: there is room for others. */
  freed(): void;
  /** Commands or inbox rows were written. */
  told(): void;
  /** Rounds have ended that triggers may hear of. */
  triggered(): void;
  /** The node's epoch is over. */
  fenced(error: Error): void;
}

const RETRY_AFTER = 500;
const HINT_WAITS = 200;

export class Runs {
  private readonly context: Context;
  private readonly listener: RunListener;
  private readonly plans: Plans;
  private readonly held = new Map<number, Held>();
  private readonly timers: TimerQueue<{ run: number; alarm: Alarm; handle: () => TimerHandle }>;
  private readonly outgoing: Outgoing;
  /** Commits so far. */
  commits = 0;
  /** Workflows of which rounds have ended, until their dependents are told. */
  private readonly ended = new Set<number>();
  private waking: Promise<void> | undefined;
  private stopped = false;
  private later: ClockTimer | undefined;

  constructor(context: Context, listener: RunListener) {
    this.context = context;
    this.listener = listener;
    this.plans = new Plans(context.store);
    this.outgoing = new Outgoing({
      commit: (batch) => this.commit(batch),
      discard: (batch, error) => this.discard(batch, error),
      settled: () => listener.settled(),
    });
    this.timers = new TimerQueue(context.clock);
    this.timers.start((due) => {
      for (const { run, alarm, handle } of due) {
        this.held.get(run)?.timers.delete(handle());
        this.happen(run, { now: context.clock.now(), type: 'due', alarm });
      }
    });
  }

  /** Whether a commit is under way or about to begin. */
  get isCommitting(): boolean {
    return this.outgoing.isBusy;
  }

  get size(): number {
    return this.held.size;
  }

  owns(run: number): boolean {
    return this.held.has(run);
  }

  /** Takes in runs that were just created from their commands, and starts them, with the time of the claim. */
  async begin(starts: readonly ClaimedStart[], now: number): Promise<void> {
    // First all plans, then all runs without a pause: so that one commit starts them.
    const plans: Plan[] = [];
    for (const { command } of starts) plans.push(await this.plans.of(command));
    for (const [k, { run: id, command, given }] of starts.entries()) {
      const plan = plans[k];
      const run = createRun(plan, { ...command.request, id }, command.params, now);
      this.hold(
        {
          id,
          workflow: command.workflow,
          version: command.version,
          parent: command.parent ?? null,
          given,
          scope: command.scope,
        },
        run,
      );
      this.happen(id, { now, type: 'start', scope: command.scope });
      // The claim has written the run as started: most often there is nothing to add to its row.
      const { fields } = this.outgoing.of(id);
      if (fields?.state === 'running' && fields.picked.length === 0) this.outgoing.of(id).fields = undefined;
    }
  }

  /** Rebuilds runs from the store and goes on with them. */
  async adopt(ids: readonly number[]): Promise<void> {
    if (ids.length === 0) return;
    const { clock, store, self } = this.context;
    for (const loaded of await store.loadRuns({ runs: ids, self })) {
      // All that may fail comes first: a run that is held has been taken up.
      const plan = await this.plans.of(loaded);
      const isNew = loaded.rows.fields.state === 'waiting' || isUnbegun(loaded.rows);
      const waits = isNew && (await this.waitsForSlot(loaded.id));
      if (this.held.has(loaded.id)) continue;
      const rows = isNew ? waiting(loaded.rows) : loaded.rows;
      const held = this.hold({ ...loaded, scope: loaded.request.scope }, restore(plan, loaded.request, rows));
      held.waits = waits;
      const alive = new Set(loaded.alive.map(keyText));
      for (const { message } of loaded.inbox)
        if (message.type === 'outcome') alive.add(keyText(message.attempt));
      const now = clock.now();
      if (!isNew) this.happen(loaded.id, { now, type: 'adopt', alive: (key) => alive.has(keyText(key)) });
      else if (!waits) this.happen(loaded.id, { now, type: 'start', scope: held.scope });
      for (const { seq, message } of loaded.inbox) this.receive(loaded.id, seq, message);
    }
  }

  /** Whether a run that has not started still stands in the wait list of a limit. */
  private async waitsForSlot(run: number): Promise<boolean> {
    const place = await this.context.store.readLimitPlace({ run, task: -1, shard: -1, number: 0 });
    return place !== undefined;
  }

  /** Deals with an inbox row of a run that is held; twice the same row is once. */
  receive(id: number, seq: number, message: InboxMessage): void {
    const held = this.held.get(id);
    if (!held || held.afterRelease || held.reading.has(seq)) return;
    held.reading.add(seq);
    const now = this.context.clock.now();
    switch (message.type) {
      case 'control':
        this.control(held, message);
        break;
      case 'owner-lost':
        this.remember(held, this.outgoing.of(id), this.context.self.node, 'taken-over', {
          reason: message.reason,
          epoch: this.context.self.epoch,
        });
        break;
      case 'look':
        this.look(held, message.task, message.round);
        break;
      case 'admitted':
        if (held.waits) this.happen(id, { now, type: 'start', scope: held.scope });
        held.waits = false;
        break;
      case 'outcome':
        this.happen(id, { now, type: 'outcome', attempt: message.attempt, outcome: message.outcome });
        break;
      case 'child': {
        const { task, round, element, state, outputs } = message;
        this.happen(id, { now, type: 'child', task, round, element, state, outputs });
        break;
      }
    }
    this.outgoing.of(id).consumed.push(seq);
    this.outgoing.send();
  }

  /** Does what was asked for, or refuses it with the reason. */
  private control(held: Held, message: Extract<InboxMessage, { type: 'control' }>): void {
    const { control, by, admitted = false, tookBack = false } = message;
    const pending = this.outgoing.of(held.id);
    const hasEnded = isFinal(runMachine, held.run.fields.state);
    if (tookBack) {
      // Its parent may have counted on what was taken back.
      pending.told = 'stopped';
      this.remember(held, pending, by, `${control.type}-done`, {});
      return;
    }
    // It was open when this was asked, and has given its slot to another run since.
    const tooLate = hasEnded && reopens(control) && !admitted && isLimited(held);
    const before = pending.effects.length;
    if (!tooLate) this.happen(held.id, { now: this.context.clock.now(), type: 'control', control });
    const refused = pending.effects.slice(before).find((effect) => effect.type === 'refused');
    const reason = tooLate ? 'the run ended while this was under way; ask again' : refused?.reason;
    if (reason !== undefined && by === 'parent') pending.told = held.run.fields.state;
    if (reason !== undefined && admitted && hasEnded) pending.freed = true;
    const action = reason === undefined ? `${control.type}-done` : `${control.type}-refused`;
    this.remember(held, pending, by, action, { reason });
  }

  /** Notes for people who did what to a run, with the round this came in. */
  private remember({ id, run }: Held, pending: Pending, actor: string, action: string, body: object): void {
    const { round } = run.fields;
    pending.history.push({ actor, kind: 'run', subject: String(id), action, body: { ...body, round } });
  }

  /** What a worker reported about an attempt of a held run; `done` hears whether it was committed. */
  report(
    outcome: OutcomeRow,
    event: Extract<Happening, { type: 'outcome' }>,
    done: (committed: boolean) => void,
  ): void {
    const held = this.held.get(outcome.run);
    if (!held || held.afterRelease) {
      if (held?.afterRelease) held.afterRelease.push(() => done(false));
      else done(false);
      return;
    }
    const pending = this.outgoing.of(outcome.run);
    const before = pending.effects.length;
    this.happen(outcome.run, event);
    const late = pending.effects.slice(before).some((effect) => effect.type === 'late');
    pending.outcomes.push({ ...outcome, late });
    pending.waiting.push(done);
    this.outgoing.send();
  }

  /** A worker says that attempts run: a hint, committed with whatever comes next. */
  begun(
    attempts: readonly { run: number; task: number; shard: number; number: number }[],
    worker: string,
  ): void {
    const now = this.context.clock.now();
    for (const { run, ...attempt } of attempts) {
      if (this.held.get(run)?.afterRelease === undefined)
        this.happen(run, { now, type: 'begun', attempt, worker }, false);
    }
  }

  /** Stops acting; what is not committed will be rebuilt by whoever comes next. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.later?.cancel();
    this.timers.stop();
    await this.outgoing.stop();
    await this.waking;
  }

  /** Finds out how a dependent task stands; the run stays here meanwhile. */
  private look(held: Held, task: number, round: number): void {
    const { store, clock, log } = this.context;
    const { state, round: current } = held.run.tasks[task];
    if (state !== 'waiting' || current !== round) return;
    held.looking++;
    evaluateDependent(held.run, task, store, clock.now())
      .then(
        ({ state: verdict, items }) => {
          if (verdict === 'waiting') return;
          const reason = items.find((item) => item.state === 'failed')?.reason;
          this.happen(held.id, { now: clock.now(), type: 'dependency', task, round, state: verdict, reason });
        },
        (error) => {
          if (!(error instanceof InvalidInput)) log('warn', `dependency of run ${held.id}: ${error.message}`);
          else
            this.happen(held.id, {
              now: clock.now(),
              type: 'dependency',
              task,
              round,
              state: 'failed',
              reason: error.message,
            });
        },
      )
      .finally(() => {
        held.looking--;
        if (this.held.get(held.id) !== held || this.stopped) return;
        // Nothing may have changed but that the run can be parked now.
        this.outgoing.of(held.id);
        this.outgoing.send();
      });
  }

  /** Decides what an event means and applies it; the commit follows, at once unless it can wait. */
  private happen(id: number, event: Happening, urgent = true): void {
    const held = this.held.get(id);
    if (!held || this.stopped) return;
    const pending = this.outgoing.of(id);
    const decision = decide(held.run, event, { given: held.given });
    apply(held.run, decision.changes);
    pending.add(decision);
    for (const ticket of decision.changes.enqueue) this.enqueue(held, pending, ticket);
    if (urgent) this.outgoing.send();
    else this.flushLater();
  }

  private enqueue(held: Held, pending: Pending, { attempt, ...ticket }: Ticket): void {
    const { run, id } = held;
    try {
      const payload = JSON.stringify(payloadOf(run, attempt, this.context.config.id));
      pending.enqueue.push({
        run: id,
        ...attempt,
        workerGroup: ticket.workerGroup,
        runPriority: priorityNumber(run.request.priority),
        taskPriority: priorityNumber(ticket.priority),
        target: ticket.target,
        avoid: ticket.avoid,
        payload,
        limits: groupLimit(run.request.project, ticket),
      });
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error;
      const outcome = { state: 'failed', error: error.message, fatal: true } as const;
      this.happen(id, { now: this.context.clock.now(), type: 'outcome', attempt, outcome });
    }
  }

  private hold(
    about: Omit<Held, 'run' | 'timers' | 'reading' | 'waits' | 'looking' | 'afterRelease'>,
    run: Run,
  ): Held {
    const { id, workflow, version, parent, given, scope } = about;
    const held: Held = {
      id,
      workflow,
      version,
      parent,
      given,
      scope,
      run,
      timers: new Map(),
      reading: new Set(),
      waits: false,
      looking: 0,
      afterRelease: undefined,
    };
    this.held.set(id, held);
    return held;
  }

  /** A hint need not cost a commit of its own: most often the outcome comes first. */
  private flushLater(): void {
    this.later ??= this.context.clock.setTimer(HINT_WAITS, () => {
      this.later = undefined;
      this.outgoing.send();
    });
  }

  private async commit(batch: readonly Pending[]): Promise<void> {
    const { store, self, clock } = this.context;
    this.commits++;
    const commitments: Commitment[] = [];
    for (const pending of batch) {
      const held = this.held.get(pending.run);
      if (held) commitments.push(await commitOf(held, pending, store, clock.now()));
    }
    for (const { held, change } of commitments) if (change.release) held.afterRelease = [];
    const changes = commitments.map(({ change }) => change);
    const takes = this.listener.openTakes(changes.some(isFilling));
    let given: readonly TakeAnswer[] | undefined;
    let withdrawn: readonly AttemptRef[];
    let triggered: number;
    let admitted: number;
    try {
      ({ withdrawn, triggered, admitted, given } = await store.commitRuns({
        self,
        changes,
        takes,
        now: clock.now(),
      }));
    } finally {
      this.listener.answered(takes, given);
    }
    for (const { held, pending, change } of commitments) {
      for (const done of pending.waiting) done(true);
      for (const seq of pending.consumed) held.reading.delete(seq);
      for (const effect of pending.effects) if (effect.type === 'timer') this.setTimer(held, effect.alarm);
      if (change.release) this.drop(held);
      for (const { task, round } of change.waits?.open ?? []) this.look(held, task, round);
    }
    for (const { fact } of changes) if (fact) this.ended.add(fact.workflow);
    this.wakeDependents();
    if (triggered > 0) this.listener.triggered();
    for (const { run, ...attempt } of withdrawn) {
      this.happen(run, {
        now: clock.now(),
        type: 'outcome',
        attempt: { task: attempt.task, shard: attempt.shard, number: attempt.number },
        outcome: { state: 'withdrawn' },
      });
    }
    const queued = changes.some(({ enqueue, admit = [] }) => enqueue.length + admit.length > 0);
    if (admitted > 0 || (queued && takes.length === 0)) this.listener.queued();
    const kills = changes.flatMap(({ withdraw }) => withdraw.filter(({ kill }) => kill));
    if (kills.length > 0) this.listener.killed(kills);
    if (changes.some(({ release }) => release)) this.listener.freed();
    if (changes.some(isTelling)) this.listener.told();
  }

  /** Rounds have ended: whoever may wait for them is told to look. A wake that is lost costs a later look. */
  private wakeDependents(): void {
    if (this.ended.size === 0 || this.waking || this.stopped) return;
    const workflows = [...this.ended];
    this.ended.clear();
    this.waking = this.wake(workflows)
      .catch((error) => this.context.log('warn', `could not wake dependents: ${error.message}`))
      .finally(() => {
        this.waking = undefined;
        this.wakeDependents();
      });
  }

  /** Reads before it writes: most workflows have no dependents. One that waits from now on sees that they ended. */
  private async wake(workflows: readonly number[]): Promise<void> {
    const { store, self, clock } = this.context;
    const waitedFor = await store.findAwaited({ workflows });
    if (waitedFor.length === 0) return;
    const told = await store.wakeDependents({ self, workflows: waitedFor, now: clock.now() });
    if (told.length > 0) this.listener.told();
  }

  /** A batch that was not, or perhaps not, committed: its runs are forgotten and rebuilt. */
  private async discard(batch: readonly Pending[], error: Error): Promise<void> {
    const { log, clock } = this.context;
    if (error instanceof StaleEpoch) {
      this.stopped = true;
      this.outgoing.halt();
      this.listener.fenced(error);
      return;
    }
    if (batch.length > 1 && error instanceof Conflict) {
      // One bad entry never fails its batch: each run stands alone.
      for (const pending of batch) {
        await this.commit([pending]).catch((cause) => this.discard([pending], cause));
      }
      return;
    }
    log('warn', `could not commit ${batch.length} runs, rebuilding them: ${error.message}`, {
      runs: batch.map(({ run }) => run),
    });
    const ids = new Set<number>();
    for (const pending of [...batch, ...this.outgoing.takeAll()]) {
      for (const done of pending.waiting) done(false);
      ids.add(pending.run);
      const held = this.held.get(pending.run);
      if (held) this.drop(held);
    }
    clock.setTimer(RETRY_AFTER, () => this.rebuild([...ids]));
  }

  private rebuild(ids: readonly number[]): void {
    if (this.stopped) return;
    this.adopt(ids).catch((error) => {
      this.context.log('warn', `could not rebuild ${ids.length} runs: ${error.message}`);
      this.context.clock.setTimer(RETRY_AFTER, () => this.rebuild(ids));
    });
  }

  private setTimer(held: Held, alarm: Alarm): void {
    if (!this.held.has(held.id) || isFinal(runMachine, held.run.fields.state)) return;
    let handle: TimerHandle;
    const entry = { run: held.id, alarm, handle: () => handle };
    handle = this.timers.add(alarm.at, entry);
    held.timers.set(handle, alarm);
  }

  private drop(held: Held): void {
    this.held.delete(held.id);
    for (const handle of held.timers.keys()) this.timers.cancel(handle);
    for (const again of held.afterRelease ?? []) again();
  }
}

/** The slot that an attempt of a task group needs. A wait list admits small numbers first, so a high priority is one. */
function groupLimit(project: string, { group, priority }: Omit<Ticket, 'attempt'>): ReadyRow['limits'] {
  if (!group) return undefined;
  const place = priorityNumber(priority) - group.priority * priorities.length;
  return { needs: [{ name: limitOfGroup(project, group.name), priority: place }] };
}

/** Claimed by a master that died before it could say what the start means: no task was ever touched. */
function isUnbegun({ fields, tasks }: RunRows): boolean {
  return fields.state === 'running' && fields.round === 1 && tasks.length === 0;
}

function waiting({ fields, tasks }: RunRows): RunRows {
  return { fields: { ...fields, state: 'waiting' }, tasks };
}

/** Whether a change puts attempts in the queue, or may let others in: slots of workers and of limits become free. */
function isFilling({ enqueue, outcomes, withdraw, admit = [], limits }: RunChange): boolean {
  return enqueue.length + outcomes.length + withdraw.length + admit.length > 0 || limits?.free === true;
}

/** Whether a change tells others something: children, parents, or runs that waited for the slot it has freed. */
function isTelling({ commands, messages, limits }: RunChange): boolean {
  return commands.length + messages.length > 0 || limits?.free === true;
}

function keyText({ task, shard, number }: AttemptKey): string {
  return `${task}.${shard}.${number}`;
}
