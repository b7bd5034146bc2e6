/** The last runs of a workflow by task, a byte a cell. */
import { type Answer, gridStates } from '@orrery/core/contract';
import type { Plan } from '@orrery/core/run';
import type { GridRun } from '@orrery/store';
import type { Context } from '../server.ts';
import { showStripRun } from './strip.ts';

/** Cells of one answer; of a workflow with very many tasks fewer runs are shown. */
const MOST_CELLS = 200_000;

const codes = new Map<string, number>(gridStates.map((state, code) => [state, code]));

/** Rows are the tasks of the live version, and after them those that only older versions had. */
export async function showGrid(
  { store, plans }: Context,
  workflow: { readonly id: number; readonly version: number },
  wanted: number,
): Promise<Answer<'showGrid'>> {
  const { length } = (await plans.get(workflow.id, workflow.version)).tasks;
  const limit = Math.max(1, Math.min(wanted, Math.floor(MOST_CELLS / length)));
  const runs = (await store.readGrid({ workflow: workflow.id, limit })).reverse();
  const rows = new Map<string, number>();
  const planOf = new Map<number, Plan>();
  for (const version of [workflow.version, ...runs.map((run) => run.version).reverse()]) {
    if (planOf.has(version)) continue;
    const plan = await plans.get(workflow.id, version);
    planOf.set(version, plan);
    for (const { spec } of plan.tasks) if (!rows.has(spec.name)) rows.set(spec.name, rows.size);
  }
  const cells = Buffer.alloc(rows.size * runs.length);
  for (const [column, run] of runs.entries()) {
    const plan = planOf.get(run.version);
    if (plan) fill(cells.subarray(column * rows.size, (column + 1) * rows.size), run, plan, rows);
  }
  return {
    tasks: [...rows.keys()],
    runs: runs.map(showStripRun),
    states: [...gridStates],
    cells: cells.toString('base64'),
  };
}

/** A task that nothing has happened to has no entry: it is still to come, or not part of the present round. */
function fill(column: Buffer, { cells, round }: GridRun, { tasks }: Plan, rows: Map<string, number>): void {
  const untouched = codes.get(round === 1 ? 'pending' : 'excluded') ?? 0;
  const rowOf = tasks.map(({ spec }) => rows.get(spec.name) ?? 0);
  for (const row of rowOf) column[row] = untouched;
  if (cells === '') return;
  for (const cell of cells.split(' ')) {
    const cut = cell.indexOf(':');
    column[rowOf[Number(cell.slice(0, cut))]] = codes.get(cell.slice(cut + 1)) ?? 0;
  }
}
