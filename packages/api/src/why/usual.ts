/** How long tasks usually take, told by their last attempts that succeeded; and who of several ends first by that. */
import type { LimitHolder, Store } from '@orrery/store';
import { outlinesOf } from '../runs/outlines.ts';
import { percentile } from '../workflows/strip.ts';

/** Runs of a workflow that are looked back at. */
const LOOKED_BACK = 20;
/** Attempts of one task run that are looked at: one with many shards tells no more by all of them. */
const MOST_ATTEMPTS = 10;

/** A holder that a worker is busy with, and how long its task usually takes, in milliseconds. */
interface Ending {
  readonly holder: LimitHolder;
  readonly usual: number;
}

/** Who of these ends first by what is usual; undefined where no task of theirs has succeeded lately. */
export async function nextToEnd(store: Store, holders: readonly LimitHolder[]): Promise<Ending | undefined> {
  const busy = holders.flatMap((holder) => (holder.since === null ? [] : [{ holder, since: holder.since }]));
  const usualOf = await readUsual(
    store,
    busy.map(({ holder }) => holder),
  );
  const [first] = busy
    .flatMap(({ holder, since }) => {
      const usual = usualOf(holder);
      return usual === null ? [] : [{ holder, usual, ends: since + usual }];
    })
    .sort((a, b) => a.ends - b.ends);
  return first;
}

/** Tasks are the same by their name: a version may have put them elsewhere. */
async function readUsual(
  store: Store,
  holders: readonly LimitHolder[],
): Promise<(holder: LimitHolder) => number | null> {
  const newest = new Map<number, number>();
  for (const { workflow, run } of holders) newest.set(workflow, Math.max(run, newest.get(workflow) ?? 0));
  const runs = await store.listRunsBefore({
    runs: [...newest].map(([workflow, before]) => ({ workflow, before })),
    limit: LOOKED_BACK,
  });
  const tasksOf = await outlinesOf(store).read([...holders, ...runs]);
  const keyOf = (holder: LimitHolder) => `${holder.workflow}.${tasksOf(holder)[holder.task]}`;
  const wanted = new Set(holders.map(keyOf));
  const keys = new Map<string, string>();
  const tasks = runs.flatMap((run) =>
    tasksOf(run).flatMap((name, task) => {
      const key = `${run.workflow}.${name}`;
      if (!wanted.has(key)) return [];
      keys.set(`${run.id}.${task}`, key);
      return [{ run: run.id, task }];
    }),
  );
  const times = Map.groupBy(await store.readSuccessTimes({ tasks, limit: MOST_ATTEMPTS }), ({ run, task }) =>
    keys.get(`${run}.${task}`),
  );
  return (holder) => {
    const took = (times.get(keyOf(holder)) ?? []).map((time) => Math.max(0, time.took));
    return percentile(
      took.sort((a, b) => a - b),
      0.5,
    );
  };
}
