/** A run with its task runs, as commands show it: two answers of the API put together. */
import { type TaskPage, taskRows } from '@orrery/core/contract/task-columns';
import type { ApiClient } from './api-client.ts';
import type { RunHead, RunPage, TaskRow } from './shapes.ts';

/** Reads a run and its first 1,000 task runs; `nextTasks` leads to the others. */
export async function readRun(api: ApiClient, id: string | number): Promise<RunPage> {
  const path = `/runs/${encodeURIComponent(id)}`;
  // Task runs first: a run that is seen to have ended was then seen with all that ended in it.
  let page = await api.get<TaskPage>(`${path}/tasks`);
  const run = await api.get<RunHead>(path);
  if (run.endedAt !== null) page = await api.get<TaskPage>(`${path}/tasks`);
  return { ...run, tasks: taskRows(page).map(shown), nextTasks: page.next };
}

function shown({
  id,
  name,
  type,
  state,
  since,
  attempt,
  worker,
  reason,
}: ReturnType<typeof taskRows>[number]): TaskRow {
  const at = since === null ? null : new Date(since).toISOString();
  return { id, name, type, state, since: at, attempt, worker, reason };
}
