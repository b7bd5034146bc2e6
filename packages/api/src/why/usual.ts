/**
 * The usual duration of tasks, from their last successful attempts, and which of several ends first by it.
 */
import type { LimitHolder, Store } from '@orrery/store';
import { outlinesOf } from '../runs/outlines.ts';
import { percentile } from '../workflows/strip.ts';

/** Runs of a workflow that are looked back at. */
const LOOKED_BACK = 20;
/** Limit of attempts read of one task run: more shards of a task add little. */
const MOST_ATTEMPTS = 10;

/** A holder that a worker is busy with, and how long its task usually takes, in milliseconds. */
interface Ending {
  readonly holder: LimitHolder;
  readonly usual: number;
}

/** The holder expected to end first; undefined if no task of theirs has succeeded lately. */
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
