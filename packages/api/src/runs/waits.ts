/** The waits of a run's queued task runs, by where their attempts are. */
import type { Answer } from '@orrery/contract';
import type { OpenWait } from '@orrery/store';
import type { Context } from '../context.ts';
import { groupsOf, workerState } from '../nodes.ts';
import { findRun, noTasks } from './read.ts';

type TaskWaits = Answer<'listTaskWaits'>;
type Code = TaskWaits['waits'][number]['code'];

/** Limit of listed task runs. */
const MOST = 10_000;

/**
 * The hardest to resolve first: if the shards of a task wait for several things, the first one here is shown.
 */
const codes: readonly Code[] = ['no-worker', 'task-group', 'priority', 'slots'];

/** The current waits of a run. */
export async function listTaskWaits(context: Context, id: number): Promise<TaskWaits> {
  const { store, clock } = context;
  await findRun(context, id, noTasks);
  const found = await store.listOpenWaits({ run: id, limit: MOST + 1 });
  if (found.length === 0) return { waits: [], more: false };
  const workers = await store.listWorkers();
  const served = new Set(
    workers.filter((worker) => workerState(worker, clock.now()) === 'alive').flatMap(groupsOf),
  );
  const byTask = new Map<number, Code>();
  for (const wait of found.slice(0, MOST)) {
    const code = codeOf(wait, served);
    const known = byTask.get(wait.task);
    if (known === undefined || codes.indexOf(code) < codes.indexOf(known)) byTask.set(wait.task, code);
  }
  const waits = Map.groupBy(byTask, ([, code]) => code);
  return {
    waits: codes.flatMap((code) => {
      const tasks = waits.get(code)?.map(([task]) => task);
      return tasks ? [{ code, tasks }] : [];
    }),
    more: found.length > MOST,
  };
}

function codeOf({ group, urgent }: OpenWait, served: ReadonlySet<string>): Code {
  if (group === null) return 'task-group';
  if (!served.has(group)) return 'no-worker';
  return urgent === 1 ? 'priority' : 'slots';
}
