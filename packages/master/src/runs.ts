/**
 * The runs this master owns. What happens to one is decided and applied in memory at once; what it changes is
 * committed in batches, and only then acted on. A batch that fails takes its runs out of memory: they are rebuilt
 * from the store, which is right by definition.
 *
 * A run here: loading -> held -> (releasing) -> gone.
 */
import { InvalidInput } from '@orrery/core/errors';
import { apply, createRun, decide, type Happening, type Plan, restore, type Ticket } from '@orrery/core/run';
import type { ClockTimer } from '@orrery/core/timing';
import {
  type AttemptRef,
  type ClaimedStart,
  type CommitAnswer,
  type InboxMessage,
  type LoadedRun,
  type OpenTake,
  type OutcomeRow,
  Plans,
  StaleEpoch,
  StoreAway,
} from '@orrery/store';
import { Alarms } from './alarms.ts';
import { Awaited } from './awaited.ts';
import { breath } from './breath.ts';
import { type Commitment, commitOf } from './commitment.ts';
import { carryOut, remember } from './controls.ts';
import { asWaiting, type Held, hasEnded, heldRun, isUnbegun, keyText } from './held.ts';
import { lastWriteOver } from './last-write.ts';
import { verdictOf } from './look.ts';
import { Outgoing } from './outgoing.ts';
import type { Pending } from './pending.ts';
import type { Context } from './ports.ts';
import { readyRow } from './ready-row.ts';
import { isFilling, type RunListener, tellOf } from './run-listener.ts';
import { isStuck } from './stuck.ts';

/** Versions of workflows that are kept compiled. */
const KEPT_PLANS = 1_000;
const RETRY_AFTER = 500;
const HINT_WAITS = 200;

export class Runs {
  private readonly context: Context;
  private readonly listener: RunListener;
  private readonly plans: Plans;
  private readonly held = new Map<number, Held>();
  private readonly alarms: Alarms;
  private readonly awaited: Awaited;
  private readonly outgoing: Outgoing;
  /** Settles when nothing is being rebuilt. */
  private adopting: Promise<void> = Promise.resolve();
  /** Runs may be parked although attempts of them are in the queue. */
  private hasSetAside = false;
  /** Commits so far. */
  commits = 0;
  private stopped = false;
  private later: ClockTimer | undefined;

  constructor(context: Context, listener: RunListener) {
    this.context = context;
    this.listener = listener;
    this.plans = new Plans(context.store, KEPT_PLANS);
    this.outgoing = new Outgoing({
      commit: (batch) => this.commit(batch),
      discard: (batch, error) => this.discard(batch, error),
      settled: () => listener.settled(),
    });
    this.alarms = new Alarms(context.clock, (run, alarm) =>
      this.happen(run, { now: context.clock.now(), type: 'due', alarm }),
    );
    this.awaited = new Awaited(context, () => listener.told());
  }

  /** Whether a commit is under way or about to begin. */
  get isCommitting(): boolean {
    return this.outgoing.isBusy;
  }

  get size(): number {
    return this.held.size;
  }

  /** How many are held that something can be done for. */
  get working(): number {
    let count = 0;
    for (const { stuck } of this.held.values()) if (!stuck) count++;
    return count;
  }

  /** Finds those that can only wait, given the worker groups that are served, and parks them if nothing of them is due. */
  setAside(served: ReadonlySet<string>): void {
    for (const held of this.held.values()) {
      held.stuck = isStuck(held, served);
      if (!held.stuck || held.timers.size > 0 || held.afterRelease) continue;
      this.hasSetAside = true;
      this.outgoing.of(held.id);
    }
    this.outgoing.send();
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
      const { workflow, version, parent = null, admission, scope } = command;
      this.held.set(
        id,
        heldRun({ id, workflow, version, parent, given, limited: admission !== undefined, scope }, run),
      );
      this.happen(id, { now, type: 'start', scope });
      // The claim has written the run as started: most often there is nothing to add to its row.
      const { fields } = this.outgoing.of(id);
      if (fields?.state === 'running' && fields.picked.length === 0) this.outgoing.of(id).fields = undefined;
    }
  }

  /**
   * Rebuilds runs from the store and goes on with them. For one who asks at a time: what was read of a run that is not
   * held stays true only while nobody else here can take it up and lay it down again.
   */
  async adopt(ids: readonly number[]): Promise<void> {
    if (ids.length === 0) return;
    const adopted = this.adopting.then(() => this.adoptAll(ids));
    this.adopting = adopted.catch(() => {});
    await adopted;
  }

  private async adoptAll(ids: readonly number[]): Promise<void> {
    const { store, self, log } = this.context;
    await Promise.all(ids.map((id) => this.released(id)));
    const missing = ids.filter((id) => !this.held.has(id));
    if (missing.length === 0) return;
    for (const loaded of await store.loadRuns({ runs: missing, self })) {
      try {
        await this.adoptOne(loaded);
      } catch (error) {
        if (error instanceof StoreAway) throw error;
        // One that is bad must not hold up the others.
        log('error', `run ${loaded.id} cannot be rebuilt: ${(error as Error).message}`);
        this.forget(loaded.id);
      }
    }
  }

  private async adoptOne(loaded: LoadedRun): Promise<void> {
    const { clock } = this.context;
    // All that may fail comes first: a run that is held has been taken up.
    const plan = await this.plans.of(loaded);
    const isNew = loaded.rows.fields.state === 'waiting' || isUnbegun(loaded.rows);
    const waits = isNew && (await this.waitsForSlot(loaded.id));
    await breath(clock, loaded.rows.tasks.length);
    const rows = isNew ? asWaiting(loaded.rows) : loaded.rows;
    const { scope, admission } = loaded.request;
    const about = { ...loaded, limited: admission !== undefined, scope };
    const held = heldRun(about, restore(plan, loaded.request, rows));
    held.waits = waits;
    this.held.set(loaded.id, held);
    const alive = new Set(loaded.alive.map(keyText));
    for (const { message } of loaded.inbox)
      if (message.type === 'outcome') alive.add(keyText(message.attempt));
    const now = clock.now();
    if (!isNew) this.happen(loaded.id, { now, type: 'adopt', alive: (key) => alive.has(keyText(key)) });
    else if (!waits) this.happen(loaded.id, { now, type: 'start', scope: held.scope });
    for (const { seq, message } of loaded.inbox) this.receive(loaded.id, seq, message);
  }

  /** Settles when a run that is being laid down is gone from here. */
  private async released(id: number): Promise<void> {
    const again = this.held.get(id)?.afterRelease;
    if (again) await new Promise<void>((resolve) => again.push(resolve));
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
        carryOut(held, this.outgoing.of(id), message, (control) =>
          this.happen(id, { now, type: 'control', control }),
        );
        break;
      case 'owner-lost':
        remember(held, this.outgoing.of(id), this.context.self.node, 'taken-over', {
          reason: message.reason,
          epoch: this.context.self.epoch,
          lost: message.lost,
        });
        break;
      case 'look':
        this.look(held, message.task, message.round);
        break;
      case 'admitted':
        if (held.waits) this.happen(id, { now, type: 'start', scope: held.scope });
        held.waits = false;
        break;
      case 'begun':
        this.happen(id, { now, type: 'begun', attempt: message.attempt, worker: message.worker });
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
    const parked = this.hasSetAside ? attempts.filter(({ run }) => !this.held.has(run)) : [];
    if (parked.length > 0) this.wake(parked, worker);
  }

  /** Attempts run of runs that were set aside: somebody must own them again. */
  private wake(attempts: readonly AttemptRef[], worker: string): void {
    const { store, self, clock, log } = this.context;
    store.tellBegun({ self, attempts, worker, now: clock.now() }).then(
      (told) => told > 0 && this.listener.told(),
      (error) => log('warn', `could not wake runs: ${error.message}`),
    );
  }

  /** Stops acting; what is not committed will be rebuilt by whoever comes next. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.later?.cancel();
    this.alarms.stop();
    this.awaited.halt();
    await this.outgoing.stop();
    await this.awaited.stop();
  }

  /** Finds out how a dependent task stands; the run stays here meanwhile. */
  private look(held: Held, task: number, round: number): void {
    const { state, round: current } = held.run.tasks[task];
    if (state !== 'waiting' || current !== round) return;
    held.looking++;
    verdictOf(held.run, task, round, this.context)
      .then((verdict) => {
        if (verdict) this.happen(held.id, verdict);
      })
      .catch((error) => this.context.log('error', `dependency of run ${held.id}: ${error.message}`))
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
    held.stuck = false;
    const pending = this.outgoing.of(id);
    const facts = { given: held.given, most: this.context.config.beginBatch };
    const decision = decide(held.run, event, facts);
    apply(held.run, decision.changes);
    pending.add(decision);
    for (const ticket of decision.changes.enqueue) this.enqueue(held, pending, ticket);
    if (urgent) this.outgoing.send();
    else this.flushLater();
  }

  private enqueue(held: Held, pending: Pending, ticket: Ticket): void {
    try {
      pending.enqueue.push(readyRow(held, ticket, this.context.config.id));
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error;
      const outcome = { state: 'failed', error: error.message, fatal: true } as const;
      const { attempt } = ticket;
      this.happen(held.id, { now: this.context.clock.now(), type: 'outcome', attempt, outcome });
    }
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
      await breath(clock, pending.tasks.size);
      if (!held) continue;
      const commitment = await commitOf(held, pending, store, clock.now());
      if (commitment.change.release) held.afterRelease = [];
      commitments.push(commitment);
    }
    const changes = commitments.map(({ change }) => change);
    const takes = this.listener.openTakes(changes.some(isFilling));
    let answer: CommitAnswer;
    try {
      answer = await store.commitRuns({ self, changes, takes, now: clock.now() });
    } catch (error) {
      this.listener.answered(takes, undefined);
      throw error;
    }
    try {
      this.listener.answered(takes, answer.given);
      this.act(commitments, takes, answer);
    } catch (error) {
      // It is committed: what became of it in memory is not to be trusted, and must not be committed once more.
      throw new StoreAway(
        `what was committed could not be acted on: ${(error as Error).message}`,
        true,
        error,
      );
    }
  }

  /** Does what changes mean, once they are committed. */
  private act(
    commitments: readonly Commitment[],
    takes: readonly OpenTake[],
    { withdrawn, triggered, admitted }: CommitAnswer,
  ): void {
    const { clock } = this.context;
    const changes = commitments.map(({ change }) => change);
    for (const { held, pending, change } of commitments) {
      for (const done of pending.waiting.splice(0)) done(true);
      for (const seq of pending.consumed) held.reading.delete(seq);
      if (held.run.agenda.length > 0) this.happen(held.id, { now: clock.now(), type: 'more' });
      if (this.held.has(held.id) && !hasEnded(held)) {
        for (const effect of pending.effects)
          if (effect.type === 'timer') this.alarms.set(held, effect.alarm);
      }
      if (change.release) this.drop(held);
      for (const { task, round } of change.waits?.open ?? []) this.look(held, task, round);
    }
    this.awaited.add(changes.flatMap(({ fact }) => fact?.workflow ?? []));
    if (triggered > 0) this.listener.triggered();
    for (const { run, ...attempt } of withdrawn) {
      this.happen(run, {
        now: clock.now(),
        type: 'outcome',
        attempt: { task: attempt.task, shard: attempt.shard, number: attempt.number },
        outcome: { state: 'withdrawn' },
      });
    }
    tellOf(changes, { takes, admitted }, this.listener);
  }

  /** A batch that was not, or perhaps not, committed: its runs are forgotten and rebuilt. */
  private async discard(batch: readonly Pending[], error: Error): Promise<void> {
    const { log, clock } = this.context;
    if (error instanceof StaleEpoch) {
      this.stopped = true;
      this.outgoing.halt();
      this.awaited.halt();
      this.listener.fenced(error);
      for (const { run } of batch) this.forget(run);
      return;
    }
    if (batch.length > 1 && !(error instanceof StoreAway)) {
      // One bad entry never fails its batch: each run stands alone.
      for (const pending of batch) {
        const held = this.held.get(pending.run);
        if (held) this.tellAgain(held);
        await this.commit([pending]).catch((cause) => this.discard([pending], cause));
      }
      return;
    }
    log('warn', `could not commit ${batch.length} runs, rebuilding them: ${error.message}`, {
      runs: batch.map(({ run }) => run),
    });
    const ids = new Set<number>();
    for (const pending of [...batch, ...this.outgoing.takeAll()]) {
      for (const done of pending.waiting.splice(0)) done(false);
      ids.add(pending.run);
      this.forget(pending.run);
    }
    clock.setTimer(RETRY_AFTER, () => this.rebuild([...ids]));
  }

  private rebuild(ids: readonly number[]): void {
    if (this.stopped) return;
    lastWriteOver(this.context)
      .then(() => this.adopt(ids))
      .catch((error) => {
        this.context.log('warn', `could not rebuild ${ids.length} runs: ${error.message}`);
        this.context.clock.setTimer(RETRY_AFTER, () => this.rebuild(ids));
      });
  }

  private forget(run: number): void {
    const held = this.held.get(run);
    if (held) this.drop(held);
  }

  /** What came too late for it to be told is for the store to tell it again. */
  private drop(held: Held): void {
    this.held.delete(held.id);
    this.alarms.cancel(held);
    for (const done of this.outgoing.takeBack(held.id)?.waiting ?? []) done(false);
    this.tellAgain(held);
  }

  /** What waited for a run to be laid down need not wait any more. */
  private tellAgain(held: Held): void {
    const waiting = held.afterRelease ?? [];
    held.afterRelease = undefined;
    for (const again of waiting) again();
  }
}
