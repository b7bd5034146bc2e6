/**
 * The runs this master owns, from adoption through their events to release. They live in `RunMemory`, their
 * changes leave through `Commits`, and only committed changes take effect. A failed batch drops its runs from
 * memory: they are rebuilt from the store, which holds the truth.
 *
 * A run here: loading -> in memory -> (releasing) -> gone. A run that no master can rebuild, decide about or
 * commit is set aside (`broken`) and gone: the others go on.
 */
import { createRun, type Happening, type Plan } from '@orrery/core/run';
import {
  type AttemptRef,
  BadEntry,
  type ClaimedStart,
  CREATED,
  type InboxMessage,
  type LoadedRun,
  NotFound,
  type OutcomeRow,
  Plans,
  StoreAway,
} from '@orrery/store';
import type { Sessions } from '../dispatch/sessions.ts';
import type { Context } from '../ports.ts';
import { BrokenRuns } from './broken-runs.ts';
import { type CommitEvent, Commits } from './commits.ts';
import { carryOut, remember } from './controls.ts';
import { verdictOf } from './dependency-verdict.ts';
import { DependentWaker } from './dependent-waker.ts';
import { type WorkerAlarm, whenUnserved } from './no-worker.ts';
import { Rebuilds } from './rebuilds.ts';
import { rebuilt } from './rebuilt.ts';
import { endRelease, hasEnded, keyText, newEntry, type RunEntry } from './run-entry.ts';
import { RunMemory } from './run-memory.ts';
import { type NewsRoute, newsOf } from './run-news.ts';
import { pauseIfLarge, startTurns } from './turns.ts';
import { isUnserved } from './unserved.ts';

/** Limit of compiled workflow versions in memory. */
const KEPT_PLANS = 1_000;

export class Runs {
  private readonly context: Context;
  private readonly route: NewsRoute;
  private readonly plans: Plans;
  private readonly memory: RunMemory;
  private readonly commits: Commits;
  private readonly waker: DependentWaker;
  /** Settles when no run is being rebuilt. */
  private adopting: Promise<void> = Promise.resolve();
  private readonly rebuilds: Rebuilds;
  /** Whether runs may be parked although the queue has attempts of them. */
  private hasSetAside = false;
  private readonly broken: BrokenRuns;
  private stopped = false;

  /** Commits borrow `takes` to answer them; `route` receives the news for other systems. */
  constructor(context: Context, takes: Pick<Sessions, 'lend'>, route: NewsRoute) {
    this.context = context;
    this.route = route;
    this.plans = new Plans(context.store, KEPT_PLANS);
    this.memory = new RunMemory(context, (run, alarm) => {
      if (alarm.what === 'no-worker') this.lookForWorkers(run, alarm);
      else this.happen(run, { now: context.clock.now(), type: 'due', alarm });
    });
    this.commits = new Commits(context, this.memory, takes, (event) => this.follow(event));
    this.waker = new DependentWaker(context, () => route({ told: true }));
    this.broken = new BrokenRuns(context, route, {
      ended: (workflow) => this.waker.add([workflow]),
      again: (run, reason) => this.giveUp(run, reason),
      isStopped: () => this.stopped,
    });
    this.rebuilds = new Rebuilds(context, (ids) => this.adopt(ids));
  }

  /** Whether a commit is in flight or about to start. */
  get isCommitting(): boolean {
    return this.commits.isBusy;
  }

  /** Commits so far. */
  get committed(): number {
    return this.commits.count;
  }

  get size(): number {
    return this.memory.size;
  }

  /** Count of runs that can make progress. */
  get working(): number {
    return this.memory.working;
  }

  /** Finds runs that can only wait, given the served worker groups, and parks those that have nothing due. */
  setAside(served: ReadonlySet<string>): void {
    for (const entry of this.memory.all()) {
      entry.unserved = isUnserved(entry, served);
      if (!entry.unserved || entry.timers.size > 0 || entry.afterRelease) continue;
      this.hasSetAside = true;
      this.commits.of(entry.id);
    }
    this.commits.send();
  }

  /**
   * Hands every held run to other masters, each with its next commit: attempts go on, and reports find the
   * new owner. Settles when all runs that could be handed over are gone.
   */
  async handOver(reason: string): Promise<void> {
    for (const entry of this.memory.all()) {
      if (entry.afterRelease) continue;
      entry.handOver = { from: this.context.self, reason };
      this.commits.of(entry.id);
    }
    this.commits.send();
    await this.commits.flushed();
  }

  /** Cancels the handover of runs that have not left yet. */
  keep(): void {
    for (const entry of this.memory.all()) entry.handOver = undefined;
  }

  owns(run: number): boolean {
    return this.memory.has(run);
  }

  /** Takes in runs just created from their commands, and starts them at the time of the claim. */
  async begin(starts: readonly ClaimedStart[], now: number): Promise<void> {
    // First all plans, then all runs, pausing only for many tasks, so that one commit covers most starts.
    const turn = startTurns(this.context.clock);
    const plans: (Plan | undefined)[] = [];
    for (const { run, command } of starts) plans.push(await this.planOf(run, command));
    for (const [k, { run: id, command, given }] of starts.entries()) {
      const plan = plans[k];
      if (!plan) continue;
      const run = createRun(plan, { ...command.request, id }, command.params, now);
      const { workflow, version, parent = null, admission, scope } = command;
      this.memory.add(
        newEntry(
          {
            id,
            workflow,
            version,
            parent,
            revision: CREATED,
            given,
            limited: admission !== undefined,
            scope,
          },
          run,
        ),
      );
      this.happen(id, { now, type: 'start', scope });
      if (!this.memory.has(id)) continue;
      // The claim has already written the run as started, so its row usually needs no change.
      const { fields } = this.commits.of(id);
      if (fields?.state === 'running' && fields.picked.length === 0) this.commits.of(id).fields = undefined;
      const pause = turn(plan.tasks.length);
      if (!pause) continue;
      await pause;
      if (this.stopped) return;
    }
  }

  /**
   * Rebuilds runs from the store and continues them. One call runs at a time: the rows read for a run that is
   * not held stay valid only while no other call here can adopt and release it.
   */
  async adopt(ids: readonly number[]): Promise<void> {
    if (ids.length === 0) return;
    const adopted = this.adopting.then(() => this.adoptAll(ids));
    this.adopting = adopted.catch(() => {});
    await adopted;
  }

  private async adoptAll(ids: readonly number[]): Promise<void> {
    await Promise.all(ids.map((id) => this.released(id)));
    const missing = ids.filter((id) => !this.memory.has(id));
    if (missing.length === 0) return;
    for (const loaded of await this.load(missing)) {
      try {
        await this.adoptOne(loaded);
      } catch (error) {
        if (error instanceof StoreAway) throw error;
        // A failure with one run must not hold up the others.
        this.context.report(`could not take up run ${loaded.id}`, error);
        this.rebuilds.add([loaded.id]);
      }
    }
  }

  /** Loads runs. An unreadable run is set aside, and the others are loaded. */
  private async load(runs: readonly number[]): Promise<readonly LoadedRun[]> {
    const { store, self } = this.context;
    try {
      return await store.loadRuns({ runs, self });
    } catch (error) {
      if (!(error instanceof BadEntry) || error.run === undefined) throw error;
      await this.breakRun(error.run, `it cannot be rebuilt: ${error.message}`);
      return this.load(runs.filter((run) => run !== error.run));
    }
  }

  /** All steps that may fail come first: a held run is complete. */
  private async adoptOne(loaded: LoadedRun): Promise<void> {
    const { clock } = this.context;
    const plan = await this.planOf(loaded.id, loaded);
    if (!plan) return;
    await pauseIfLarge(clock, loaded.rows.tasks.length);
    const taken = rebuilt(plan, loaded);
    if (taken instanceof Error) return this.breakRun(loaded.id, `it cannot be rebuilt: ${taken.message}`);
    const { entry, isNew, alive } = taken;
    entry.waits = isNew && (await this.waitsForSlot(loaded.id));
    this.memory.add(entry);
    const now = clock.now();
    if (!isNew) this.happen(loaded.id, { now, type: 'adopt', alive: (key) => alive.has(keyText(key)) });
    // A run with a pause in its inbox does not start.
    else if (!loaded.inbox.some(({ message }) => isPause(message))) this.startIfAdmitted(entry);
    for (const { seq, message } of loaded.inbox) this.receive(loaded.id, seq, message);
    if (isNew) this.startIfAdmitted(entry);
  }

  /** Starts a run that has not started and waits for no slot. */
  private startIfAdmitted({ id, run, waits, scope }: RunEntry): void {
    if (run.fields.state === 'waiting' && !waits)
      this.happen(id, { now: this.context.clock.now(), type: 'start', scope });
  }

  /** The plan of a run. If it no longer exists, returns undefined and sets the run aside. */
  private async planOf(id: number, run: Parameters<Plans['of']>[0]): Promise<Plan | undefined> {
    try {
      return await this.plans.of(run);
    } catch (error) {
      if (!(error instanceof BadEntry) && !(error instanceof NotFound)) throw error;
      await this.breakRun(id, `it has no plan: ${error.message}`);
      return undefined;
    }
  }

  /** Settles when a run that is being released is gone from memory. */
  private async released(id: number): Promise<void> {
    const again = this.memory.get(id)?.afterRelease;
    if (again) await new Promise<void>((resolve) => again.push(resolve));
  }

  /** Whether a run that has not started is still in the wait list of a limit. */
  private async waitsForSlot(run: number): Promise<boolean> {
    const place = await this.context.store.readLimitPlace({ run, task: -1, shard: -1, number: 0 });
    return place !== undefined;
  }

  /** Processes an inbox row of a held run. The same row is processed once. */
  receive(id: number, seq: number, message: InboxMessage): void {
    const entry = this.memory.get(id);
    if (!entry || entry.afterRelease || entry.reading.has(seq)) return;
    entry.reading.add(seq);
    try {
      this.deal(entry, message);
    } catch (error) {
      this.giveUp(id, `what it was told cannot be dealt with: ${(error as Error).message}`);
    }
    if (this.memory.get(id) !== entry) return;
    this.commits.of(id).consumed.push(seq);
    this.commits.send();
  }

  private deal(entry: RunEntry, message: InboxMessage): void {
    const { id } = entry;
    const now = this.context.clock.now();
    switch (message.type) {
      case 'control':
        carryOut(entry, this.commits.of(id), message, (control) =>
          this.happen(id, { now, type: 'control', control }),
        );
        if (message.control.type === 'resume') this.startIfAdmitted(entry);
        break;
      case 'owner-lost':
        remember(entry, this.commits.of(id), this.context.self.node, 'taken-over', {
          reason: message.reason,
          epoch: this.context.self.epoch,
          lost: message.lost,
        });
        break;
      case 'look':
        this.look(entry, message.task, message.round);
        break;
      case 'admitted':
        if (!entry.waits) break;
        entry.waits = false;
        this.startIfAdmitted(entry);
        break;
      case 'begun':
        this.happen(id, { now, type: 'begun', attempt: message.attempt, worker: message.worker });
        break;
      case 'outcome':
        this.happen(id, { now, type: 'outcome', attempt: message.attempt, outcome: message.outcome });
        break;
      case 'child': {
        const { task, round, element, state, outputs, reason } = message;
        this.happen(id, { now, type: 'child', task, round, element, state, outputs, reason });
        break;
      }
      case 'unreadable':
        this.giveUp(id, message.reason);
        break;
    }
  }

  /**
   * Processes a worker's report about an attempt of a held run; `done` is called with whether it was
   * committed.
   */
  report(
    outcome: OutcomeRow,
    event: Extract<Happening, { type: 'outcome' }>,
    done: (committed: boolean) => void,
  ): void {
    const entry = this.memory.get(outcome.run);
    if (!entry || entry.afterRelease) {
      if (entry?.afterRelease) entry.afterRelease.push(() => done(false));
      else done(false);
      return;
    }
    const pending = this.commits.of(outcome.run);
    const before = pending.effects.length;
    this.happen(outcome.run, event);
    if (this.memory.get(outcome.run) !== entry) {
      done(false);
      return;
    }
    const late = pending.effects.slice(before).some((effect) => effect.type === 'late');
    pending.outcomes.push({ ...outcome, late });
    pending.waiting.push(done);
    this.commits.send();
  }

  /** A worker reports that attempts run: a hint, committed with the next change. */
  begun(
    attempts: readonly { run: number; task: number; shard: number; number: number }[],
    worker: string,
  ): void {
    const now = this.context.clock.now();
    for (const { run, ...attempt } of attempts) {
      if (this.memory.get(run)?.afterRelease === undefined)
        this.happen(run, { now, type: 'begun', attempt, worker }, false);
    }
    const parked = this.hasSetAside ? attempts.filter(({ run }) => !this.memory.has(run)) : [];
    if (parked.length > 0) this.wake(parked, worker);
  }

  /** Attempts of runs that were set aside are running: the runs need an owner again. */
  private wake(attempts: readonly AttemptRef[], worker: string): void {
    const { store, self, clock, report } = this.context;
    store.tellBegun({ self, attempts, worker, now: clock.now() }).then(
      (told) => told > 0 && this.route({ told: true }),
      (error) => report('could not wake runs', error),
    );
  }

  /** Stops acting. The next owner rebuilds uncommitted state from the store. */
  async stop(): Promise<void> {
    this.halt();
    this.memory.stop();
    await this.commits.stop();
    await this.waker.stop();
  }

  /** Checks a dependent task; the run stays in memory meanwhile. */
  private look(entry: RunEntry, task: number, round: number): void {
    const { state, round: current } = entry.run.tasks[task];
    if (state !== 'waiting' || current !== round) return;
    entry.looking++;
    verdictOf(entry.run, task, round, this.context)
      .then((verdict) => {
        if (verdict) this.happen(entry.id, verdict);
      })
      .catch((error) => this.context.report(`dependency of run ${entry.id}`, error))
      .finally(() => {
        entry.looking--;
        if (!this.memory.isCurrent(entry) || this.stopped) return;
        // Marks the run as changed, since it may be parked now.
        this.commits.of(entry.id);
        this.commits.send();
      });
  }

  /** Checks whether any live worker could take an attempt that must not wait without one. */
  private lookForWorkers(id: number, alarm: WorkerAlarm): void {
    const entry = this.memory.get(id);
    if (!entry || this.stopped) return;
    entry.looking++;
    whenUnserved(entry.run, alarm, this.context)
      .then((at) => {
        const now = this.context.clock.now();
        if (at <= now) this.happen(id, { now, type: 'due', alarm });
        else if (this.memory.isCurrent(entry)) this.memory.setAlarm(entry, { ...alarm, at });
      })
      .catch((error) => this.context.report(`workers for run ${id}`, error))
      .finally(() => entry.looking--);
  }

  /** Decides and applies an event. The commit follows, at once if `urgent`. */
  private happen(id: number, event: Happening, urgent = true): void {
    const entry = this.memory.get(id);
    if (!entry || this.stopped) return;
    entry.unserved = false;
    try {
      this.memory.decide(entry, event, this.commits.of(id));
    } catch (error) {
      this.giveUp(id, `internal error while handling "${event.type}": ${(error as Error).message}`);
      return;
    }
    if (urgent) this.commits.send();
    else this.commits.sendLater();
  }

  /** Handles the outcome of changes. */
  private follow(event: CommitEvent): void {
    switch (event.type) {
      case 'committed':
        this.route({ answered: { loans: event.loans, given: event.answer.given } });
        this.act(event);
        break;
      case 'unanswered':
        this.route({ answered: { loans: event.loans, given: undefined } });
        break;
      case 'refused':
        this.giveUp(event.run, `what changes about it cannot be stored: ${event.error.message}`);
        break;
      case 'lost':
        for (const run of event.runs) this.forget(run);
        this.rebuilds.add(event.runs);
        break;
      case 'settled':
        this.route({ settled: true });
        break;
      case 'fenced':
        this.halt();
        this.route({ fenced: event.error });
        for (const run of event.runs) this.forget(run);
        break;
    }
  }

  /** Carries out the effects of changes once they are committed. */
  private act({
    commitments,
    loans,
    answer: { withdrawn, triggered, admitted },
  }: Extract<CommitEvent, { type: 'committed' }>): void {
    const { clock } = this.context;
    const changes = commitments.map(({ change }) => change);
    for (const { entry, pending, change } of commitments) {
      for (const done of pending.waiting.splice(0)) done(true);
      for (const seq of pending.consumed) entry.reading.delete(seq);
      if (!change.release && entry.run.agenda.length > 0)
        this.happen(entry.id, { now: clock.now(), type: 'more' });
      if (this.memory.has(entry.id) && !hasEnded(entry)) {
        for (const effect of pending.effects)
          if (effect.type === 'timer') this.memory.setAlarm(entry, effect.alarm);
      }
      if (change.release) this.drop(entry);
      for (const { task, round } of change.waits?.open ?? []) this.look(entry, task, round);
    }
    this.waker.add(changes.flatMap(({ fact }) => fact?.workflow ?? []));
    if (triggered > 0) this.route({ triggered: true });
    for (const { run, ...attempt } of withdrawn) {
      this.happen(run, {
        now: clock.now(),
        type: 'outcome',
        attempt: { task: attempt.task, shard: attempt.shard, number: attempt.number },
        outcome: { state: 'withdrawn' },
      });
    }
    this.route(newsOf(changes, { loans, admitted }));
  }

  private halt(): void {
    this.stopped = true;
    this.rebuilds.halt();
    this.waker.halt();
  }

  /** No master can continue the run: it leaves memory now, and is set aside after runs being adopted. */
  private giveUp(id: number, reason: string): void {
    this.forget(id);
    this.adopting = this.adopting.then(() => this.breakRun(id, reason));
  }

  private async breakRun(id: number, reason: string): Promise<void> {
    if (this.stopped || this.memory.has(id)) return;
    this.commits.forgive(id);
    await this.broken.setAside(id, reason);
  }

  private forget(run: number): void {
    const entry = this.memory.get(run);
    if (entry) this.drop(entry);
  }

  /** The store delivers again the messages that arrived too late. */
  private drop(entry: RunEntry): void {
    this.memory.remove(entry);
    this.commits.takeBack(entry.id);
    endRelease(entry);
  }
}

function isPause(message: InboxMessage): boolean {
  return message.type === 'control' && message.control.type === 'pause';
}
