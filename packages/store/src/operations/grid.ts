/** The last runs of a workflow by task: one text a run, since a row a cell would cost more than all else. */
import { batch, type Operation, rows } from '../operation.ts';
import { unnest } from '../table.ts';

/** A run of a grid. `cells` has `task:state` of every task that something has happened to. */
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
}

/** The last runs, newest first. A task that had no turn in the present round of its run counts as excluded. */
export function* readGrid(input: {
  readonly workflow: number;
  readonly limit: number;
}): Operation<GridRun[]> {
  const runs = yield* rows<Omit<GridRun, 'round' | 'cells'> & { fields: string }>(
    `SELECT id, version, state, started_at AS "startedAt", ended_at AS "endedAt", idle, counts AS counted, fields FROM run
     WHERE workflow = ?1 AND kind = 'normal' ORDER BY id DESC LIMIT ?2`,
    input.workflow,
    input.limit,
  );
  const heads = runs.map(({ fields, ...run }) => ({ ...run, round: JSON.parse(fields).round as number }));
  const cell = (round: string) =>
    `task || ':' || CASE WHEN state = 'pending' AND round <> ${round} THEN 'excluded' ELSE state END`;
  const types = ['int', 'int'] as const;
  const { rows: cells } = yield* batch<{ run: number; cells: string | null }>(
    {
      sqlite: `SELECT ?1 AS run, group_concat(${cell('?2')}, ' ') AS cells FROM task_run WHERE run = ?1`,
      postgres: `SELECT k.id AS run, c.cells FROM ${unnest(types)} AS k(id, present) CROSS JOIN LATERAL (
        SELECT string_agg(${cell('k.present')}, ' ') AS cells FROM task_run WHERE run = k.id) c`,
    },
    types,
    heads.map(({ id, round }) => [id, round]),
  );
  const cellsOf = new Map(cells.map(({ run, cells }) => [run, cells]));
  return heads.map((run) => ({ ...run, cells: cellsOf.get(run.id) ?? '' }));
}
