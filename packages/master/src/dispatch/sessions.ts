/**
 * The workers connected to this master: one session each, with its take. Commits borrow takes from here and
 * answer them.
 */
import type { Gate } from '@orrery/cluster';
import type { OpenTake } from '@orrery/store';
import type { Caller } from '@orrery/wire/caller';
import type { Channel } from '@orrery/wire/channel';
import type { MasterFrame, WorkerFrame } from '@orrery/wire/frames';
import { TakeSlot } from './take-slot.ts';

/** A worker that is connected: joining -> open -> closed. */
export interface Session {
  readonly channel: Channel<MasterFrame, WorkerFrame>;
  readonly caller: Caller;
  readonly take: TakeSlot;
  /** Settles when the worker has joined. Its other frames wait until then. */
  joined: Promise<void> | undefined;
  worker: string;
  epoch: number;
  groups: readonly string[];
  /** The take that was answered "nothing" since the last beat. */
  refusedTake: number | undefined;
  closed: boolean;
}

/**
 * A take lent to a commit, with its worker: by the time of the answer the worker may have another session.
 */
export interface Loan {
  readonly take: OpenTake;
  readonly session: Session;
}

/** The session of a connection that has sent no frame yet. */
export function newSession(channel: Session['channel'], caller: Caller): Session {
  return {
    channel,
    caller,
    take: new TakeSlot(),
    joined: undefined,
    worker: '',
    epoch: 0,
    groups: [],
    refusedTake: undefined,
    closed: false,
  };
}

export class Sessions implements Iterable<Session> {
  private readonly gate: Gate;
  private readonly all = new Set<Session>();

  constructor(gate: Gate) {
    this.gate = gate;
  }

  [Symbol.iterator](): Iterator<Session> {
    return this.all.values();
  }

  /** Adds the session of a worker that has joined. */
  add(session: Session): void {
    this.all.add(session);
  }

  delete(session: Session): void {
    this.all.delete(session);
  }

  /**
   * Lends takes to a commit: untried ones, and all others if the commit is `filling`, that is, queues
   * attempts or frees slots. A take being tried may have read the queue too early, so it is tried again
   * afterwards.
   */
  lend(filling: boolean): readonly Loan[] {
    if (this.gate.refusal('dispatch') !== undefined) return [];
    const loans: Loan[] = [];
    for (const session of this.all) {
      const { worker, epoch, groups } = session;
      const asked = session.take.lend(filling);
      if (asked) loans.push({ take: { worker, epoch, groups, ...asked }, session });
    }
    return loans;
  }
}
