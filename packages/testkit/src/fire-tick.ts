/** Fires ticks of one schedule in a store, as a master would; for tests of what becomes of them. */
import { type Command, type ScheduleTicks, type Self, type Store, startRow } from '@orrery/store';

/** The ticks to fire, and the master that fires them. */
interface FiredTicks extends Omit<ScheduleTicks, 'ticks' | 'workflow'> {
  readonly self: Self;
  readonly ticks: readonly { readonly due: number; readonly command: Command }[];
  readonly now: number;
}

/** Fires them; whether that was done, and the runs they started. */
export async function fireTick(
  store: Store,
  { self, ticks, now, ...schedule }: FiredTicks,
): Promise<{ fired: boolean; runs: readonly number[] }> {
  const starts = ticks.map(({ due, command }) => ({ due, start: startRow(command) }));
  const workflow = ticks[0]?.command.workflow ?? 0;
  const schedules = [{ ...schedule, workflow, ticks: starts }];
  const { outcomes } = await store.fireTicks({ self, schedules, now });
  const [outcome] = outcomes;
  return outcome.outcome === 'fired' ? { fired: true, runs: outcome.runs } : { fired: false, runs: [] };
}
