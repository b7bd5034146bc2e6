/** Runs of a range of time, part by part. */
import type { Answer, RunChoice } from '@orrery/contract';
import type { Store } from '@orrery/store';
import { timeText } from '../time.ts';
import { chooseRuns, rangeOf } from './choose.ts';

type Histogram = Answer<'showHistogram'>;
type Outcome = 'success' | 'failed' | 'stopped' | 'open';

const outcomes: Readonly<Record<string, Outcome>> = {
  success: 'success',
  failed: 'failed',
  broken: 'failed',
  stopped: 'stopped',
};

/** Counts the chosen runs of a range. */
export async function countByTime(
  store: Store,
  choice: RunChoice & { readonly from: string; readonly to: string; readonly buckets: number },
  now: number,
): Promise<Histogram> {
  const { buckets } = choice;
  const { from, to } = rangeOf(choice, now);
  const { filter } = await chooseRuns(store, choice, now);
  const width = Math.ceil((to - from) / buckets);
  const { counts, sampled } = await store.countByTime({ filter: { ...filter, from, to }, width });
  const empty = () => new Array<number>(buckets).fill(0);
  const columns = { success: empty(), failed: empty(), stopped: empty(), open: empty() };
  for (const { bucket, state, count } of counts) {
    const column = columns[outcomes[state] ?? 'open'];
    if (bucket >= 0 && bucket < buckets) column[bucket] += count;
  }
  return { from: timeText(from), to: timeText(to), width, sampled, ...columns };
}
