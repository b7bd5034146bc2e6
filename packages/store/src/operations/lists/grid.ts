/** The last runs of a workflow by task: one text per run, since a row per cell would dominate the cost. */
import { batch, type Operation, rows } from '../../operation.ts';
import { unnest } from '../../table.ts';

/** A run of a grid. `cells` has `task:state:attempts` of every task with events. */
export interface GridRun {
  readonly id: number;
  readonly version: number;
  readonly state: string;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly idle: number;
  readonly counted: number;
  readonly round: number;
  readonly cells: string;
  /**
   * `task:milliseconds run:milliseconds waited` of every task that had an attempt, summed over its attempts.
   */
  readonly times: string;
}

/** The last runs, newest first. A task without a turn in the current round of its run counts as excluded. */
export function* readGrid(input: {
  readonly workflow: number;
  readonly limit: number;
}): Operation<GridRun[]> {
  const runs = yield* rows<Omit<GridRun, 'round' | 'cells' | 'times'> & { fields: string }>(
    `SELECT id, version, state, started_at AS "startedAt", ended_at AS "endedAt", idle, counts AS counted, fields FROM run
     WHERE workflow = ?1 AND kind = 'normal' ORDER BY id DESC LIMIT ?2`,
    input.workflow,
    input.limit,
  );
  const heads = runs.map(({ fields, ...run }) => ({ ...run, round: JSON.parse(fields).round as number }));
  const cell = (round: string) =>
    `task || ':' || CASE WHEN state = 'pending' AND round <> ${round} THEN 'excluded' ELSE state END || ':' || attempt`;
  const spent =
    'task, sum(coalesce(ended_at - started_at, 0)) AS took, sum(coalesce(started_at - queued_at, 0)) AS waited';
  const time = "task || ':' || took || ':' || waited";
  const types = ['int', 'int'] as const;
  const { rows: cells } = yield* batch<{ run: number; cells: string | null; times: string | null }>(
    {
      sqlite: `SELECT ?1 AS run,
        (SELECT group_concat(${cell('?2')}, ' ') FROM task_run WHERE run = ?1) AS cells,
        (SELECT group_concat(${time}, ' ') FROM (SELECT ${spent} FROM attempt WHERE run = ?1 GROUP BY task)) AS times`,
      postgres: `SELECT k.id AS run, c.cells, t.times FROM ${unnest(types)} AS k(id, present)
        CROSS JOIN LATERAL (
          SELECT string_agg(${cell('k.present')}, ' ') AS cells FROM task_run WHERE run = k.id) c
        CROSS JOIN LATERAL (SELECT string_agg(${time}, ' ') AS times FROM (
          SELECT ${spent} FROM attempt WHERE run = k.id GROUP BY task) s) t`,
    },
    types,
    heads.map(({ id, round }) => [id, round]),
  );
  const byRun = new Map(cells.map((row) => [row.run, row]));
  return heads.map((run) => ({
    ...run,
    cells: byRun.get(run.id)?.cells ?? '',
    times: byRun.get(run.id)?.times ?? '',
  }));
}
