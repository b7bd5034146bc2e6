/** Claims waiting work: runs without an owner that have inbox rows, and starts while there is room. */

import { ServedGroups } from '../dispatch/served-groups.ts';
import type { Context } from '../ports.ts';
import { lastWriteOver } from '../runs/last-write.ts';
import type { Runs } from '../runs/runs.ts';
import { SingleFlight } from '../single-flight.ts';

/** Runs that can only wait take no room, only memory: their limit is this multiple of the room. */
const HELD_PER_ROOM = 10;

/** If a full or overloaded master finds a start older than this, no master has room for it. */
const CLAIMED_WITHIN = 5_000;

/** Late ticks delay starts for at most this long. */
const STARTS_WAIT = 1_000;

export class Intake {
  private readonly context: Context;
  private readonly runs: Runs;
  private readonly looks: SingleFlight;
  private unsure = false;
  /** Starts wait because there is no room. */
  private full = false;
  private readonly served: ServedGroups;
  /** When to check again for starts that must not wait for room. */
  private failAgainAt = 0;
  private readonly ticksFirst: () => Promise<boolean> | undefined;
  /** Since when ticks have been late at every claim. */
  private waitingSince: number | undefined;

  /**
   * Each claim first waits for `ticksFirst`, which returns whether ticks are in time: starting runs delays
   * ticks.
   */
  constructor(context: Context, runs: Runs, ticksFirst: () => Promise<boolean> | undefined) {
    this.context = context;
    this.runs = runs;
    this.ticksFirst = ticksFirst;
    this.served = new ServedGroups(context);
    this.looks = new SingleFlight(context, 'intake', 'hear', async () => {
      const areTicksLate = (await this.ticksFirst()) === false;
      try {
        return await this.claim(this.mayStart(areTicksLate));
      } catch (error) {
        // The claim may have been committed: the next check takes up the runs that the store assigns to this
        // master.
        this.unsure = true;
        throw error;
      }
    });
  }

  /** Whether a claim failed and must be resolved even if nothing else requests a check. */
  get isUnsure(): boolean {
    return this.unsure;
  }

  /** Checks again, now or as soon as the check in flight is over. */
  look(): void {
    this.looks.ask();
  }

  /** Runs left memory: checks if there was too little room before. */
  freed(): void {
    if (this.full) this.look();
  }

  async stop(): Promise<void> {
    await this.looks.stop();
  }

  /**
   * Starts yield to late ticks, since each tick starts a run as well. If ticks stay late, starts go on beside
   * them.
   */
  private mayStart(areTicksLate: boolean): boolean {
    const now = this.context.clock.monotonic();
    if (!areTicksLate) this.waitingSince = undefined;
    else this.waitingSince ??= now;
    return this.waitingSince === undefined || now - this.waitingSince >= STARTS_WAIT;
  }

  private async claim(mayStart: boolean): Promise<boolean> {
    const { store, self, config, clock, gate } = this.context;
    if (this.unsure) {
      await lastWriteOver(this.context);
      const owned = await store.listOwned({ self });
      await this.runs.adopt(owned.map(({ id }) => id).filter((id) => !this.runs.owns(id)));
      this.unsure = false;
    }
    const most = gate.refusal('adopt') === undefined ? config.claimBatch : 0;
    const room = gate.refusal('start') === undefined ? Math.min(most, await this.room()) : 0;
    // This master is full or overloaded. A draining or paused master does not show that the others have no
    // room.
    if (room === 0 && most > 0) await this.failStarts();
    const claim = { self, orphans: most, starts: mayStart ? room : 0, now: clock.now() };
    const { messages, orphans, starts, more } = await store.claimWork(claim);
    for (const { run, seq, message } of messages) this.runs.receive(run, seq, message);
    await this.runs.adopt(orphans);
    await this.runs.begin(starts, claim.now);
    this.full = starts.length >= claim.starts;
    // An incomplete page is the last one.
    return (most > 0 && orphans.length >= most) || (more && room > 0);
  }

  /** Fails starts whose workflows prefer failing to waiting; once a beat. */
  private async failStarts(): Promise<void> {
    const { store, self, config, clock } = this.context;
    if (clock.monotonic() < this.failAgainAt) return;
    this.failAgainAt = clock.monotonic() + config.beatEvery;
    const now = clock.now();
    await store.failStarts({ self, before: now - CLAIMED_WITHIN, limit: config.claimBatch, now });
  }

  /** How many runs may start. When room is short for long, runs that can only wait are set aside. */
  private async room(): Promise<number> {
    const { room } = this.context.config;
    const left = () => Math.max(0, Math.min(room - this.runs.working, HELD_PER_ROOM * room - this.runs.size));
    if (left() > 0) {
      this.served.forget();
      return left();
    }
    const served = await this.served.look();
    if (served) this.runs.setAside(served);
    return left();
  }
}
