/** Changes of runs as events: rows as lists show them, and the task runs of those that are watched, in columns. */
import { liveRules, type RunPatch, type TaskColumns } from '@orrery/contract/live';
import { errorOf } from '@orrery/core/run';
import type { RunRevision, Store } from '@orrery/store';
import { dueOf, firstStarts, shardCounts, takenAt } from '../runs/columns.ts';
import { taskRunOf } from '../runs/read.ts';
import { shownState, showRows } from '../runs/show-row.ts';
import { optionalTime, timeText } from '../time.ts';
import type { Changes } from './changes.ts';
import type { Frame } from './frame.ts';

/** Adds the runs that changed; with too many, only that they did. */
export async function addRuns(
  frame: Frame,
  store: Store,
  { runs }: Changes,
  topics: ReadonlySet<string>,
): Promise<void> {
  const watched = [...runs.keys()].filter((id) => topics.has(`run:${id}`));
  const wide = [...topics].filter((topic) => topic === 'runs' || topic.startsWith('workflow:'));
  const all = wide.length > 0 && runs.size <= liveRules.mostIds;
  const ids = all ? [...runs.keys()] : watched.slice(0, liveRules.mostIds);
  if (wide.length > 0 && !all) for (const topic of wide) frame.addMany(topic, runs.size);
  for (const id of watched.slice(ids.length)) frame.addMany(`run:${id}`, 1);
  if (ids.length === 0) return;
  const found = await store.readRunsById({ ids });
  const add = (patch: RunPatch, version: number) => {
    const { id, project, name } = patch;
    for (const topic of [...(all ? ['runs', `workflow:${project}/${name}`] : []), `run:${id}`]) {
      if (topics.has(topic)) frame.add({ topic, kind: 'run', id, version, patch }, { project });
    }
  };
  const listed = await store.readListed({ ids: found.runs.map(({ id }) => id) });
  const revisions = new Map(listed.map(({ run, revision }) => [run.id, revision]));
  const queued = found.queued.map(({ run, ...start }) => ({ id: run, ...start }));
  for (const row of await showRows(store, listed, queued)) add(row, revisions.get(row.id) ?? 0);
  await addTasks(frame, store, runs, found.runs, new Set(watched));
}

async function addTasks(
  frame: Frame,
  store: Store,
  changed: Changes['runs'],
  rows: readonly RunRevision[],
  watched: ReadonlySet<number>,
): Promise<void> {
  const wanted: { run: number; task: number }[] = [];
  for (const { id, project } of rows) {
    const tasks = watched.has(id) ? changed.get(id) : undefined;
    if (tasks === undefined || tasks.size === 0) continue;
    if (tasks.size <= liveRules.mostIds) wanted.push(...[...tasks].map((task) => ({ run: id, task })));
    else
      frame.add(
        { topic: `run:${id}`, kind: 'many', id: null, version: 0, patch: { count: tasks.size } },
        { project },
      );
  }
  if (wanted.length === 0) return;
  const [taskRuns, began] = await Promise.all([
    store.readTaskRuns({ tasks: wanted }),
    store.readStartsOf({ tasks: wanted }),
  ]);
  const found = Map.groupBy(taskRuns, ({ run }) => run);
  const starts = Map.groupBy(began, ({ run }) => run);
  for (const { id, project, revision, round } of rows) {
    const tasks = found.get(id);
    if (tasks === undefined) continue;
    const patch = columnsOf(tasks, starts.get(id) ?? [], round);
    frame.add({ topic: `run:${id}`, kind: 'tasks', id, version: revision, patch }, { project });
  }
}

function columnsOf(
  rows: Awaited<ReturnType<Store['readTaskRuns']>>,
  began: Awaited<ReturnType<Store['readStartsOf']>>,
  round: number,
): TaskColumns {
  const tasks = rows.map((row) => ({ index: row.task, task: taskRunOf(row) }));
  const starts = firstStarts(began, new Map(tasks.map(({ index, task }) => [index, task])));
  const column = <T>(of: (entry: (typeof tasks)[number]) => T): T[] => tasks.map(of);
  return {
    index: column(({ index }) => index),
    state: column(({ task }) => shownState(task.state, task.round, round)),
    since: column(({ task }) => timeText(task.since)),
    queued: column(({ task }) => optionalTime(task.started)),
    started: column(({ index, task }) => optionalTime(starts.get(index) ?? takenAt(task))),
    round: column(({ task }) => task.round),
    attempt: column(({ task }) => task.shards.reduce((most, { attempt }) => Math.max(most, attempt), 0)),
    workers: column(({ task }) => [...new Set(task.shards.flatMap(({ worker }) => worker ?? []))]),
    reason: column(({ task }) => errorOf(task)),
    due: column(({ task }) => optionalTime(dueOf(task))),
    forced: column(({ task }) => task.forced ?? false),
    shards: column(({ task }) => shardCounts(task)),
  };
}
