/** How often a database was restored from a backup, derived from its generation. */
import { type Operation, row } from '../../operation.ts';

/**
 * Added to epochs, ids and the generation after a restore: more than can have been assigned since the backup.
 */
export const RAISE = 1_000_000;

/** Number of restores of the database. */
export function* countRestores(): Operation<number> {
  const found = yield* row<{ restores: number }>(`SELECT number / ${RAISE} AS restores FROM generation`);
  return found?.restores ?? 0;
}
