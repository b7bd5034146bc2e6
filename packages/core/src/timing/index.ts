export { type Clock, type ClockTimer, type HostTime, realClock } from './clock.ts';
export { TimerQueue, type TimerQueueOptions } from './timer-queue.ts';
export type { TimerHandle } from './timer-table.ts';
export { VirtualClock } from './virtual-clock.ts';
