/**
 * The take of one worker at this master. A worker has one open at most; it is answered from the queue, or by a commit
 * that it was lent to. While one of them has it, nobody else may.
 *
 * idle -> open -> (trying | lent) -> (open | idle); each -> closed
 */
import { type Machine, move } from '@orrery/core/state';
import type { OpenTake } from '@orrery/store';

/** A take as its worker asked for it. */
export type AskedTake = Pick<OpenTake, 'number' | 'room' | 'waiting'>;

/** Idle: the worker waits for nothing. Trying: the queue is being asked. Lent: a commit may answer it. */
type TakeState = 'idle' | 'open' | 'trying' | 'lent' | 'closed';

/** `restore`: what answered it could not be sent. */
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

/** What is to be done about an open take, the most urgent last: wait, look with the next commit or beat, look now. */
const urgencies = ['wait', 'soon', 'now'] as const;
type Urgency = (typeof urgencies)[number];

export class TakeSlot {
  private state: TakeState = 'idle';
  private asked: AskedTake | undefined;
  private urgency: Urgency = 'wait';

  /** The open take, whoever has it now. */
  get open(): AskedTake | undefined {
    return this.asked;
  }

  /** Nobody has looked yet whether there is something for it. */
  get isUntried(): boolean {
    return this.urgency !== 'wait';
  }

  /** The worker asks, or asks again with another room. */
  ask(take: AskedTake): void {
    if (this.state === 'closed') return;
    this.go('ask');
    this.asked = take;
    if (this.urgency !== 'now') this.urgency = take.room > 0 ? 'soon' : 'wait';
  }

  /** There may be something in the queue: the take to ask it with. One that somebody has is tried after that. */
  try(): AskedTake | undefined {
    return this.hand('try');
  }

  /** The same for a commit, which answers what was not tried yet, and every take if it is `filling`. */
  lend(filling: boolean): AskedTake | undefined {
    if (!this.asked || this.asked.room <= 0 || !(filling || this.isUntried)) return undefined;
    return this.hand('lend');
  }

  /** It may not be tried now, or was tried without an answer. */
  defer(): void {
    if (this.urgency === 'wait') this.urgency = 'soon';
  }

  /** The take of this number was answered; the worker may have asked for the next meanwhile. */
  answer(number: number): void {
    if (this.asked?.number === number) this.asked = undefined;
  }

  /** What answered a take could not be sent: it is open again unless the worker has asked for the next. */
  restore(take: AskedTake): void {
    if (this.state === 'closed') return;
    if (this.state === 'idle') this.go('restore');
    this.asked ??= take;
    this.defer();
  }

  /** The queue or the commit is done with it; whether it is to be tried again now. */
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
