/** What the other systems of a master hear of its runs. */
import type { OpenTake, RunChange, TakeAnswer } from '@orrery/store';

/** What others want to hear of. */
export interface RunListener {
  /**
   * The takes that a commit shall answer, `filled` if it queues attempts or frees slots; none of them may be asked for
   * elsewhere meanwhile.
   */
  openTakes(filled: boolean): readonly OpenTake[];
  /** What a commit gave to them, or that it failed. */
  answered(takes: readonly OpenTake[], given: readonly TakeAnswer[] | undefined): void;
  /** Attempts were put in the queue, and no take was open here for them. */
  queued(): void;
  /** Nothing is being committed any more, and nothing waits to be. */
  settled(): void;
  /** These attempts, where a worker has them, must be killed. */
  killed(attempts: readonly { run: number; task: number; shard: number; number: number }[]): void;
  /** Runs have left memory: there is room for others. */
  freed(): void;
  /** Commands or inbox rows were written. */
  told(): void;
  /** Rounds have ended that triggers may hear of. */
  triggered(): void;
  /** The node's epoch is over. */
  fenced(error: Error): void;
}

/** Tells a listener what changes mean to it, once they are committed with these takes, and let so many others in. */
export function tellOf(
  changes: readonly RunChange[],
  { takes, admitted }: { readonly takes: readonly OpenTake[]; readonly admitted: number },
  listener: RunListener,
): void {
  const queued = changes.some(({ enqueue, admit = [] }) => enqueue.length + admit.length > 0);
  if (admitted > 0 || (queued && takes.length === 0)) listener.queued();
  const kills = changes.flatMap(({ withdraw }) => withdraw.filter(({ kill }) => kill));
  if (kills.length > 0) listener.killed(kills);
  if (changes.some(({ release }) => release)) listener.freed();
  if (changes.some(isTelling)) listener.told();
}

/** Whether a change puts attempts in the queue, or may let others in: slots of workers and of limits become free. */
export function isFilling({ enqueue, outcomes, withdraw, admit = [], limits }: RunChange): boolean {
  return enqueue.length + outcomes.length + withdraw.length + admit.length > 0 || limits?.free === true;
}

/** Whether a change tells others something: children, parents, or runs that waited for the slot it has freed. */
function isTelling({ commands, messages, limits }: RunChange): boolean {
  return commands.length + messages.length > 0 || limits?.free === true;
}
