/**
 * Changes of runs on their way to the store. A batch goes at once when none is under way; what comes meanwhile is the
 * next. When enough has come for a whole batch it goes beside the first, so that neither the store nor this thread
 * waits for the other. A run is in one batch at a time: its changes are committed in their order, or not at all.
 */
import { Pending } from './pending.ts';

/** What becomes of a batch. */
export interface Committer {
  commit(batch: readonly Pending[]): Promise<void>;
  /** It was not, or perhaps not, committed; no other batch is under way. */
  discard(batch: readonly Pending[], error: Error): Promise<void>;
  /** Nothing is under way any more, and nothing waits. */
  settled(): void;
}

/** Runs, outcomes and queued attempts in one batch, about. */
const BATCH = 400;
/** How often it is looked whether there is enough for another batch, in changes: to add them up takes time. */
const LOOK_EVERY = 50;
/** Batches under way at most. */
const LANES = 2;

export class Outgoing {
  private readonly committer: Committer;
  private readonly waiting = new Map<number, Pending>();
  /** Runs of the batches under way. */
  private readonly leaving = new Set<number>();
  private readonly lanes = new Set<Promise<void>>();
  private failed: { batch: readonly Pending[]; error: Error }[] = [];
  private flushing: Promise<void> | undefined;
  private asked = 0;
  /** Tells the flush that there is enough for another batch. */
  private enough: (() => void) | undefined;
  private stopped = false;

  constructor(committer: Committer) {
    this.committer = committer;
  }

  /** Whether a batch is under way or about to go. */
  get isBusy(): boolean {
    return this.flushing !== undefined;
  }

  /** What has changed about a run and waits to be committed. */
  of(run: number): Pending {
    let pending = this.waiting.get(run);
    if (!pending) {
      pending = new Pending(run);
      this.waiting.set(run, pending);
    }
    return pending;
  }

  /** Sends what waits, as soon as it may. */
  send(): void {
    if (this.stopped) return;
    if (this.flushing) {
      if (this.enough && ++this.asked % LOOK_EVERY === 0 && this.isEnough()) this.enough();
      return;
    }
    this.flushing = Promise.resolve()
      .then(() => this.flush())
      .finally(() => {
        this.flushing = undefined;
        if (this.waiting.size > 0) this.send();
        else this.committer.settled();
      });
  }

  /** Takes back what waits of a run. */
  takeBack(run: number): Pending | undefined {
    const pending = this.waiting.get(run);
    this.waiting.delete(run);
    return pending;
  }

  /** Takes back all that waits. */
  takeAll(): Pending[] {
    const all = [...this.waiting.values()];
    this.waiting.clear();
    return all;
  }

  /** Settles when what waits now is committed, or has failed. */
  async flushed(): Promise<void> {
    await this.flushing;
  }

  /** Sends nothing more. */
  halt(): void {
    this.stopped = true;
  }

  /** Sends nothing more; settles when nothing is under way. */
  async stop(): Promise<void> {
    this.halt();
    await this.flushing;
  }

  private async flush(): Promise<void> {
    while (this.waiting.size > 0 && !this.stopped) {
      const batch = this.nextBatch();
      if (batch.length > 0) this.begin(batch);
      if (this.lanes.size >= LANES || !this.isEnough()) await this.laneOrEnough();
      if (this.failed.length > 0) await this.discardFailed();
    }
    await Promise.all(this.lanes);
    await this.discardFailed();
  }

  private begin(batch: readonly Pending[]): void {
    for (const { run } of batch) this.leaving.add(run);
    const lane = this.committer
      .commit(batch)
      .catch((error) => {
        this.failed.push({ batch, error });
      })
      .finally(() => {
        for (const { run } of batch) this.leaving.delete(run);
        this.lanes.delete(lane);
      });
    this.lanes.add(lane);
  }

  /** Waits until a batch is committed or, while there is a free lane, until there is enough for another. */
  private async laneOrEnough(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (this.lanes.size < LANES) this.enough = resolve;
    await Promise.race([...this.lanes, promise]);
    this.enough = undefined;
  }

  private async discardFailed(): Promise<void> {
    await Promise.all(this.lanes);
    const failed = this.failed;
    this.failed = [];
    for (const { batch, error } of failed) await this.committer.discard(batch, error);
  }

  /** What may go next, in the order it came; but at first outcomes, for half of the batch: slots are free with them. */
  private nextBatch(): Pending[] {
    const batch: Pending[] = [];
    let weight = 0;
    const fill = (most: number, may: (pending: Pending) => boolean) => {
      for (const [run, pending] of this.waiting) {
        if (weight >= most) return;
        if (this.leaving.has(run) || !may(pending)) continue;
        batch.push(pending);
        this.waiting.delete(run);
        weight += pending.weight;
      }
    };
    fill(BATCH / 2, ({ outcomes }) => outcomes.length > 0);
    fill(BATCH, () => true);
    return batch;
  }

  /** Whether a whole batch could go beside those under way. */
  private isEnough(): boolean {
    let weight = 0;
    for (const [run, pending] of this.waiting) {
      if (this.leaving.has(run)) continue;
      weight += pending.weight;
      if (weight >= BATCH) return true;
    }
    return false;
  }
}
