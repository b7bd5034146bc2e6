/** The task runs of a run, all or limited to a readable number; times are texts here. */
import { type Client, type TaskRow, taskRows } from '@orrery/sdk/client';

/** One task run as commands show it. */
export interface ShownTask
  extends Pick<TaskRow, 'id' | 'name' | 'type' | 'state' | 'round' | 'attempt' | 'worker' | 'reason'> {
  readonly since: string | null;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
}

/** The page size of the API. */
const PAGE = 1_000;

/** Task runs in the order of the workflow. */
export async function tasksOf(
  client: Client,
  id: number,
  most = Number.POSITIVE_INFINITY,
): Promise<ShownTask[]> {
  const rows: ShownTask[] = [];
  for (;;) {
    const page = await client.listTasks({ id, from: rows.length, limit: PAGE });
    for (const row of taskRows(page)) rows.push(shown(row));
    if (page.next === null || rows.length >= most) return rows;
  }
}

function shown(row: TaskRow): ShownTask {
  const { id, name, type, state, round, attempt, worker, reason } = row;
  const at = (time: number | null) => (time === null ? null : new Date(time).toISOString());
  const times = { since: at(row.since), startedAt: at(row.startedAt), endedAt: at(row.endedAt) };
  return { id, name, type, state, ...times, round, attempt, worker, reason };
}
