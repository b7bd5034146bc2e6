/** What the ticks of schedules became lately: the last run, drift, and how many were skipped. */
import type { Answer, ShownRunState } from '@orrery/contract';
import type { Context } from '../context.ts';
import { timeText } from '../time.ts';

type Recent = NonNullable<Answer<'listSchedules'>['schedules'][number]['recent']>;

const WEEK = 7 * 86_400_000;

/** By the id of the schedule. */
export async function recentOf(
  { store, clock }: Context,
  schedules: readonly { readonly id: number }[],
): Promise<ReadonlyMap<number, Recent>> {
  const ids = schedules.map(({ id }) => id);
  const found = await store.recentTicks({ schedules: ids, since: clock.now() - WEEK });
  return new Map(
    found.map(({ schedule, drifts, due, run, state, skipped }) => [
      schedule,
      {
        last:
          due === null || run === null
            ? null
            : { due: timeText(due), run, state: state as ShownRunState | null },
        drift: driftOf(drifts === null ? [] : drifts.split(',').map(Number)),
        skipped,
      },
    ]),
  );
}

function driftOf(drifts: readonly number[]): Recent['drift'] {
  if (drifts.length === 0) return null;
  const sorted = drifts.toSorted((one, other) => one - other);
  const at = (share: number) => sorted[Math.ceil(share * sorted.length) - 1];
  return { p50: at(0.5), p99: at(0.99) };
}
