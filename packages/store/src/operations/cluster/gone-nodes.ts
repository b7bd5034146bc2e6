/**
 * Forgets nodes and workers that have been gone for long. Their names may return, and nothing of an earlier
 * life may count as part of a later one. So a row is deleted only after a commit that makes all new names
 * start above its epoch.
 */
import { change, type Operation, row } from '../../operation.ts';

/** A document whose revision is the highest epoch of any forgotten node, or of one about to be forgotten. */
const EPOCHS = 'epochs';

/** SQL: the first epoch of a name without a row. */
export const firstEpoch = `1 + COALESCE((SELECT revision FROM cluster_setting WHERE name = '${EPOCHS}'), 0)`;

/** Nodes last seen before ?1 with nothing left: no run, no assignment, nothing meant for them. */
const gone = {
  node: `fenced = 1 AND beat_at < ?1 AND NOT EXISTS (SELECT 1 FROM run r WHERE r.owner = g.id)`,
  worker: `lost = 1 AND beat_at < ?1 AND NOT EXISTS (SELECT 1 FROM assignment a WHERE a.worker = g.id)
    AND NOT EXISTS (SELECT 1 FROM ready q WHERE q.target = g.id)`,
} as const;

/**
 * Forgets nodes that left or were lost and were last seen before a time; returns more than 0 while there is
 * more to do.
 */
export function* sweepNodes({
  before,
  limit,
}: {
  readonly before: number;
  readonly limit: number;
}): Operation<number> {
  let swept = 0;
  for (const table of ['node', 'worker'] as const) {
    const state = table === 'node' ? 'fenced' : 'lost';
    // A node that joins meanwhile is checked again, and stays.
    swept += yield* change(
      `DELETE FROM ${table} WHERE ${state} = 1 AND beat_at < ?1 AND id IN (
         SELECT id FROM ${table} g WHERE ${gone[table]} AND epoch < ${firstEpoch} ORDER BY id LIMIT ?2)`,
      before,
      limit,
    );
  }
  return swept + (yield* raiseEpochs(before));
}

/** Forgets one gone node; false if its epoch had to be reserved first: then the next call forgets it. */
export function* forgetGone(id: string): Operation<boolean> {
  const everyone = Number.MAX_SAFE_INTEGER;
  for (const table of ['node', 'worker'] as const) {
    const state = table === 'node' ? 'fenced' : 'lost';
    yield* change(`DELETE FROM ${table} WHERE id = ?1 AND ${state} = 1 AND epoch < ${firstEpoch}`, id);
  }
  const left = yield* row(
    'SELECT id FROM node WHERE id = ?1 UNION ALL SELECT id FROM worker WHERE id = ?1',
    id,
  );
  if (left) yield* raiseEpochs(everyone);
  return !left;
}

/**
 * Makes new names start above the epochs of all nodes that may go, so that the next sweep can forget them;
 * returns whether that changed anything.
 */
function* raiseEpochs(before: number): Operation<number> {
  const highest = yield* row<{ epoch: number | null }>(
    `SELECT max(epoch) AS epoch FROM (SELECT epoch FROM node g WHERE ${gone.node}
       UNION ALL SELECT epoch FROM worker g WHERE ${gone.worker}) both_of_them`,
    before,
  );
  if (!highest?.epoch) return 0;
  return yield* change(
    `INSERT INTO cluster_setting (name, body, revision) VALUES ('${EPOCHS}', '{}', ?1)
     ON CONFLICT (name) DO UPDATE SET revision = excluded.revision WHERE cluster_setting.revision < excluded.revision`,
    highest.epoch,
  );
}
