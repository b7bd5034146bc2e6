/** Ownership of runs by the store's record, which decides after a lost answer. */
import { type Operation, rows } from '../../operation.ts';
import type { Self } from '../cluster/self.ts';

/** Ids of the runs that a master owns. */
export function* listOwned({ self }: { readonly self: Self }): Operation<readonly { readonly id: number }[]> {
  return yield* rows<{ id: number }>(
    'SELECT id FROM run WHERE owner = ?1 AND owner_epoch = ?2',
    self.node,
    self.epoch,
  );
}
