/**
 * The schedules that this master fires and that are due soon, each with one timer. Near ones are in the
 * wheel, far ones in the skip list, and the rest only in the store. Pages are loaded ahead from the store;
 * their number limits the memory.
 *
 * A schedule: (waiting -> preparing -> armed -> due -> fired) -> waiting for its next tick, or gone from
 * here.
 */
import type { FiringOrder, OwnershipChange } from '@orrery/cluster';
import { type TimerHandle, TimerQueue } from '@orrery/core/timing';
import type { DueSchedule, FiringSchedule } from '@orrery/store';
import type { Context } from '../ports.ts';
import { nextTurn } from '../runs/turns.ts';
import { SingleFlight } from '../single-flight.ts';
import { dueOf, type PreparedTick, prepareTick, readTiming } from './due-ticks.ts';
import { LiveVersions } from './live-versions.ts';

/** How far ahead schedules are loaded, and the margin at which the next are loaded. */
const WINDOW = 60_000;
const REFILL = 30_000;
/**
 * How long before its due time a tick is prepared. Preparation runs in pages, and a page waits for those
 * before it.
 */
const AHEAD = 3_000;
/** Schedules read at once, to learn when they are due and to prepare them. */
const PAGE = 20_000;
const PREPARED_PAGE = 500;
/** Schedules checked in one turn when the order changes: 1 us each, more with a hash ring. */
const REVIEWED_TURN = 5_000;
/**
 * Limits of schedules in memory, and of prepared ticks among them. The others are loaded when there is room.
 */
const MOST = 200_000;
const MOST_PREPARED = 20_000;

/** A schedule with its timer. */
export interface AgendaEntry {
  readonly id: number;
  due: number;
  timer: TimerHandle | undefined;
  prepared: PreparedTick | undefined;
}

/** Callbacks of the agenda. */
export interface AgendaListener {
  /** These schedules are due and prepared. */
  due(entries: readonly AgendaEntry[]): void;
}

export class Agenda {
  private readonly context: Context;
  private readonly listener: AgendaListener;
  private order: FiringOrder;
  private readonly entries = new Map<number, AgendaEntry>();
  private readonly timers: TimerQueue<AgendaEntry>;
  private readonly live: LiveVersions;
  private readonly loads: SingleFlight;
  private readonly preparations: SingleFlight;
  /** Everything due before the cursor is loaded; new due times before `until` are kept. */
  private cursor = BEGINNING;
  private until = -1;
  private readonly unprepared: AgendaEntry[] = [];
  private readonly unread = new Set<number>();
  /** Schedules to check after an ownership change. */
  private unreviewed: Iterator<number>[] = [];
  private prepared = 0;
  private revision: number | undefined;
  private wanted = 0;

  constructor(context: Context, order: FiringOrder, listener: AgendaListener) {
    this.context = context;
    this.order = order;
    this.listener = listener;
    this.live = new LiveVersions(context.store);
    this.timers = new TimerQueue(context.clock);
    this.loads = new SingleFlight(context, 'schedules', 'fire', () => this.load());
    this.preparations = new SingleFlight(context, 'ticks', 'fire', () => this.prepareSome());
    this.timers.start((due) => this.ring(due));
  }

  /** Count of schedules here. */
  get size(): number {
    return this.entries.size;
  }

  /** Whether this entry is the current one of its schedule. */
  has(entry: AgendaEntry): boolean {
    return this.entries.get(entry.id) === entry;
  }

  /** Whether a schedule is here. */
  knows(id: number): boolean {
    return this.entries.has(id);
  }

  /**
   * The owners of schedules changed: drops those this master lost and loads those it gained. The others keep
   * their timers.
   */
  follow({ order, moved }: OwnershipChange): void {
    this.order = order;
    if (moved) this.unreviewed.push(moved.values());
    else {
      this.unreviewed = [this.entries.keys()];
      this.cursor = BEGINNING;
      this.until = -1;
    }
    this.loads.ask();
  }

  /** The store has edits up to `revision` and is due next at `nextDue`: loads what is missing here. */
  learn(revision: number, nextDue: number | null): void {
    this.revision ??= revision;
    this.wanted = Math.max(this.wanted, revision);
    const now = this.context.clock.now();
    const isNear = nextDue !== null && nextDue <= now + WINDOW;
    const isBehind = this.wanted > this.revision || this.unread.size > 0 || this.unreviewed.length > 0;
    if (isBehind || (isNear && this.isShort(now))) this.loads.ask();
    if (this.unprepared.length > 0) this.preparations.ask();
  }

  /** A hint that schedules were edited. */
  edited(): void {
    if (this.revision === undefined) return;
    this.wanted = Math.max(this.wanted, this.revision + 1);
    this.loads.ask();
  }

  /** Reads schedules again, because they had changed since they were read. */
  readAgain(ids: readonly number[]): void {
    for (const id of ids) this.unread.add(id);
    if (ids.length > 0) this.loads.ask();
  }

  /** Takes up schedules that another master should have fired. */
  adopt(late: readonly DueSchedule[]): void {
    for (const { id, nextDue } of late) if (!this.entries.has(id)) this.arm(this.add(id, nextDue));
  }

  /** The schedule fired up to a time. Its next tick is armed if it is due soon and this master fires it. */
  fired(entry: AgendaEntry, firedUntil: number, nextDue: number | null): void {
    const { prepared } = entry;
    if (!this.has(entry) || !prepared) return;
    this.unprepare(entry);
    const now = this.context.clock.now();
    // Ticks due at once are kept even during a full reload.
    const until = Math.max(this.until, now + AHEAD);
    if (nextDue === null || nextDue > until || this.order.delayOf(entry.id) > 0) {
      this.entries.delete(entry.id);
      return;
    }
    entry.due = nextDue;
    if (nextDue <= now + AHEAD && this.prepared < MOST_PREPARED) {
      const { schedule, timing, live } = prepared;
      this.setPrepared(entry, prepareTick(schedule, timing, live, firedUntil));
    } else this.arm(entry);
  }

  /** Not due yet by the store's clock: tries again after `ms`. */
  wait(entry: AgendaEntry, ms: number): void {
    if (!this.has(entry)) return;
    entry.timer = this.timers.add(this.context.clock.now() + ms, entry);
  }

  /** The schedule cannot fire now. A sweep finds it again. */
  drop(entry: AgendaEntry): void {
    if (this.has(entry)) this.forget(entry);
  }

  async stop(): Promise<void> {
    this.timers.stop();
    await Promise.all([this.loads.stop(), this.preparations.stop()]);
  }

  private isShort(now: number): boolean {
    return this.until < now + REFILL && this.entries.size < MOST;
  }

  /** Loads moved and edited schedules first, then those due next. Returns whether there is more. */
  private async load(): Promise<boolean> {
    const { store, clock } = this.context;
    let more = false;
    await this.review();
    if (this.revision !== undefined && this.wanted > this.revision) {
      const edits = await store.editedSchedules({ after: this.revision, limit: PREPARED_PAGE });
      const last = edits.at(-1);
      more = edits.length === PREPARED_PAGE;
      this.revision = last?.revision ?? this.revision;
      if (!more) this.wanted = this.revision;
      for (const { id } of edits) this.unread.add(id);
    }
    if (this.unread.size > 0) {
      const ids = [...this.unread].slice(0, PREPARED_PAGE);
      for (const id of ids) this.unread.delete(id);
      try {
        this.refresh(ids, await store.readSchedules({ ids }));
      } catch (error) {
        for (const id of ids) this.unread.add(id);
        throw error;
      }
      more ||= this.unread.size > 0;
    }
    const now = clock.now();
    if (!this.isShort(now)) return more;
    // The window moves before the read, so that a schedule that fires again after the read is kept.
    const { cursor } = this;
    this.until = now + WINDOW;
    const page = await store.dueSchedules({ until: this.until, after: cursor, limit: PAGE });
    if (this.cursor !== cursor) return true;
    for (const { id, nextDue } of page)
      if (this.order.delayOf(id) === 0 && !this.entries.has(id)) this.arm(this.add(id, nextDue));
    const last = page.at(-1);
    if (page.length < PAGE) this.cursor = { due: this.until, id: Number.MAX_SAFE_INTEGER };
    else if (last) {
      this.cursor = { due: last.nextDue, id: last.id };
      this.until = last.nextDue;
      return this.entries.size < MOST;
    }
    return more;
  }

  /** In turns, drops the schedules this master lost and marks those it gained for loading. */
  private async review(): Promise<void> {
    for (let looked = 0; this.unreviewed.length > 0; ) {
      const { value: id, done } = this.unreviewed[0].next();
      if (done) {
        this.unreviewed.shift();
        continue;
      }
      const entry = this.entries.get(id);
      const isOurs = this.order.delayOf(id) === 0;
      if (entry && !isOurs) this.forget(entry);
      else if (!entry && isOurs) this.unread.add(id);
      if (++looked % REVIEWED_TURN === 0) await nextTurn(this.context.clock);
    }
  }

  /** Replaces schedules with their current rows. */
  private refresh(ids: readonly number[], rows: readonly FiringSchedule[]): void {
    const found = new Map(rows.map((row) => [row.id, row]));
    for (const id of ids) {
      const row = found.get(id);
      const before = this.entries.get(id);
      if (before) this.forget(before);
      const due = row?.enabled ? dueOf(row) : undefined;
      if (due === undefined || due > this.until) continue;
      if (before || this.order.delayOf(id) === 0) this.arm(this.add(id, due));
    }
  }

  private add(id: number, due: number): AgendaEntry {
    const entry: AgendaEntry = { id, due, timer: undefined, prepared: undefined };
    this.entries.set(id, entry);
    return entry;
  }

  private arm(entry: AgendaEntry): void {
    const at = entry.due - AHEAD;
    if (at > this.context.clock.now()) entry.timer = this.timers.add(at, entry);
    else this.wantPrepared(entry);
  }

  private ring(rung: readonly AgendaEntry[]): void {
    const due: AgendaEntry[] = [];
    for (const entry of rung) {
      entry.timer = undefined;
      if (!entry.prepared) this.wantPrepared(entry);
      else {
        due.push(entry);
      }
    }
    if (due.length > 0) this.listener.due(due);
  }

  private wantPrepared(entry: AgendaEntry): void {
    this.unprepared.push(entry);
    this.preparations.ask();
  }

  private async prepareSome(): Promise<boolean> {
    const room = Math.min(PREPARED_PAGE, MOST_PREPARED - this.prepared);
    if (room <= 0) return false;
    const entries = this.unprepared.splice(0, room).filter((entry) => this.has(entry));
    if (entries.length === 0) return this.unprepared.length > 0;
    try {
      const rows = await this.context.store.readSchedules({ ids: entries.map(({ id }) => id) });
      await this.live.read(rows);
      const found = new Map(rows.map((row) => [row.id, row]));
      for (const entry of entries) if (this.has(entry)) this.prepare(entry, found.get(entry.id));
    } catch (error) {
      // Still unprepared: the next beat retries.
      this.unprepared.unshift(...entries);
      throw error;
    }
    return this.unprepared.length > 0;
  }

  private prepare(entry: AgendaEntry, row: FiringSchedule | undefined): void {
    if (!row?.enabled || row.nextDue === null || row.live === null) {
      this.forget(entry);
      return;
    }
    try {
      const live = this.live.of(row.workflow);
      this.setPrepared(entry, prepareTick(row, readTiming(row), live, row.firedUntil));
    } catch (error) {
      // A bad schedule must not hold up the others. A sweep finds it again.
      this.forget(entry);
      this.context.log('error', `schedule ${row.id}: ${(error as Error).message}`, { schedule: row.id });
    }
  }

  private setPrepared(entry: AgendaEntry, prepared: PreparedTick | undefined): void {
    if (!prepared) {
      this.forget(entry);
      return;
    }
    entry.prepared = prepared;
    this.prepared++;
    entry.due = prepared.due;
    entry.timer = this.timers.add(entry.due, entry);
  }

  private unprepare(entry: AgendaEntry): void {
    if (!entry.prepared) return;
    entry.prepared = undefined;
    this.prepared--;
    if (this.unprepared.length > 0) this.preparations.ask();
  }

  private forget(entry: AgendaEntry): void {
    if (entry.timer !== undefined) this.timers.cancel(entry.timer);
    this.unprepare(entry);
    this.entries.delete(entry.id);
  }
}

const BEGINNING = { due: -1, id: 0 };
