/**
 * The take of one worker at this master. A worker has at most one open take. It is answered from the queue or
 * by the commit it is lent to, never by both at once.
 *
 * idle -> open -> (trying | lent) -> (open | idle); each -> closed
 */
import { type Machine, move } from '@orrery/core/state';
import type { OpenTake } from '@orrery/store';

/** A take as requested by its worker. */
export type AskedTake = Pick<OpenTake, 'number' | 'room' | 'waiting'>;

/** Idle: the worker waits for nothing. Trying: the queue is being read. Lent: a commit may answer it. */
type TakeState = 'idle' | 'open' | 'trying' | 'lent' | 'closed';

/** `restore`: the answer could not be sent. */
type TakeEvent = 'ask' | 'try' | 'lend' | 'answer' | 'keep' | 'restore' | 'close';

export const takeMachine: Machine<TakeState, TakeEvent> = {
  name: 'take',
  transitions: {
    idle: { ask: 'open', restore: 'open', close: 'closed' },
    open: { ask: 'open', try: 'trying', lend: 'lent', close: 'closed' },
    trying: { ask: 'trying', answer: 'idle', keep: 'open', close: 'closed' },
    lent: { ask: 'lent', answer: 'idle', keep: 'open', close: 'closed' },
    closed: {},
  },
  final: ['closed'],
};

/** When to try an open take, the most urgent last: wait, with the next commit or beat, now. */
const urgencies = ['wait', 'soon', 'now'] as const;
type Urgency = (typeof urgencies)[number];

export class TakeSlot {
  private state: TakeState = 'idle';
  private asked: AskedTake | undefined;
  private urgency: Urgency = 'wait';

  /** The open take, including one that is being tried or lent. */
  get open(): AskedTake | undefined {
    return this.asked;
  }

  /** Whether the queue has not yet been tried for this take. */
  get isUntried(): boolean {
    return this.urgency !== 'wait';
  }

  /** The worker sends a take, or repeats it with another room. */
  ask(take: AskedTake): void {
    if (this.state === 'closed') return;
    this.go('ask');
    this.asked = take;
    if (this.urgency !== 'now') this.urgency = take.room > 0 ? 'soon' : 'wait';
  }

  /**
   * The queue may have attempts: returns the take to try. A take that is being tried or lent is tried
   * afterwards.
   */
  try(): AskedTake | undefined {
    return this.hand('try');
  }

  /** Lends the take to a commit if it is untried, or if the commit is `filling`. */
  lend(filling: boolean): AskedTake | undefined {
    if (!this.asked || this.asked.room <= 0 || !(filling || this.isUntried)) return undefined;
    return this.hand('lend');
  }

  /** The take may not be tried now, or the try gave no answer. */
  defer(): void {
    if (this.urgency === 'wait') this.urgency = 'soon';
  }

  /** The take of this number was answered. The worker may have sent the next one meanwhile. */
  answer(number: number): void {
    if (this.asked?.number === number) this.asked = undefined;
  }

  /** The answer could not be sent: reopens the take unless the worker has sent the next one. */
  restore(take: AskedTake): void {
    if (this.state === 'closed') return;
    if (this.state === 'idle') this.go('restore');
    this.asked ??= take;
    this.defer();
  }

  /** The try or the commit is over. Returns whether to try again now. */
  finish(): boolean {
    if (this.state === 'closed') return false;
    this.go(this.asked ? 'keep' : 'answer');
    const isNow = this.asked !== undefined && this.urgency === 'now';
    if (!this.asked) this.urgency = 'wait';
    else if (isNow) this.urgency = 'soon';
    return isNow;
  }

  /** The worker's connection is gone. */
  close(): void {
    if (this.state === 'closed') return;
    this.go('close');
    this.asked = undefined;
    this.urgency = 'wait';
  }

  private hand(event: 'try' | 'lend'): AskedTake | undefined {
    if (!this.asked) return undefined;
    if (this.state !== 'open') {
      this.urgency = 'now';
      return undefined;
    }
    this.go(event);
    this.urgency = 'wait';
    return this.asked;
  }

  private go(event: TakeEvent): void {
    this.state = move(takeMachine, this.state, event);
  }
}
