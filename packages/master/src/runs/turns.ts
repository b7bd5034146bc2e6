/** Yields during work on many tasks, so that no turn of the event loop delays other work for long. */
import type { Clock } from '@orrery/core/timing';

/** Task runs handled in one turn: about 5 us each to load or commit. */
const LARGE = 2_000;
/** The same for starts: 15 us each to create, decide and queue. */
const STARTED = 1_000;

/** Yields before work on many task runs; undefined if there is nothing to wait for. */
export function pauseIfLarge(clock: Clock, tasks: number): Promise<void> | undefined {
  return tasks >= LARGE ? nextTurn(clock) : undefined;
}

/** Counts the task runs of starts. The returned function yields after enough of them. */
export function startTurns(clock: Clock): (tasks: number) => Promise<void> | undefined {
  let decided = 0;
  return (tasks) => {
    decided += tasks;
    if (decided < STARTED) return undefined;
    decided = 0;
    return nextTurn(clock);
  };
}

/** Lets all due work run first. */
export function nextTurn(clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    clock.setTimer(0, resolve);
  });
}
