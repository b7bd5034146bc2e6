/** What became of each run of a bulk, with the run as it is now. */
import type { Answer } from '@orrery/core/contract';
import { type BulkRunRow, noSuchRun, type Store } from '@orrery/store';

type Result = Answer<'listBulkResults'>['results'][number];

/** Rows of a bulk, each with its run, as far as that is kept. */
export async function showResults(store: Store, rows: readonly BulkRunRow[]): Promise<Result[]> {
  const { runs, queued } = await store.readRunsById({ ids: rows.map(({ run }) => run) });
  const known = new Map<number, Pick<Result, 'project' | 'name' | 'state'>>([
    ...runs.map(
      ({ id, project, name, state }) => [id, { project, name, state: state as Result['state'] }] as const,
    ),
    ...queued.map(
      ({ run, command: { project, name } }) => [run, { project, name, state: 'queued' }] as const,
    ),
  ]);
  const gone = { project: null, name: null, state: null };
  // Of a run that is refused as not there nothing is told, also where it is of another project.
  return rows.map((row) => ({ ...row, ...(row.reason === noSuchRun ? gone : (known.get(row.run) ?? gone)) }));
}
