/**
 * Who holds which schedule, as one master sees it. Every mode of ownership implements this port; the ticks follow its
 * order. It decides who usually fires a tick, never who may: the store's compare-and-set is the judge.
 */
import type { Log } from '@orrery/core/log';
import type { Clock } from '@orrery/core/timing';
import type { BeatAnswer, Self, Store } from '@orrery/store';
import { type FiringOrder, rendezvousOrder } from './firing-order.ts';
import type { Gate } from './life.ts';
import { isActing } from './membership.ts';

/** What an ownership stands on. */
export interface OwnershipPorts {
  readonly clock: Clock;
  readonly store: Store;
  readonly self: Self;
  /** `fire` is refused while this master must not take schedules. */
  readonly gate: Gate;
  readonly log: Log;
}

/** The order has changed. */
export interface OwnershipChange {
  readonly order: FiringOrder;
  /** The schedules that this master gained or lost; without it, any may have moved. The others keep their timers. */
  readonly moved?: readonly number[];
}

export interface Ownership {
  /** Who fires what now. */
  readonly order: FiringOrder;
  /** The plan that it follows, where one says who fires what. */
  readonly plan?: { readonly number: number; readonly hash: string };
  /** Sets who hears of every later change of the order. */
  listen(listener: (change: OwnershipChange) => void): void;
  /** After each good beat, before the ticks look at it. */
  beat(answer: BeatAnswer): Promise<void> | void;
  /** Gives up what it holds, as far as it still can, and changes nothing afterwards. May be called twice. */
  stop(): Promise<void>;
}

/** Without a registry: by rendezvous hash over the masters that act. */
export class RendezvousOwnership implements Ownership {
  private readonly self: string;
  private masters = '';
  private listener: (change: OwnershipChange) => void = () => {};
  order: FiringOrder;

  constructor({ self }: Pick<OwnershipPorts, 'self'>) {
    this.self = self.node;
    this.order = rendezvousOrder(this.self, []);
  }

  listen(listener: (change: OwnershipChange) => void): void {
    this.listener = listener;
  }

  beat({ peers }: Pick<BeatAnswer, 'peers'>): void {
    const masters = peers
      .filter(isActing)
      .map(({ id }) => id)
      .sort();
    if (masters.join() === this.masters) return;
    this.masters = masters.join();
    this.order = rendezvousOrder(this.self, masters);
    this.listener({ order: this.order });
  }

  async stop(): Promise<void> {}
}
