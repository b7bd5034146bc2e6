/**
 * Who decides that a node is dead, and when a node must doubt itself. Without a registry that is the beat in the
 * store; with one it is the end of the node's session there.
 */
import type { Clock } from '@orrery/core/timing';
import type { Peer } from '@orrery/store';
import { Silence } from './silence.ts';

/** The judge of liveness. */
export interface Judge {
  /** Asked after each good beat with the nodes that count as alive: those of them that are dead, and why. */
  dead(peers: readonly Peer[]): readonly { readonly peer: Peer; readonly reason: string }[];
  /** A beat that was sent at this monotonic time is committed. */
  confirmed(sentAt: number): void;
  /** The link to the store was not good: what was observed until now does not count. */
  forget(): void;
  /** When it may call somebody dead, in milliseconds; undefined while nobody is suspected. */
  verdictIn(): number | undefined;
  /** Why this node must not act now: others may count it as dead. Undefined while it may. */
  doubt(): string | undefined;
}

/** Past this part of its session timeout without a committed beat a node stops acting, before others fence it. */
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
