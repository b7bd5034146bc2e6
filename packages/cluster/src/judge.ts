/**
 * Decides that a node is dead, and when a node must doubt itself: by the beat in the store, or with a
 * registry by the end of the node's session there.
 */
import type { Clock } from '@orrery/core/timing';
import type { Peer } from '@orrery/store';
import { Silence } from './silence.ts';

/** The judge of liveness. */
export interface Judge {
  /** The dead nodes among those that count as alive, with the reason. Called after each good beat. */
  dead(peers: readonly Peer[]): readonly { readonly peer: Peer; readonly reason: string }[];
  /** A beat sent at this monotonic time has committed. */
  confirmed(sentAt: number): void;
  /** Discards past observations, because the link to the store failed. */
  forget(): void;
  /** Milliseconds until it may declare a node dead; undefined while no node is suspected. */
  verdictIn(): number | undefined;
  /** Why this node must not act now, since others may count it as dead; undefined while it may act. */
  doubt(): string | undefined;
}

/**
 * A node stops acting after this part of its session timeout without a committed beat, before others fence
 * it.
 */
const DEADLINE = 2 / 3;

/** Judges by the beat in the store. */
export class BeatJudge implements Judge {
  private readonly clock: Clock;
  private readonly sessionTimeout: number;
  private readonly silence: Silence;
  private goodAt: number;

  constructor(clock: Clock, sessionTimeout: number) {
    this.clock = clock;
    this.sessionTimeout = sessionTimeout;
    this.silence = new Silence(clock);
    this.goodAt = clock.monotonic();
  }

  dead(peers: readonly Peer[]): { peer: Peer; reason: string }[] {
    this.silence.keepOnly(peers.map(({ id }) => id));
    return peers
      .filter(({ id, epoch, beat }) => this.silence.isOver(id, `${epoch}.${beat}`, this.sessionTimeout))
      .map((peer) => ({ peer, reason: `was silent for ${this.sessionTimeout} ms` }));
  }

  confirmed(sentAt: number): void {
    this.goodAt = sentAt;
  }

  forget(): void {
    this.silence.forget();
  }

  verdictIn(): number | undefined {
    return this.silence.overIn(this.sessionTimeout);
  }

  doubt(): string | undefined {
    const silent = this.clock.monotonic() - this.goodAt;
    if (silent < this.sessionTimeout * DEADLINE) return undefined;
    return `the store has confirmed no beat for ${Math.round(silent)} ms`;
  }
}
