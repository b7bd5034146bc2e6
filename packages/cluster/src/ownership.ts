/**
 * Which master holds which schedule, from one master's point of view. Every ownership mode implements this
 * port, and the ticks follow its order. It decides who usually fires a tick, never who may: the store's
 * compare-and-set decides.
 */
import type { Log } from '@orrery/core/log';
import type { Clock } from '@orrery/core/timing';
import type { BeatAnswer, Self, Store } from '@orrery/store';
import { type FiringOrder, rendezvousOrder } from './firing-order.ts';
import type { Gate } from './life.ts';
import { isActing } from './membership.ts';

/** Dependencies of an ownership. */
export interface OwnershipPorts {
  readonly clock: Clock;
  readonly store: Store;
  readonly self: Self;
  /** Refuses `fire` while this master must not take schedules. */
  readonly gate: Gate;
  readonly log: Log;
}

/** A change of the firing order. */
export interface OwnershipChange {
  readonly order: FiringOrder;
  /**
   * The schedules this master gained or lost; all others keep their timers. Absent: any schedule may have
   * moved.
   */
  readonly moved?: readonly number[];
}

export interface Ownership {
  /** The current firing order. */
  readonly order: FiringOrder;
  /** The plan it follows, in modes that have one. */
  readonly plan?: { readonly number: number; readonly hash: string };
  /** Sets the listener for every later change of the order. */
  listen(listener: (change: OwnershipChange) => void): void;
  /** Called after each good beat, before the ticks see it. */
  beat(answer: BeatAnswer): Promise<void> | void;
  /** Gives up its holdings if it still can; changes nothing afterwards. May be called twice. */
  stop(): Promise<void>;
}

/** Ownership without a registry: rendezvous hash over the acting masters. */
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
