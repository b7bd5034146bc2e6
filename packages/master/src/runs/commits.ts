/**
 * Changes of runs on their way to the store: collected per run, committed in batches, reported as events. One
 * bad run never fails its batch: when the store refuses a batch, each of its runs is committed alone, and a
 * run refused several times in a row is given up. If the outcome of a commit is unknown, its runs are dropped
 * from memory.
 */
import type { ClockTimer } from '@orrery/core/timing';
import { type CommitAnswer, isBadEntry, StaleEpoch, StoreAway } from '@orrery/store';
import type { Loan, Sessions } from '../dispatch/sessions.ts';
import { WorkerChoices } from '../dispatch/worker-choice.ts';
import type { Context } from '../ports.ts';
import { type Commitment, commitOf } from './commitment.ts';
import { Outgoing } from './outgoing.ts';
import type { Pending } from './pending.ts';
import { asBadEntry } from './rebuilt.ts';
import { endRelease } from './run-entry.ts';
import type { RunMemory } from './run-memory.ts';
import { isFilling } from './run-news.ts';
import { pauseIfLarge } from './turns.ts';

/** Changes from hints wait this long for others. */
const HINT_WAITS = 200;
/** After this many refusals in a row a run's changes cannot be stored. */
const MOST_REFUSALS = 3;

/** The outcome of changes. */
export type CommitEvent =
  | {
      readonly type: 'committed';
      readonly commitments: readonly Commitment[];
      readonly loans: readonly Loan[];
      readonly answer: CommitAnswer;
    }
  /** The takes lent to a commit were not answered. */
  | { readonly type: 'unanswered'; readonly loans: readonly Loan[] }
  /** The changes of this run cannot be stored. */
  | { readonly type: 'refused'; readonly run: number; readonly error: Error }
  /** These runs may or may not be committed; only the store knows. */
  | { readonly type: 'lost'; readonly runs: ReadonlySet<number> }
  /** No commit is in flight and no change waits. */
  | { readonly type: 'settled' }
  /** The node's epoch is over. */
  | { readonly type: 'fenced'; readonly error: StaleEpoch; readonly runs: readonly number[] };

export class Commits {
  private readonly context: Context;
  private readonly memory: RunMemory;
  private readonly takes: Pick<Sessions, 'lend'>;
  private readonly report: (event: CommitEvent) => void;
  private readonly outgoing: Outgoing;
  private readonly choices: WorkerChoices;
  /** Refusals in a row, by run. */
  private readonly refusals = new Map<number, number>();
  private later: ClockTimer | undefined;
  /** Commits so far. */
  count = 0;

  /** Reads runs from `memory`, and borrows `takes` to answer them. */
  constructor(
    context: Context,
    memory: RunMemory,
    takes: Pick<Sessions, 'lend'>,
    report: (event: CommitEvent) => void,
  ) {
    this.context = context;
    this.memory = memory;
    this.takes = takes;
    this.report = report;
    this.choices = new WorkerChoices(context);
    this.outgoing = new Outgoing({
      commit: (batch) => this.commit(batch),
      discard: (batch, error) => this.discard(batch, error),
      settled: () => report({ type: 'settled' }),
    });
  }

  /** Whether a commit is in flight or about to start. */
  get isBusy(): boolean {
    return this.outgoing.isBusy;
  }

  /** The uncommitted changes of a run. */
  of(run: number): Pending {
    return this.outgoing.of(run);
  }

  /** Commits waiting changes as soon as possible. */
  send(): void {
    this.outgoing.send();
  }

  /** Commits changes of a hint, which need no commit of their own: the outcome usually comes first. */
  sendLater(): void {
    this.later ??= this.context.clock.setTimer(HINT_WAITS, () => {
      this.later = undefined;
      this.outgoing.send();
    });
  }

  /** A run leaves memory: the store delivers its uncommitted inbox rows again. */
  takeBack(run: number): void {
    for (const done of this.outgoing.takeBack(run)?.waiting ?? []) done(false);
  }

  /** A run was set aside: its refusals are counted from zero. */
  forgive(run: number): void {
    this.refusals.delete(run);
  }

  /** Settles when the changes that wait now are committed or have failed. */
  flushed(): Promise<void> {
    return this.outgoing.flushed();
  }

  /** Commits nothing more. Settles when no commit is in flight. */
  async stop(): Promise<void> {
    this.later?.cancel();
    await this.outgoing.stop();
  }

  private async commit(batch: readonly Pending[]): Promise<void> {
    const { store, self, clock } = this.context;
    this.count++;
    const commitments = await this.prepare(batch);
    const changes = await this.choices.made(commitments.map(({ change }) => change));
    const loans = this.takes.lend(changes.some(isFilling));
    const takes = loans.map(({ take }) => take);
    let answer: CommitAnswer;
    try {
      answer = await store.commitRuns({ self, changes, takes, now: clock.now() });
    } catch (error) {
      this.report({ type: 'unanswered', loans });
      throw error;
    }
    for (const { entry, change } of commitments) entry.revision = change.revision;
    if (this.refusals.size > 0) for (const { entry } of commitments) this.refusals.delete(entry.id);
    try {
      this.report({ type: 'committed', commitments, loans, answer });
    } catch (error) {
      // The changes are committed, but their state in memory cannot be trusted and must not be committed
      // again.
      throw new StoreAway(
        `what was committed could not be acted on: ${(error as Error).message}`,
        true,
        error,
      );
    }
  }

  private async prepare(batch: readonly Pending[]): Promise<Commitment[]> {
    const { store, clock } = this.context;
    const commitments: Commitment[] = [];
    for (const pending of batch) {
      const entry = this.memory.get(pending.run);
      const pause = pauseIfLarge(clock, pending.tasks.size);
      if (pause) await pause;
      if (!entry) continue;
      let commitment: Commitment;
      try {
        const made = commitOf(entry, pending, store, clock.now());
        commitment = made instanceof Promise ? await made : made;
      } catch (error) {
        throw asBadEntry(error);
      }
      if (commitment.change.release) entry.afterRelease = [];
      commitments.push(commitment);
    }
    return commitments;
  }

  /** Handles a batch that was not committed, or perhaps not. */
  private async discard(batch: readonly Pending[], error: Error): Promise<void> {
    const runs = batch.map(({ run }) => run);
    if (error instanceof StaleEpoch) {
      this.outgoing.halt();
      this.report({ type: 'fenced', error, runs });
      return;
    }
    if (batch.length > 1 && !(error instanceof StoreAway)) {
      for (const pending of batch) {
        const entry = this.memory.get(pending.run);
        if (entry) endRelease(entry);
        await this.commit([pending]).catch((cause) => this.discard([pending], cause));
      }
      return;
    }
    if (batch.length === 1 && isBadEntry(error) && this.isRefusedAgain(runs[0])) {
      for (const done of batch[0].waiting.splice(0)) done(false);
      this.report({ type: 'refused', run: runs[0], error });
      return;
    }
    this.context.report(`could not commit ${batch.length} runs, rebuilding them`, error, { runs });
    const lost = [...batch, ...this.outgoing.takeAll()];
    for (const { waiting } of lost) for (const done of waiting.splice(0)) done(false);
    this.report({ type: 'lost', runs: new Set(lost.map(({ run }) => run)) });
  }

  /**
   * Counts a refusal and returns whether the limit is reached. A concurrent change may cause a single
   * refusal, which is not the run's fault.
   */
  private isRefusedAgain(run: number): boolean {
    const times = (this.refusals.get(run) ?? 0) + 1;
    this.refusals.set(run, times);
    return times >= MOST_REFUSALS;
  }
}
