/** Claims what waits: runs without an owner that were told something, and starts while there is room. */
import { StaleEpoch } from '@orrery/store';
import type { Context } from './ports.ts';
import type { Runs } from './runs.ts';

export class Intake {
  private readonly context: Context;
  private readonly runs: Runs;
  private looking: Promise<void> | undefined;
  private again = false;
  private unsure = false;
  /** Starts were left waiting for want of room. */
  private full = false;
  private stopped = false;

  constructor(context: Context, runs: Runs) {
    this.context = context;
    this.runs = runs;
  }

  /** Whether a claim went wrong and must be looked into, also when nothing else asks for it. */
  get isUnsure(): boolean {
    return this.unsure;
  }

  /** Looks once more, now or as soon as the look under way is over. */
  look(): void {
    if (this.stopped) return;
    if (this.looking) {
      this.again = true;
      return;
    }
    this.looking = this.claim()
      .catch((error) => {
        // Something may have been claimed all the same: what the store says is ours is taken up next time.
        this.unsure = true;
        if (!(error instanceof StaleEpoch)) this.context.log('warn', `intake: ${error.message}`);
      })
      .finally(() => {
        this.looking = undefined;
        if (this.again) {
          this.again = false;
          this.look();
        }
      });
  }

  /** There is room again: looks if there was too little before. */
  freed(): void {
    if (this.full) this.look();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.looking;
  }

  private async claim(): Promise<void> {
    const { store, self, config, clock } = this.context;
    if (this.unsure) {
      const owned = await store.listOwned({ self });
      await this.runs.adopt(owned.map(({ id }) => id).filter((id) => !this.runs.owns(id)));
      this.unsure = false;
    }
    const most = config.claimBatch;
    const room = Math.max(0, Math.min(most, config.room - this.runs.size));
    const claim = { self, orphans: most, starts: room, now: clock.now() };
    const { messages, orphans, starts } = await store.claimWork(claim);
    for (const { run, seq, message } of messages) this.runs.receive(run, seq, message);
    await this.runs.adopt(orphans);
    await this.runs.begin(starts, claim.now);
    this.full = starts.length >= room;
    // Less than was asked for is all there was.
    if (orphans.length >= most || (this.full && room > 0)) this.again = true;
  }
}
