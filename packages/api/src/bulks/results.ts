/** What became of each run of a bulk, with the run as it is now. */
import type { Answer } from '@orrery/contract';
import type { BulkRow, BulkRunRow, Store } from '@orrery/store';
import { recordedWording } from '../worded.ts';

type Result = Answer<'listBulkResults'>['results'][number];

/** Rows of a bulk, each with its run, as far as that is kept. */
export async function showResults(
  store: Store,
  bulk: BulkRow,
  rows: readonly BulkRunRow[],
): Promise<Result[]> {
  const [{ runs, queued }, later] = await Promise.all([
    store.readRunsById({ ids: rows.map(({ run }) => run) }),
    refusedLater(store, bulk, rows),
  ]);
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
  return rows.map((row) => {
    const reason = row.reason ?? later.get(row.run) ?? null;
    const why = recordedWording(reason);
    const found = why.code === 'control.noRun' ? gone : (known.get(row.run) ?? gone);
    return { ...row, reason, ...why, ...found };
  });
}

/** Why owners refused what their runs were told, where that is the last that was done to them: a run may have moved on. */
async function refusedLater(
  store: Store,
  { action, createdAt }: BulkRow,
  rows: readonly BulkRunRow[],
): Promise<ReadonlyMap<number, string>> {
  const told = rows.filter(({ outcome }) => outcome === 'told');
  const entries = await store.lastEntries({
    of: told.map(({ run }) => ({ kind: 'run', subject: String(run) })),
  });
  return new Map(
    entries
      .filter((entry) => entry.action === `${action}-refused` && entry.at >= createdAt)
      .map(({ subject, body }) => [Number(subject), JSON.parse(body).reason]),
  );
}
