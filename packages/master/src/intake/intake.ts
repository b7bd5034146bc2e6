/** Claims what waits: runs without an owner that were told something, and starts while there is room. */

import { ServedGroups } from '../dispatch/served-groups.ts';
import type { Context } from '../ports.ts';
import { lastWriteOver } from '../runs/last-write.ts';
import type { Runs } from '../runs/runs.ts';
import { SingleFlight } from '../single-flight.ts';

/** Runs that can only wait take no room, but memory: there may be this many times as many in it. */
const HELD_PER_ROOM = 10;

/** A start older than this that a full or overloaded master finds is one that no master has room for. */
const CLAIMED_WITHIN = 5_000;

/** Late ticks keep starts waiting for this long at most. */
const STARTS_WAIT = 1_000;

export class Intake {
  private readonly context: Context;
  private readonly runs: Runs;
  private readonly looks: SingleFlight;
  private unsure = false;
  /** Starts were left waiting for want of room. */
  private full = false;
  private readonly served: ServedGroups;
  /** When starts that must not wait for room are looked for again. */
  private failAgainAt = 0;
  private readonly ticksFirst: () => Promise<boolean> | undefined;
  /** Since when ticks are late, claim after claim. */
  private waitingSince: number | undefined;

  /** `ticksFirst` is waited for before each claim, and says whether they are in time: starting runs makes ticks later. */
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
        // Something may have been claimed all the same: what the store says is ours is taken up next time.
        this.unsure = true;
        throw error;
      }
    });
  }

  /** Whether a claim went wrong and must be looked into, also when nothing else asks for it. */
  get isUnsure(): boolean {
    return this.unsure;
  }

  /** Looks once more, now or as soon as the look under way is over. */
  look(): void {
    this.looks.ask();
  }

  /** There is room again: looks if there was too little before. */
  freed(): void {
    if (this.full) this.look();
  }

  async stop(): Promise<void> {
    await this.looks.stop();
  }

  /** Starts wait for late ticks, of which each starts a run as well; when these stay late, starts go on beside them. */
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
    // Full or overloaded. One that drains or is paused says nothing about the others.
    if (room === 0 && most > 0) await this.failStarts();
    const claim = { self, orphans: most, starts: mayStart ? room : 0, now: clock.now() };
    const { messages, orphans, starts, more } = await store.claimWork(claim);
    for (const { run, seq, message } of messages) this.runs.receive(run, seq, message);
    await this.runs.adopt(orphans);
    await this.runs.begin(starts, claim.now);
    this.full = starts.length >= claim.starts;
    // Less than was asked for is all there was.
    return (most > 0 && orphans.length >= most) || (more && room > 0);
  }

  /** Fails starts whose workflows want that rather than wait; once a beat. */
  private async failStarts(): Promise<void> {
    const { store, self, config, clock } = this.context;
    if (clock.monotonic() < this.failAgainAt) return;
    this.failAgainAt = clock.monotonic() + config.beatEvery;
    const now = clock.now();
    await store.failStarts({ self, before: now - CLAIMED_WITHIN, limit: config.claimBatch, now });
  }

  /** How many runs may begin. While there is no room for long, those that can only wait make some. */
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
