/** Who writes, and whether it still may: the first statement of every write of a node. */
import { StaleEpoch } from '../../errors.ts';
import { type Operation, row, rows } from '../../operation.ts';

/** Who writes: a node and the epoch it was given. */
export interface Self {
  readonly node: string;
  readonly epoch: number;
}

/** The name of a node's writing session: of its id (?1) and epoch (?2), apart from other schemas' nodes. */
export const sessionName = `'orrery ' || md5(current_schema() || ' ' || ?1::text || ' ' || ?2::int8::text)`;

/**
 * Every write of a node begins here: its row is share-locked, so a fence and a write cannot cross. The session also
 * takes the node's name, by which a fence finds what it has to end; setting it in every transaction would cost a
 * fifth of a small commit.
 */
export function* checkSelf({ node, epoch }: Self): Operation<void> {
  const found = yield* row(
    {
      sqlite: 'SELECT 1 FROM node WHERE id = ?1 AND epoch = ?2 AND fenced = 0',
      postgres: `SELECT CASE WHEN current_setting('application_name') <> ${sessionName}
          THEN set_config('application_name', ${sessionName}, false) END
        FROM node WHERE id = ?1 AND epoch = ?2 AND fenced = 0 FOR SHARE`,
    },
    node,
    epoch,
  );
  if (!found) throw new StaleEpoch(node, epoch);
}

/**
 * Waits until no node writes, and lets none until this is committed: for the rare change that must see all that
 * stands. To be asked for before any other lock.
 */
export function* holdMasters(): Operation<void> {
  yield* rows({
    sqlite: 'SELECT 1',
    postgres: 'SELECT 1 FROM node WHERE fenced = 0 ORDER BY id FOR UPDATE',
  });
}
