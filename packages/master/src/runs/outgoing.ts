/**
 * Changes of runs on their way to the store. A batch goes at once when none is in flight; later changes form
 * the next batch. When a full batch is ready, it goes beside the first, so that neither the store nor this
 * thread waits for the other. A run is in one batch at a time, so its changes are committed in order or not
 * at all.
 */
import { Pending } from './pending.ts';

/** Commits or discards a batch. */
export interface Committer {
  commit(batch: readonly Pending[]): Promise<void>;
  /** The batch was not committed, or perhaps not; no other batch is in flight. */
  discard(batch: readonly Pending[], error: Error): Promise<void>;
  /** No batch is in flight and no change waits. */
  settled(): void;
}

/** Approximate size of a batch: runs, outcomes and queued attempts. */
const BATCH = 400;
/** Interval, in changes, at which the size of the next batch is checked: adding up takes time. */
const LOOK_EVERY = 50;
/** Limit of batches in flight. */
const LANES = 2;

export class Outgoing {
  private readonly committer: Committer;
  private readonly waiting = new Map<number, Pending>();
  /** Runs of the batches in flight. */
  private readonly leaving = new Set<number>();
  private readonly lanes = new Set<Promise<void>>();
  private failed: { batch: readonly Pending[]; error: Error }[] = [];
  private flushing: Promise<void> | undefined;
  private asked = 0;
  /** Tells the flush that another batch is ready. */
  private enough: (() => void) | undefined;
  private stopped = false;

  constructor(committer: Committer) {
    this.committer = committer;
  }

  /** Whether a batch is in flight or about to go. */
  get isBusy(): boolean {
    return this.flushing !== undefined;
  }

  /** The uncommitted changes of a run. */
  of(run: number): Pending {
    let pending = this.waiting.get(run);
    if (!pending) {
      pending = new Pending(run);
      this.waiting.set(run, pending);
    }
    return pending;
  }

  /** Sends waiting changes as soon as possible. */
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

  /** Removes and returns the waiting changes of a run. */
  takeBack(run: number): Pending | undefined {
    const pending = this.waiting.get(run);
    this.waiting.delete(run);
    return pending;
  }

  /** Removes and returns all waiting changes. */
  takeAll(): Pending[] {
    const all = [...this.waiting.values()];
    this.waiting.clear();
    return all;
  }

  /** Settles when the changes that wait now are committed or have failed. */
  async flushed(): Promise<void> {
    await this.flushing;
  }

  /** Sends nothing more. */
  halt(): void {
    this.stopped = true;
  }

  /** Sends nothing more; settles when no batch is in flight. */
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

  /** Waits for a batch to be committed, or, while a lane is free, for another full batch. */
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

  /**
   * The next batch, in order of arrival. Up to half of it are outcomes, which go first because they free
   * slots.
   */
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

  /** Whether a full batch could go beside those in flight. */
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
