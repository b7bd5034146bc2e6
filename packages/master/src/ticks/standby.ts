/**
 * Stands by for other masters: fires overdue schedules whose leader does not. It checks a quarter or half a
 * second after a due time, by its rank, and fires if a second check finds that the leader made no progress. A
 * leader that is merely behind is left to catch up, since both would fire the same.
 */
import { type FiringOrder, STANDBY } from '@orrery/cluster';
import type { ClockTimer } from '@orrery/core/timing';
import type { DueSchedule } from '@orrery/store';
import type { Context } from '../ports.ts';
import { SingleFlight } from '../single-flight.ts';
import type { Agenda } from './agenda.ts';

/** Limit of overdue schedules in one check. */
const PAGE = 500;
/** Interval between two checks, and the time in which a leader must show progress. */
const LOOK_EVERY = 250;
const LOOK_AGAIN = 100;

export class Standby {
  private readonly context: Context;
  private readonly agenda: Agenda;
  private readonly mayFire: () => boolean;
  private order: FiringOrder;
  private readonly looks: SingleFlight;
  private timer: ClockTimer | undefined;
  private wakesAt = Number.POSITIVE_INFINITY;
  private lookedAt = Number.NEGATIVE_INFINITY;
  /** The most overdue schedule of each leader at the last check. */
  private heads = new Map<string, string>();

  constructor(context: Context, order: FiringOrder, agenda: Agenda, mayFire: () => boolean) {
    this.context = context;
    this.order = order;
    this.agenda = agenda;
    this.mayFire = mayFire;
    this.looks = new SingleFlight(context, 'ticks of others', 'fire', () => this.look());
  }

  follow(order: FiringOrder): void {
    this.order = order;
  }

  /**
   * The store's next due time: checks afterwards whether it was fired. A single master only checks for
   * schedules that nobody fired.
   */
  expect(due: number | null): void {
    if (due === null || this.looks.isStopped) return;
    const { clock } = this.context;
    const late = this.order.isAlone ? STANDBY.anyone : STANDBY.second;
    const sinceLook = LOOK_EVERY - (clock.monotonic() - this.lookedAt);
    this.wake(Math.max(due + late - clock.now(), sinceLook));
  }

  async stop(): Promise<void> {
    this.timer?.cancel();
    await this.looks.stop();
  }

  private wake(after: number): void {
    const { clock } = this.context;
    const at = clock.monotonic() + Math.max(1, after);
    if (at >= this.wakesAt) return;
    this.timer?.cancel();
    this.wakesAt = at;
    this.timer = clock.setTimer(Math.max(1, after), () => {
      this.wakesAt = Number.POSITIVE_INFINITY;
      this.looks.ask();
    });
  }

  private async look(): Promise<boolean> {
    const { store, clock } = this.context;
    if (!this.mayFire()) return false;
    this.lookedAt = clock.monotonic();
    const now = clock.now();
    const { late, next } = await store.lateSchedules({ until: now - STANDBY.second, limit: PAGE });
    const heads = this.headsOf(late);
    const stalled = new Set(
      [...heads].filter(([leader, head]) => this.heads.get(leader) === head).map(([leader]) => leader),
    );
    // A check costs the database as much as firing what it reads, so leaders that all make progress are given
    // time.
    const isNews = [...heads.keys()].some((leader) => !this.heads.has(leader) || stalled.has(leader));
    this.heads = heads;
    const adopted = late.filter(({ id, nextDue }) => {
      const delay = this.order.delayOf(id);
      if (delay === 0) return now - nextDue >= STANDBY.anyone;
      return now - nextDue >= delay && stalled.has(this.order.leaderOf(id));
    });
    this.agenda.adopt(adopted);
    if (late.some(({ id }) => !this.agenda.knows(id))) this.wake(isNews ? LOOK_AGAIN : LOOK_EVERY);
    else this.expect(late[0]?.nextDue ?? next);
    return false;
  }

  private headsOf(late: readonly DueSchedule[]): Map<string, string> {
    const heads = new Map<string, string>();
    for (const { id, nextDue } of late) {
      const leader = this.order.leaderOf(id);
      if (!heads.has(leader)) heads.set(leader, `${nextDue}.${id}`);
    }
    return heads;
  }
}
