/**
 * The generation of a database grows with every start of a process, which also keeps it beside its data. A
 * database with a smaller generation is an older copy.
 */
import { Conflict } from '../../errors.ts';
import { change, type Operation, row, rows } from '../../operation.ts';
import { tell } from '../runs/inbox.ts';
import { RAISE } from './restores.ts';
import { loseAssignments } from './workers.ts';

/** Begins a new generation; refuses a database older than the generation this data folder has `seen`. */
export function* beginGeneration({ seen }: { readonly seen: number }): Operation<number> {
  const found = yield* row<{ number: number }>('UPDATE generation SET number = number + 1 RETURNING number');
  const number = found?.number ?? 0;
  if (number <= seen)
    throw new Conflict(
      `the database is older than its data folder: it is at generation ${number - 1}, and was at ${seen}; it may be a copy without its -wal file, or a backup that was put in place by hand`,
    );
  return number;
}

/**
 * Prepares a database restored from a backup. Nodes, workers, attempts and reports from after the backup have
 * epochs and ids that this database will never assign, so they count as lost or late.
 */
export function* raiseRestored({ now }: { readonly now: number }): Operation<{ runs: number }> {
  const reason = 'the database was restored from a backup';
  const owned = yield* rows<{ id: number; owner: string; epoch: number }>(
    'SELECT id, owner, owner_epoch AS epoch FROM run WHERE owner IS NOT NULL ORDER BY id',
  );
  yield* change('UPDATE run SET owner = NULL, owner_epoch = NULL WHERE owner IS NOT NULL');
  yield* tell(
    owned.map(({ id, owner, epoch }) => ({
      run: id,
      message: { type: 'owner-lost', reason, lost: { node: owner, epoch, how: 'fenced', at: now } },
    })),
    now,
  );
  yield* change('UPDATE node SET epoch = epoch + ?1, fenced = 1', RAISE);
  const workers = yield* rows<{ id: string; epoch: number }>(
    'UPDATE worker SET epoch = epoch + ?1, lost = 1 RETURNING id, epoch',
    RAISE,
  );
  for (const { id, epoch } of workers) yield* loseAssignments(id, epoch, reason, now);
  yield* change(
    `INSERT INTO cluster_setting (name, body, revision) VALUES ('epochs', '{}', ?1)
     ON CONFLICT (name) DO UPDATE SET revision = cluster_setting.revision + excluded.revision`,
    RAISE,
  );
  yield* change('UPDATE generation SET number = number + ?1', RAISE);
  yield* rows(
    {
      sqlite: 'UPDATE numbers SET value = value + ?1 RETURNING value',
      postgres: `SELECT setval('numbers', nextval('numbers') + ?1)`,
    },
    RAISE,
  );
  return { runs: owned.length };
}
