/**
 * Fires due schedules in batches: one transaction for many schedules. While a batch is in flight, newly due
 * schedules wait for the next. A refused batch is split until the bad schedule is alone.
 */
import { type ScheduleTicks, StaleEpoch, StoreAway, type TickOutcome } from '@orrery/store';
import type { Context } from '../ports.ts';
import type { Agenda, AgendaEntry } from './agenda.ts';
import { ticksAt } from './due-ticks.ts';

/** Schedules in one transaction, and transactions in flight. */
const BATCH = 1_000;
const IN_FLIGHT = 2;
/** A batch that was due this long ago is late. */
const LATE = 20;
/** Limit of how long a caller waits for late ticks. */
const HOLD = 250;

/** A schedule and what it fires. */
interface Shot {
  readonly entry: AgendaEntry;
  readonly ticks: ScheduleTicks;
}

export class Firing {
  private readonly context: Context;
  private readonly agenda: Agenda;
  private readonly told: () => void;
  private readonly mayFire: () => boolean;
  private queue: AgendaEntry[] = [];
  private next = 0;
  private inFlight = 0;
  private stopped = false;
  private done: (() => void) | undefined;
  /** The earliest due time of each batch in flight. */
  private readonly dues = new Set<{ readonly due: number }>();
  /** Callers that wait until no tick is late; true means that none is. */
  private waiters: ((caughtUp: boolean) => void)[] = [];

  /** `told` is called when commands were written. Nothing fires while `mayFire` returns false. */
  constructor(context: Context, agenda: Agenda, mayFire: () => boolean, told: () => void) {
    this.context = context;
    this.agenda = agenda;
    this.mayFire = mayFire;
    this.told = told;
  }

  /** Adds due schedules. */
  push(entries: readonly AgendaEntry[]): void {
    for (const entry of entries) this.queue.push(entry);
    this.pump();
  }

  /** Settles when no tick is late (true) or after a timeout (false); undefined if none is late now. */
  caughtUp(): Promise<boolean> | undefined {
    if (!this.isLate()) return undefined;
    return new Promise((resolve) => {
      const timer = this.context.clock.setTimer(HOLD, () => resolve(!this.isLate()));
      this.waiters.push((caughtUp) => {
        timer.cancel();
        resolve(caughtUp);
      });
    });
  }

  /** Fires waiting schedules, if allowed. */
  pump(): void {
    while (!this.stopped && this.inFlight < IN_FLIGHT && this.next < this.queue.length && this.mayFire()) {
      const shots = this.take();
      if (shots.length > 0) void this.send(shots);
    }
    if (this.waiters.length > 0 && !this.isLate()) this.release();
  }

  /** Fires no more; settles when no batch is in flight. */
  stop(): Promise<void> {
    this.stopped = true;
    this.release();
    if (this.inFlight === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.done = resolve;
    });
  }

  private take(): Shot[] {
    const { clock, log, gate } = this.context;
    const now = clock.now();
    const outage = gate.outage && ((from: number, to: number) => gate.outage?.(from, to));
    const shots: Shot[] = [];
    while (this.next < this.queue.length && shots.length < BATCH) {
      const entry = this.queue[this.next++];
      const { prepared } = entry;
      if (!prepared || !this.agenda.has(entry)) continue;
      try {
        const ticks = ticksAt(prepared, now, outage);
        if (ticks.firedUntil === ticks.seen) this.agenda.wait(entry, Math.max(1, entry.due - now));
        else shots.push({ entry, ticks });
      } catch (error) {
        this.agenda.drop(entry);
        log('error', `schedule ${entry.id}: ${(error as Error).message}`, { schedule: entry.id });
      }
    }
    if (this.next === this.queue.length) {
      this.queue = [];
      this.next = 0;
    }
    return shots;
  }

  private async send(shots: readonly Shot[]): Promise<void> {
    const first = { due: shots[0].entry.due };
    this.inFlight++;
    this.dues.add(first);
    await this.fire(shots);
    this.dues.delete(first);
    this.inFlight--;
    if (this.stopped && this.inFlight === 0) this.done?.();
    this.pump();
  }

  private async fire(shots: readonly Shot[]): Promise<void> {
    const { store, self, clock, log, report } = this.context;
    try {
      const schedules = shots.map(({ ticks }) => ticks);
      const { storeTime, outcomes } = await store.fireTicks({ self, schedules, now: clock.now() });
      this.settle(shots, outcomes, storeTime);
    } catch (error) {
      if (error instanceof StaleEpoch) return;
      if (error instanceof StoreAway) {
        report('ticks', error);
        // The batch may have been committed all the same.
        this.agenda.readAgain(shots.map(({ entry }) => entry.id));
        return;
      }
      if (shots.length > 1) {
        const half = shots.length >> 1;
        await this.fire(shots.slice(0, half));
        await this.fire(shots.slice(half));
        return;
      }
      const [{ entry }] = shots;
      // Still due: a sweep retries it.
      this.agenda.drop(entry);
      log('error', `schedule ${entry.id}: ${(error as Error).message}`, { schedule: entry.id });
    }
  }

  private settle(shots: readonly Shot[], outcomes: readonly TickOutcome[], storeTime: number): void {
    const lost: number[] = [];
    shots.forEach(({ entry, ticks }, k) => {
      const { outcome } = outcomes[k];
      if (outcome === 'lost') lost.push(entry.id);
      else if (outcome === 'early') this.agenda.wait(entry, ticks.firedUntil - storeTime + 1);
      else this.agenda.fired(entry, ticks.firedUntil, ticks.nextDue);
    });
    if (lost.length < shots.length) this.told();
    this.agenda.readAgain(lost);
  }

  private release(): void {
    for (const go of this.waiters.splice(0)) go(true);
  }

  /** Whether a schedule that may fire is overdue. Batches are sent in order of their due times. */
  private isLate(): boolean {
    if (this.stopped) return false;
    const [sent] = this.dues;
    const waiting = this.mayFire() ? this.queue[this.next]?.due : undefined;
    const due = sent?.due ?? waiting;
    return due !== undefined && this.context.clock.now() - due > LATE;
  }
}
