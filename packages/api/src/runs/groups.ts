/** Runs put together by what they have in common. */
import type { Answer, RunChoice } from '@orrery/contract';
import type { RunGrouping, Store } from '@orrery/store';
import { timeText } from '../time.ts';
import { chooseRuns } from './choose.ts';

/** Groups the chosen runs. Runs whose command still waits are in no group yet. */
export async function groupRuns(
  store: Store,
  { by, limit, ...choice }: RunChoice & { readonly by: RunGrouping; readonly limit: number },
  now: number,
): Promise<Answer<'listRunGroups'>> {
  const { filter, claimed } = await chooseRuns(store, choice, now);
  if (!claimed) return { groups: [], more: false, since: null };
  const { groups, more, since } = await store.groupRuns({ filter, by, limit });
  return {
    groups: groups.map(
      ({ name, fingerprint, error, first, firstAt, last, lastAt, workflow: _, ...counts }) => ({
        ...counts,
        workflow: by === 'workflow' ? name : null,
        fingerprint,
        error,
        first: { id: first, at: timeText(firstAt) },
        last: { id: last, at: timeText(lastAt) },
      }),
    ),
    more,
    since: since === null ? null : timeText(since),
  };
}
