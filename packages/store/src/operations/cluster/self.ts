/** The writing node and its right to write: the first statement of every write of a node. */
import { StaleEpoch } from '../../errors.ts';
import { type Operation, row, rows } from '../../operation.ts';

/** The writer: a node and its epoch. */
export interface Self {
  readonly node: string;
  readonly epoch: number;
}

/**
 * SQL: the name of a node's writing session, from its id (?1) and epoch (?2); distinct from nodes in other
 * schemas.
 */
export const sessionName = `'orrery ' || md5(current_schema() || ' ' || ?1::text || ' ' || ?2::int8::text)`;

/**
 * First statement of every write of a node: share-locks its row, so that a fence and a write cannot cross. It
 * also names the session after the node, which lets a fence find the sessions to terminate. Setting the name
 * in every transaction would cost a fifth of a small commit.
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
 * Waits until no node writes, and blocks writes until this commits: for the rare change that must see
 * everything in place. Must be the first lock taken.
 */
export function* holdMasters(): Operation<void> {
  yield* rows({
    sqlite: 'SELECT 1',
    postgres: 'SELECT 1 FROM node WHERE fenced = 0 ORDER BY id FOR UPDATE',
  });
}
