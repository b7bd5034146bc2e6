/**
 * Fires schedules. The store says what is due next; a timer wakes at that time, and each tick is one compare-and-set
 * on its schedule, so who fires it decides nothing but who is first. What was missed is caught up by its policy.
 */
import { type ScheduleSpec, timingOf } from '@orrery/core/model';
import { catchUp, nextTick } from '@orrery/core/time';
import type { ClockTimer } from '@orrery/core/timing';
import {
  type Command,
  type ScheduleRow,
  StaleEpoch,
  StoreAway,
  startCommand,
  type WorkflowVersion,
} from '@orrery/store';
import { OneLook } from './one-look.ts';
import type { Context } from './ports.ts';

/** Schedules read at once, and ticks of one schedule fired at once. */
const PAGE = 500;
const CATCH_UP = 100;

export class Ticks {
  private readonly context: Context;
  private readonly fired: () => void;
  private timer: ClockTimer | undefined;
  private wakesAt = Number.POSITIVE_INFINITY;
  private readonly looks: OneLook;

  constructor(context: Context, fired: () => void) {
    this.context = context;
    this.fired = fired;
    this.looks = new OneLook(context, 'ticks', 'fire', () => this.fireDue());
  }

  /**
   * The store's next due time: wakes then, if nothing wakes earlier. One that has come is not waited for: the clock was
   * set forward, or the machine slept, since the timer was set.
   */
  soon(due: number | null): void {
    if (due === null || this.looks.isStopped) return;
    const { clock } = this.context;
    const left = due - clock.now();
    if (left > 0 && due >= this.wakesAt) return;
    this.timer?.cancel();
    this.wakesAt = due;
    this.timer = clock.setTimer(Math.max(0, left), () => this.look());
  }

  /** Fires what is due now, and sets the timer for what comes next. */
  look(): void {
    this.looks.ask();
  }

  async stop(): Promise<void> {
    this.timer?.cancel();
    await this.looks.stop();
  }

  private async fireDue(): Promise<boolean> {
    const { store, clock } = this.context;
    this.timer?.cancel();
    this.wakesAt = Number.POSITIVE_INFINITY;
    const due = await store.dueSchedules({ until: clock.now(), limit: PAGE });
    const workflows = new Map<number, WorkflowVersion | undefined>();
    let fired = 0;
    let failed = false;
    for (const schedule of due) {
      try {
        if (!workflows.has(schedule.workflow))
          workflows.set(schedule.workflow, await store.readWorkflow({ id: schedule.workflow }));
        const live = workflows.get(schedule.workflow);
        if (!live || this.looks.isStopped) continue;
        fired += await this.fire(schedule, live);
      } catch (error) {
        if (error instanceof StaleEpoch || error instanceof StoreAway) throw error;
        // One that is bad must not hold up those after it.
        failed = true;
        this.context.log('error', `schedule ${schedule.id}: ${(error as Error).message}`);
      }
    }
    if (fired > 0) this.fired();
    // It is still due: the next beat looks again.
    if (failed) return false;
    const [next] = await store.dueSchedules({ until: Number.MAX_SAFE_INTEGER, limit: 1 });
    this.soon(next?.nextDue ?? null);
    return due.length === PAGE || fired > 0;
  }

  /** Fires the due ticks of one schedule, a page at a time; how many runs that made. */
  private async fire(schedule: ScheduleRow, live: WorkflowVersion): Promise<number> {
    const { store, self, clock } = this.context;
    const { policy, threshold } = schedule.spec.misfire;
    const timing = timingOf(schedule.spec);
    const now = clock.now();
    let seen = schedule.firedUntil;
    let count = 0;
    for (;;) {
      const page = catchUp({ timing, policy, threshold, firedUntil: seen, now, limit: CATCH_UP });
      const answer = await store.fireTicks({
        self,
        schedule: schedule.id,
        version: schedule.version,
        seen,
        firedUntil: page.firedUntil,
        nextDue: nextTick(timing, page.firedUntil) ?? null,
        ticks: page.fire.map((due) => ({ due, command: tickCommand(schedule.spec, live, due) })),
        skipped: page.skipped && { ...page.skipped, reason: skipReason(schedule.spec, page.skipped.reason) },
        now,
      });
      // Not fired: another master was first, or the schedule was edited. What is due then is read again.
      if (!answer.fired) return count;
      count += answer.runs.length;
      seen = page.firedUntil;
      if (!page.more) return count;
    }
  }
}

function tickCommand(
  { params, priority, timezone }: ScheduleSpec,
  live: WorkflowVersion,
  due: number,
): Command {
  return startCommand(live, { trigger: 'tick', businessTime: due, params, priority, timezone });
}

function skipReason(spec: ScheduleSpec, reason: 'missed' | 'replaced'): string {
  if (reason === 'replaced')
    return 'missed while no master could fire; the latest missed tick fired for them';
  return `missed by more than ${spec.misfire.threshold} ms; the misfire policy is "${spec.misfire.policy}"`;
}
