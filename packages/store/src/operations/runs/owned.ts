/** What a master owns according to the store: after an answer was lost, that is what counts. */
import { type Operation, rows } from '../../operation.ts';
import type { Self } from '../cluster/self.ts';

/** The ids of the runs that a master owns. */
export function* listOwned({ self }: { readonly self: Self }): Operation<readonly { readonly id: number }[]> {
  return yield* rows<{ id: number }>(
    'SELECT id FROM run WHERE owner = ?1 AND owner_epoch = ?2',
    self.node,
    self.epoch,
  );
}
