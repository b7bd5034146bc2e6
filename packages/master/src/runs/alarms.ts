/** The timers of held runs: set after the commit that asks for them, gone when the run leaves memory. */
import type { Alarm } from '@orrery/core/run';
import { type Clock, type TimerHandle, TimerQueue } from '@orrery/core/timing';
import type { Held } from './held.ts';

/** Rings for runs. */
export class Alarms {
  private readonly timers: TimerQueue<{ held: Held; alarm: Alarm; handle: () => TimerHandle }>;

  constructor(clock: Clock, ring: (run: number, alarm: Alarm) => void) {
    this.timers = new TimerQueue(clock);
    this.timers.start((due) => {
      for (const { held, alarm, handle } of due) {
        held.timers.delete(handle());
        ring(held.id, alarm);
      }
    });
  }

  /** Rings when it is time. */
  set(held: Held, alarm: Alarm): void {
    let handle: TimerHandle;
    const entry = { held, alarm, handle: () => handle };
    handle = this.timers.add(alarm.at, entry);
    held.timers.set(handle, alarm);
  }

  /** Takes back all that was set for a run. */
  cancel(held: Held): void {
    for (const handle of held.timers.keys()) this.timers.cancel(handle);
  }

  stop(): void {
    this.timers.stop();
  }
}
