/** The timers of held runs: set after the commit that requests them, removed when the run leaves memory. */
import type { Alarm } from '@orrery/core/run';
import { type Clock, type TimerHandle, TimerQueue } from '@orrery/core/timing';
import type { RunEntry } from './run-entry.ts';

/** Holds the timers of runs and calls back when one is due. */
export class Alarms {
  private readonly timers: TimerQueue<{ entry: RunEntry; alarm: Alarm; handle: () => TimerHandle }>;

  constructor(clock: Clock, ring: (run: number, alarm: Alarm) => void) {
    this.timers = new TimerQueue(clock);
    this.timers.start((due) => {
      for (const { entry, alarm, handle } of due) {
        entry.timers.delete(handle());
        ring(entry.id, alarm);
      }
    });
  }

  /** Sets a timer for an alarm of a run. */
  set(entry: RunEntry, alarm: Alarm): void {
    let handle: TimerHandle;
    const timer = { entry, alarm, handle: () => handle };
    handle = this.timers.add(alarm.at, timer);
    entry.timers.set(handle, alarm);
  }

  /** Cancels all timers of a run. */
  cancel(entry: RunEntry): void {
    for (const handle of entry.timers.keys()) this.timers.cancel(handle);
  }

  stop(): void {
    this.timers.stop();
  }
}
