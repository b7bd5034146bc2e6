/**
 * Judges by the registry: a master whose entry under `live` is gone is dead. Nodes without an entry there (an
 * API, a master of an earlier version, or one that uses another registry) are judged by their beat.
 */
import type { Log } from '@orrery/core/log';
import { QuietLog } from '@orrery/core/quiet-log';
import type { Clock } from '@orrery/core/timing';
import type { Peer } from '@orrery/store';
import { BeatJudge, type Judge } from './judge.ts';
import type { RegistryLink } from './registry-link.ts';

/** What a master does when it cannot rely on the registry. */
export const registryLosses = ['pause', 'exit', 'continue'] as const;

/** `exit` also pauses until the process has ended. */
export type OnRegistryLoss = (typeof registryLosses)[number];

interface JudgeOptions {
  readonly link: RegistryLink;
  readonly clock: Clock;
  readonly sessionTimeout: number;
  readonly onLoss: OnRegistryLoss;
  readonly log: Log;
}

export class RegistryJudge implements Judge {
  private readonly link: RegistryLink;
  private readonly clock: Clock;
  private readonly sessionTimeout: number;
  private readonly onLoss: OnRegistryLoss;
  private readonly beats: BeatJudge;
  private readonly strangers: QuietLog;
  /** Since when each peer is missing under `live`; infinitely long for a peer that was seen there before. */
  private missing = new Map<string, number>();
  private seen = new Set<string>();
  /** The period in which the store has answered without a gap. */
  private goodSince: number | undefined;
  private goodAt: number;

  constructor({ link, clock, sessionTimeout, onLoss, log }: JudgeOptions) {
    this.link = link;
    this.clock = clock;
    this.sessionTimeout = sessionTimeout;
    this.onLoss = onLoss;
    this.beats = new BeatJudge(clock, sessionTimeout);
    this.strangers = new QuietLog(log, clock);
    this.goodAt = clock.monotonic();
    // After its own session was lost, others may have lost theirs too: each gets its full timeout to come
    // back.
    link.listen({ opened: () => this.forgetSeen() });
  }

  dead(peers: readonly Peer[]): { peer: Peer; reason: string }[] {
    const { link } = this;
    const isOurs = ({ registry }: Peer) => registry === link.id;
    const strangers = peers.filter((peer) => peer.registry !== null && !isOurs(peer));
    if (strangers.length > 0)
      this.strangers.met(
        `${strangers.map(({ id }) => id).join(', ')}: uses another registry than this node; give all masters of a cluster the same --registry and --cluster`,
      );
    return [
      ...this.beats.dead(peers.filter((peer) => !isOurs(peer))),
      ...this.goneFromLive(peers.filter(isOurs)),
    ];
  }

  private goneFromLive(peers: readonly Peer[]): { peer: Peer; reason: string }[] {
    const { live, timeout = this.sessionTimeout } = this.link;
    if (!live) {
      this.missing.clear();
      return [];
    }
    const now = this.clock.monotonic();
    const missing = new Map<string, number>();
    for (const { id, epoch } of peers) {
      const key = `${id} ${epoch}`;
      if (live.has(id)) this.seen.add(key);
      else missing.set(key, this.missing.get(key) ?? (this.seen.has(key) ? now - timeout : now));
    }
    this.missing = missing;
    this.seen = new Set(peers.map(({ id, epoch }) => `${id} ${epoch}`).filter((key) => this.seen.has(key)));
    if (this.goodSince === undefined || now - this.goodSince < this.sessionTimeout) return [];
    return peers
      .filter(({ id, epoch }) => now - (missing.get(`${id} ${epoch}`) ?? now) >= timeout)
      .map((peer) => ({ peer, reason: 'has no session in the registry any more' }));
  }

  confirmed(sentAt: number): void {
    this.goodSince ??= sentAt;
    this.goodAt = sentAt;
    this.beats.confirmed(sentAt);
    this.link.resume();
  }

  forget(): void {
    this.goodSince = undefined;
    this.beats.forget();
    this.missing.clear();
    if (this.clock.monotonic() - this.goodAt >= this.sessionTimeout) this.link.release();
  }

  verdictIn(): number | undefined {
    return this.beats.verdictIn();
  }

  doubt(): string | undefined {
    const ofRegistry = this.onLoss === 'continue' ? undefined : this.link.doubt();
    return ofRegistry ?? this.beats.doubt();
  }

  private forgetSeen(): void {
    this.seen.clear();
    this.missing.clear();
  }
}
