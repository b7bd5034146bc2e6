/** News about runs for the other systems of a master: plain values that the master routes. */
import type { AttemptRef, RunChange, TakeAnswer } from '@orrery/store';
import type { Loan } from '../dispatch/sessions.ts';

/** Each field that is set concerns another system. */
export interface RunNews {
  /** The takes lent to a commit and its answers to them; `given` is undefined if the commit failed. */
  readonly answered?: { readonly loans: readonly Loan[]; readonly given: readonly TakeAnswer[] | undefined };
  /** Rounds have ended that may fire triggers. */
  readonly triggered?: boolean;
  /** Attempts were queued while no take was open here for them. */
  readonly queued?: boolean;
  /** Attempts that must be killed on their workers. */
  readonly killed?: readonly AttemptRef[];
  /** Runs have left memory, which makes room for others. */
  readonly freed?: boolean;
  /** Commands or inbox rows were written. */
  readonly told?: boolean;
  /** No commit is in flight and no change waits. */
  readonly settled?: boolean;
  /** The node's epoch is over. */
  readonly fenced?: Error;
}

/** Receives news. */
export type NewsRoute = (news: RunNews) => void;

/** News of changes committed with these loans that admitted this many waiting runs. */
export function newsOf(
  changes: readonly RunChange[],
  { loans, admitted }: { readonly loans: readonly Loan[]; readonly admitted: number },
): RunNews {
  const queued = changes.some(({ enqueue, admit = [] }) => enqueue.length + admit.length > 0);
  return {
    queued: admitted > 0 || (queued && loans.length === 0),
    killed: changes.flatMap(({ withdraw }) => withdraw.filter(({ kill }) => kill)),
    freed: changes.some(({ release }) => release),
    told: changes.some(isTelling),
  };
}

/** Whether a change queues attempts, or may admit others by freeing slots of workers or limits. */
export function isFilling({ enqueue, outcomes, withdraw, admit = [], limits }: RunChange): boolean {
  return enqueue.length + outcomes.length + withdraw.length + admit.length > 0 || limits?.free === true;
}

/** Whether a change has messages for children, parents, or runs that waited for the freed slot. */
function isTelling({ commands, messages, limits }: RunChange): boolean {
  return commands.length + messages.length > 0 || limits?.free === true;
}
