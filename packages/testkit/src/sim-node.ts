/**
 * A node in a simulation: what it may do to the world goes through here, so that it can be crashed (nothing it
 * waits for ever comes), paused (everything comes later, at once) and be told a wrong time.
 */
import type { Clock } from '@orrery/core/timing';
import { type Store, StoreAway } from '@orrery/store';
import type { Random } from './random.ts';

/** Chances of one store operation going wrong. */
export interface StoreFaults {
  /** It fails and was not done. */
  readonly fails: number;
  /** It was executed, but its outcome is reported as unknown. */
  readonly unknown: number;
}

export class SimNode {
  readonly name: string;
  readonly clock: Clock;
  crashed = false;
  /** What the wall clock of this node shows beside the true time. */
  skew = 0;
  private paused = false;
  private waiting: (() => void)[] = [];
  private readonly world: Clock;
  private readonly random: Random;

  constructor(name: string, world: Clock, random: Random) {
    this.name = name;
    this.world = world;
    this.random = random;
    this.clock = {
      now: () => world.now() + this.skew,
      monotonic: () => world.monotonic(),
      setTimer: (delay, run) => world.setTimer(delay, () => this.deliver(run)),
    };
  }

  /** Something reaches the node: now, when it wakes up, or never. */
  deliver(act: () => void): void {
    if (this.crashed) return;
    if (this.paused) this.waiting.push(act);
    else act();
  }

  /** Something reaches the node after a moment. */
  deliverSoon(act: () => void): void {
    this.world.setTimer(1 + this.random.int(5), () => this.deliver(act));
  }

  pause(): void {
    this.paused = true;
  }

  resume(): void {
    this.paused = false;
    const waiting = this.waiting;
    this.waiting = [];
    for (const act of waiting) this.deliver(act);
  }

  /** The store as this node reaches it: every operation takes a moment each way and may fail. */
  storeOver(store: Store, faults: () => StoreFaults): Store {
    return new Proxy(store, {
      get: (target, name) => {
        const operation = Reflect.get(target, name);
        if (typeof operation !== 'function' || name === 'close') return operation;
        return (...input: never[]) => this.call(() => operation(...input), faults());
      },
    });
  }

  private call<T>(operation: () => Promise<T>, { fails, unknown }: StoreFaults): Promise<T> {
    return new Promise((resolve, reject) => {
      // The request is on its way: a node that crashes now has asked all the same.
      this.world.setTimer(1 + this.random.int(3), () => {
        if (this.random.chance(fails)) {
          this.deliverSoon(() => reject(new StoreAway('the link to the store broke', false)));
          return;
        }
        const lost = this.random.chance(unknown);
        operation().then(
          (result) =>
            this.deliverSoon(() => (lost ? reject(new StoreAway('no answer', true)) : resolve(result))),
          (error) => this.deliverSoon(() => reject(error)),
        );
      });
    });
  }
}
