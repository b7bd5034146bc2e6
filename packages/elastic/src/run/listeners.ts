/** Listeners around a round: on every instance, or once for the whole cluster. */
import type { Clock } from '@orrery/core/timing';
import type { JobSeat, ShardOutcome } from '../board/board.ts';

/** What a listener hears. */
export interface RoundInfo {
  readonly job: string;
  readonly shards: readonly number[];
}

/** Called around rounds. A listener that throws fails the round. */
export interface Listeners {
  before?(round: RoundInfo): Promise<void> | void;
  after?(round: RoundInfo & { readonly outcomes: readonly ShardOutcome[] }): Promise<void> | void;
  /**
   * Called on one instance when all shards of all instances are about to start; the other instances wait for
   * it.
   */
  beforeOnce?(): Promise<void> | void;
  /** Called on one instance when all shards of all instances have ended. */
  afterOnce?(): Promise<void> | void;
  /** Longest wait for the other instances, in milliseconds; then the round fails. */
  readonly patience?: number;
}

const PATIENCE = 60_000;

/** Meets the other instances, if a listener asks for it, and calls it on one of them; false if the meeting is off. */
export async function meetAll(
  seat: JobSeat,
  listeners: Listeners,
  phase: 'started' | 'completed',
  shards: readonly number[],
  signal: AbortSignal,
  clock: Clock,
): Promise<boolean> {
  const listener = phase === 'started' ? listeners.beforeOnce : listeners.afterOnce;
  if (!listener) return true;
  const patience = listeners.patience ?? PATIENCE;
  const late = new AbortController();
  const timer = clock.setTimer(patience, () =>
    late.abort(new Error(`not all shards had ${phase} after ${patience} ms`)),
  );
  try {
    const isLast = await seat.meet(phase, shards, AbortSignal.any([signal, late.signal]));
    if (!isLast) return isLast !== undefined;
    try {
      await listener.call(listeners);
    } finally {
      await seat.disperse(phase);
    }
    return true;
  } catch (error) {
    // Instances that still wait must not wait for one that gave up.
    if (late.signal.aborted) await seat.disperse(phase);
    throw error;
  } finally {
    timer.cancel();
  }
}
