/** The clock of this machine, for everything that a process starts. */
import { type Clock, realClock } from '@orrery/core/timing';

export const machineClock: Clock = realClock({
  now: Date.now,
  monotonic: () => performance.now(),
  setTimeout,
  clearTimeout,
});
