/**
 * Who does what recurs and belongs to no run: each duty has a key, and the acting masters are ranked for it by
 * rendezvous hash. There is no leader. A duty may be done twice, when masters see the cluster differently for a
 * moment, so each must be harmless then.
 */
import { rendezvous } from '@orrery/core/balance';

/** Beats in which the store says that something waits before the next master by rank does it too. */
const PATIENCE = 2;

export class Duties {
  private readonly self: string;
  private masters: readonly string[];
  /** In how many beats in a row each duty was found waiting. */
  private readonly waiting = new Map<string, number>();

  constructor(self: string) {
    this.self = self;
    this.masters = [self];
  }

  /** The other masters that act now. */
  learn(others: readonly string[]): void {
    this.masters = [this.self, ...others];
  }

  /** Whether this master is the first for a duty. */
  isMine(key: string): boolean {
    return this.rank(key) === 0;
  }

  /**
   * Asked with each beat, which says whether the duty waits to be done: the first master does it at once, and each
   * next one a few beats later, so that a master that beats but does not get to it holds nothing up.
   */
  isDue(key: string, waits: boolean): boolean {
    if (!waits) {
      this.waiting.delete(key);
      return false;
    }
    const beats = (this.waiting.get(key) ?? 0) + 1;
    this.waiting.set(key, beats);
    return beats > PATIENCE * this.rank(key);
  }

  private rank(key: string): number {
    return rendezvous(key, this.masters).indexOf(this.self);
  }
}
