/**
 * What has changed about runs, on its way to the store: collected a run, committed in batches, and reported as
 * values. One bad run never fails its batch: each run of a batch that the store refuses is committed alone, and one
 * that is refused several times in a row is given up. Where nobody knows what was committed, its runs are lost here.
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

/** Changes that came as hints wait this long for others. */
const HINT_WAITS = 200;
/** Refusals in a row after which what a run changes cannot be stored. */
const MOST_REFUSALS = 3;

/** What became of changes. */
export type CommitEvent =
  | {
      readonly type: 'committed';
      readonly commitments: readonly Commitment[];
      readonly loans: readonly Loan[];
      readonly answer: CommitAnswer;
    }
  /** The takes that a commit borrowed were not answered. */
  | { readonly type: 'unanswered'; readonly loans: readonly Loan[] }
  /** What this run changes cannot be stored. */
  | { readonly type: 'refused'; readonly run: number; readonly error: Error }
  /** These runs may be committed or not: the store knows. */
  | { readonly type: 'lost'; readonly runs: ReadonlySet<number> }
  /** Nothing is under way any more, and nothing waits. */
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
  /** How often in a row the store refused the changes of a run. */
  private readonly refusals = new Map<number, number>();
  private later: ClockTimer | undefined;
  /** Commits so far. */
  count = 0;

  /** Reads runs from `memory` and borrows `takes` to answer them. */
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

  /** Whether a commit is under way or about to begin. */
  get isBusy(): boolean {
    return this.outgoing.isBusy;
  }

  /** What has changed about a run and waits to be committed. */
  of(run: number): Pending {
    return this.outgoing.of(run);
  }

  /** Commits what waits, as soon as that may be. */
  send(): void {
    this.outgoing.send();
  }

  /** The same for a hint, which need not cost a commit of its own: most often the outcome comes first. */
  sendLater(): void {
    this.later ??= this.context.clock.setTimer(HINT_WAITS, () => {
      this.later = undefined;
      this.outgoing.send();
    });
  }

  /** A run leaves memory: what it was told and is not committed is for the store to tell it again. */
  takeBack(run: number): void {
    for (const done of this.outgoing.takeBack(run)?.waiting ?? []) done(false);
  }

  /** A run was set aside: refusals of it are counted from the beginning. */
  forgive(run: number): void {
    this.refusals.delete(run);
  }

  /** Settles when what waits now is committed, or has failed. */
  flushed(): Promise<void> {
    return this.outgoing.flushed();
  }

  /** Commits nothing more; settles when nothing is under way. */
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
    if (this.refusals.size > 0) for (const { entry } of commitments) this.refusals.delete(entry.id);
    try {
      this.report({ type: 'committed', commitments, loans, answer });
    } catch (error) {
      // It is committed: what became of it in memory is not to be trusted, and must not be committed once more.
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
      await pauseIfLarge(clock, pending.tasks.size);
      if (!entry) continue;
      const commitment = await commitOf(entry, pending, store, clock.now()).catch((error) => {
        throw asBadEntry(error);
      });
      if (commitment.change.release) entry.afterRelease = [];
      commitments.push(commitment);
    }
    return commitments;
  }

  /** A batch that was not, or perhaps not, committed. */
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

  /** Counts a refusal; whether it is one too many. Others may have moved on meanwhile, which is no fault of the run. */
  private isRefusedAgain(run: number): boolean {
    const times = (this.refusals.get(run) ?? 0) + 1;
    this.refusals.set(run, times);
    return times >= MOST_REFUSALS;
  }
}
