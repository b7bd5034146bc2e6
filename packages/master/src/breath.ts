/** Pauses in work on large runs, so that no step of it holds up everything else for long. */
import type { Clock } from '@orrery/core/timing';

/** Task runs that are dealt with in one step: some 5 us each to load, decide or commit. */
const LARGE = 2_000;

/** Lets all that is due have its turn, where so many task runs come next. */
export async function breath(clock: Clock, tasks: number): Promise<void> {
  if (tasks < LARGE) return;
  await new Promise<void>((resolve) => {
    clock.setTimer(0, resolve);
  });
}
