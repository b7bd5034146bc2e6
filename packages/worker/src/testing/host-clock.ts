/** The clock of the machine, for tests and benchmarks with real processes. */
import { type Clock, realClock } from '@orrery/core/timing';

export const hostClock: Clock = realClock({
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimeout: (run, delay) => setTimeout(run, delay),
  clearTimeout: (timeout) => clearTimeout(timeout),
});
