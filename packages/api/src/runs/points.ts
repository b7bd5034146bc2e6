/** How long runs of a range of time took, one by one. */
import type { Answer, RunChoice } from '@orrery/contract';
import type { RunState } from '@orrery/core/state';
import type { Store } from '@orrery/store';
import { timeText } from '../time.ts';
import { chooseRuns, rangeOf } from './choose.ts';

/** Limit of points in one answer: a chart cannot show more. */
const MOST_POINTS = 2_000;

/** The chosen runs of a range as columns. */
export async function listPoints(
  store: Store,
  choice: RunChoice & { readonly from: string; readonly to: string },
  now: number,
): Promise<Answer<'listRunPoints'>> {
  const { from, to } = rangeOf(choice, now);
  const { filter, claimed } = await chooseRuns(store, choice, now);
  const { points, sampled } = claimed
    ? await store.listRunPoints({ filter: { ...filter, from, to }, most: MOST_POINTS })
    : { points: [], sampled: 1 };
  const states = [...new Set(points.map(({ state }) => state as RunState))];
  return {
    from: timeText(from),
    to: timeText(to),
    sampled,
    states,
    columns: {
      id: points.map(({ id }) => id),
      at: points.map(({ createdAt }) => createdAt - from),
      took: points.map(({ startedAt, endedAt, idle }) => Math.max(0, (endedAt ?? now) - startedAt - idle)),
      state: points.map(({ state }) => states.indexOf(state as RunState)),
    },
  };
}
