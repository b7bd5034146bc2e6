/** The result of each run of a bulk, with the current state of the run. */
import type { Answer } from '@orrery/contract';
import type { BulkRow, BulkRunRow, Store } from '@orrery/store';
import { recordedWording } from '../worded.ts';

type Result = Answer<'listBulkResults'>['results'][number];

/** Rows of a bulk, each with its run if that is still stored. */
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
  // A run that was refused as not found stays unnamed, since it may belong to another project.
  return rows.map((row) => {
    const reason = row.reason ?? later.get(row.run) ?? null;
    const why = recordedWording(reason);
    const found = why.code === 'control.noRun' ? gone : (known.get(row.run) ?? gone);
    return { ...row, reason, ...why, ...found };
  });
}

/** Why owners refused the bulk's messages to their runs, if no later action on the run followed. */
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
