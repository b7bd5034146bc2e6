/** Inboxes: what others have to tell a run's owner, in order. */

import type { Parameters } from '@orrery/core/model';
import type { Control, Outcome } from '@orrery/core/run';
import type { Operation } from '../operation.ts';
import { insert } from '../table.ts';
import { inboxTable } from '../tables.ts';
import { newNumbers } from './numbers.ts';

/** One thing that an owner is told. */
export type InboxMessage =
  | { readonly type: 'owner-lost'; readonly reason: string }
  | { readonly type: 'control'; readonly control: Control; readonly by: string }
  | {
      readonly type: 'outcome';
      readonly attempt: { readonly task: number; readonly shard: number; readonly number: number };
      readonly outcome: Outcome;
    }
  | {
      readonly type: 'child';
      readonly task: number;
      readonly round: number;
      readonly element: number;
      readonly run: number;
      readonly state: 'running' | 'paused' | 'success' | 'failed' | 'stopped';
      readonly outputs?: Parameters;
    }
  | { readonly type: 'admitted' }
  | { readonly type: 'look'; readonly task: number; readonly round: number };

/** Appends messages, in the transaction that makes them true. */
export function* tell(
  messages: readonly { readonly run: number; readonly message: InboxMessage }[],
  now: number,
): Operation<void> {
  const numbers = yield* newNumbers(messages.length);
  yield* insert(
    inboxTable,
    messages.map(({ run, message }, k) => ({
      seq: numbers[k],
      run,
      body: JSON.stringify(message),
      created_at: now,
    })),
  );
}
