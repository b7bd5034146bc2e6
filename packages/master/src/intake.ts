/** Claims what waits: inboxes of runs without an owner first, then starts while there is room. */
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
    for (const { run, seq, message } of await store.readInboxes({ self }))
      this.runs.receive(run, seq, message);
    const orphans = await store.claimInboxes({ self, limit: config.claimBatch });
    await this.runs.adopt(orphans.map(({ run }) => run));
    const room = Math.min(config.claimBatch, config.room - this.runs.size);
    const starts = room > 0 ? await store.claimStarts({ self, limit: room, now: clock.now() }) : [];
    this.full = starts.length >= room;
    await this.runs.begin(starts);
    if (orphans.length > 0 || starts.length > 0) this.again = true;
  }
}
