/** How often a database was restored from a backup, which its generation tells. */
import { type Operation, row } from '../../operation.ts';

/** What is added to epochs, ids and the generation after a restore: more than can have been given since the backup. */
export const RAISE = 1_000_000;

/** How often the database was restored. */
export function* countRestores(): Operation<number> {
  const found = yield* row<{ restores: number }>(`SELECT number / ${RAISE} AS restores FROM generation`);
  return found?.restores ?? 0;
}
