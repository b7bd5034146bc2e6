/** The last runs of a workflow by task, a byte a cell. */
import { type Answer, gridStates } from '@orrery/contract';
import type { Plan } from '@orrery/core/run';
import type { GridRun } from '@orrery/store';
import type { Context } from '../context.ts';
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
  const size = rows.size * runs.length;
  const bytes = { cells: Buffer.alloc(size), took: Buffer.alloc(size), waited: Buffer.alloc(size) };
  const figure = () => new Array<number>(rows.size).fill(0);
  const figures = {
    took: figure(),
    waited: figure(),
    ran: figure(),
    retried: figure(),
    failed: figure(),
  };
  for (const [column, run] of runs.entries()) {
    const rowOf = planOf.get(run.version)?.tasks.map(({ spec }) => rows.get(spec.name) ?? 0);
    if (rowOf) fill(bytes, figures, column * rows.size, run, rowOf);
  }
  return {
    tasks: [...rows.keys()],
    runs: runs.map(showStripRun),
    states: [...gridStates],
    cells: bytes.cells.toString('base64'),
    took: bytes.took.toString('base64'),
    waited: bytes.waited.toString('base64'),
    figures,
  };
}

type Figures = { -readonly [Name in keyof Answer<'showGrid'>['figures']]: number[] };

/** A task without any event has no entry: it has not started, or is not part of the current round. */
function fill(
  bytes: Readonly<Record<'cells' | 'took' | 'waited', Buffer>>,
  figures: Figures,
  start: number,
  { cells, times, round }: GridRun,
  rowOf: readonly number[],
): void {
  const untouched = codes.get(round === 1 ? 'pending' : 'excluded') ?? 0;
  for (const row of rowOf) bytes.cells[start + row] = untouched;
  for (const cell of partsOf(cells)) {
    const [task, state, attempts] = cell.split(':');
    const row = rowOf[Number(task)];
    bytes.cells[start + row] = codes.get(state) ?? 0;
    if (Number(attempts) > 0) figures.ran[row]++;
    if (Number(attempts) > 1) figures.retried[row]++;
    if (state === 'failed') figures.failed[row]++;
  }
  for (const cell of partsOf(times)) {
    const [task, took, waited] = cell.split(':').map(Number);
    const row = rowOf[task];
    figures.took[row] += took;
    figures.waited[row] += waited;
    bytes.took[start + row] = timeByte(took);
    bytes.waited[start + row] = timeByte(waited);
  }
}

const partsOf = (text: string) => (text === '' ? [] : text.split(' '));

/** Eight steps for each doubling: a byte reaches from 1 ms to 45 days. */
function timeByte(ms: number): number {
  return ms <= 0 ? 0 : Math.min(255, Math.max(1, Math.round(8 * Math.log2(ms))));
}
