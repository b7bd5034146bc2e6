/** What the other systems of a master are told about its runs: values, which the master routes. */
import type { AttemptRef, RunChange, TakeAnswer } from '@orrery/store';
import type { Loan } from '../dispatch/sessions.ts';

/** Things that have happened; each part that is set concerns another system. */
export interface RunNews {
  /** The takes that a commit borrowed, and what it gave them; undefined if it failed. */
  readonly answered?: { readonly loans: readonly Loan[]; readonly given: readonly TakeAnswer[] | undefined };
  /** Rounds have ended that triggers may hear of. */
  readonly triggered?: boolean;
  /** Attempts were put in the queue, and no take was open here for them. */
  readonly queued?: boolean;
  /** These attempts must be killed where a worker has them. */
  readonly killed?: readonly AttemptRef[];
  /** Runs have left memory: there is room for others. */
  readonly freed?: boolean;
  /** Commands or inbox rows were written. */
  readonly told?: boolean;
  /** Nothing is being committed any more, and nothing waits to be. */
  readonly settled?: boolean;
  /** The node's epoch is over. */
  readonly fenced?: Error;
}

/** Hears them. */
export type NewsRoute = (news: RunNews) => void;

/** What changes mean to others once they are committed with these loans, and let so many others in. */
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

/** Whether a change puts attempts in the queue, or may let others in: slots of workers and of limits become free. */
export function isFilling({ enqueue, outcomes, withdraw, admit = [], limits }: RunChange): boolean {
  return enqueue.length + outcomes.length + withdraw.length + admit.length > 0 || limits?.free === true;
}

/** Whether a change tells others something: children, parents, or runs that waited for the slot it has freed. */
function isTelling({ commands, messages, limits }: RunChange): boolean {
  return commands.length + messages.length > 0 || limits?.free === true;
}
