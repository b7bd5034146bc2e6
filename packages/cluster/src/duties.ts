/**
 * Assigns recurring work that belongs to no run. Each duty has a key, and rendezvous hash ranks the acting
 * masters for it; there is no leader. Two masters may do a duty at once while they see the cluster
 * differently, so every duty must tolerate that.
 */
import { rendezvous } from '@orrery/core/balance';

/** Beats for which the store must report pending work before the next master by rank joins in. */
const PATIENCE = 2;

export class Duties {
  private readonly self: string;
  private masters: readonly string[];
  /** Consecutive beats at which each duty had pending work. */
  private readonly waiting = new Map<string, number>();

  constructor(self: string) {
    this.self = self;
    this.masters = [self];
  }

  /** Sets the other acting masters. */
  learn(others: readonly string[]): void {
    this.masters = [this.self, ...others];
  }

  /** Whether this master ranks first for a duty. */
  isMine(key: string): boolean {
    return this.rank(key) === 0;
  }

  /**
   * Whether to do the duty now. Each beat reports whether it has pending work: the first master acts at once,
   * each next one a few beats later, so that a master that beats but makes no progress blocks nothing.
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
