/** Ownership of runs by the store's record, which decides after a lost answer. */
import { batch, type Operation, row, rows } from '../../operation.ts';
import type { Row } from '../../table.ts';
import type { Self } from '../cluster/self.ts';
import { RELEASE } from './run-batch.ts';

/** Ids of the runs that a master owns. */
export function* listOwned({ self }: { readonly self: Self }): Operation<readonly { readonly id: number }[]> {
  return yield* rows<{ id: number }>(
    'SELECT id FROM run WHERE owner = ?1 AND owner_epoch = ?2',
    self.node,
    self.epoch,
  );
}

/** How many of these runs the master owns, each looked up by its id. */
export function* countOwned({ node, epoch }: Self, runs: readonly number[]): Operation<number> {
  if (runs.length === 0) return 0;
  const counted = yield* row<{ owned: number }>(
    {
      sqlite: `SELECT count(*) AS owned FROM json_each(?1) k CROSS JOIN run r ON r.id = k.value
        WHERE r.owner = ?2 AND r.owner_epoch = ?3`,
      postgres: `SELECT count(*) AS owned FROM json_array_elements_text(?1::json) k CROSS JOIN LATERAL (
        SELECT owner, owner_epoch FROM run WHERE id = k.value::int8 OFFSET 0) r
        WHERE r.owner = ?2 AND r.owner_epoch = ?3`,
    },
    JSON.stringify(runs),
    node,
    epoch,
  );
  return counted?.owned ?? 0;
}

/**
 * Names the runs for which a commit was refused, after its update of the rows: that has released some of those
 * that the master owned.
 */
export function* notOwned(
  { node, epoch }: Self,
  written: readonly Row[],
  owned: readonly number[],
): Operation<readonly number[]> {
  const ids = [...written.map(([run]) => Number(run)), ...owned];
  const { rows: found } = yield* batch<{ id: number; owner: string | null; owner_epoch: number | null }>(
    {
      sqlite: 'SELECT id, owner, owner_epoch FROM run WHERE id = ?1',
      postgres: 'SELECT id, owner, owner_epoch FROM run WHERE id = ANY (?1::int8[])',
    },
    ['int'],
    ids.map((run) => [run]),
  );
  const byId = new Map(found.map((run) => [run.id, run]));
  const released = new Set(written.filter((row) => row[RELEASE] === 1).map(([run]) => Number(run)));
  const others = ids.filter((id) => {
    const run = byId.get(id);
    if (!run || (run.owner === null && !released.has(id))) return true;
    return run.owner !== null && (run.owner !== node || run.owner_epoch !== epoch);
  });
  // One that had no owner before cannot be told from those that this commit has released.
  return others.length > 0 ? others : ids;
}
