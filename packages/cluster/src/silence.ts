/**
 * Who shows no sign of life. A sign is any text that changes while its owner lives, such as a counter of beats; a
 * silence is counted by the monotonic clock, and only while the observer itself sees the store.
 */
import type { Clock } from '@orrery/core/timing';

interface Sign {
  readonly text: string;
  since: number;
  /** How often this sign was seen. */
  seen: number;
  /** How often its silence was restarted. */
  restarts: number;
}

/** Observations of the same sign before its time can be over: a store that stood still did so for everyone. */
const OBSERVATIONS = 3;
/** A node that crashes in a loop must not keep others alive for ever by restarting their silence. */
const RESTARTS = 3;

export class Silence {
  private readonly clock: Clock;
  private readonly signs = new Map<string, Sign>();

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** Notes the sign of `name`; whether it has not changed for `limit` milliseconds. */
  isOver(name: string, text: string, limit: number): boolean {
    const now = this.clock.monotonic();
    const sign = this.signs.get(name);
    if (sign?.text !== text) {
      this.signs.set(name, { text, since: now, seen: 1, restarts: 0 });
      return false;
    }
    return ++sign.seen > OBSERVATIONS && now - sign.since >= limit;
  }

  /** When the next silence of this length will be over, in milliseconds; undefined while nobody is silent. */
  overIn(limit: number): number | undefined {
    const now = this.clock.monotonic();
    const silent = [...this.signs.values()].filter(({ seen }) => seen >= OBSERVATIONS);
    if (silent.length === 0) return undefined;
    return Math.max(0, Math.min(...silent.map(({ since }) => since + limit - now)));
  }

  /** Forgets everyone but these; those it forgot. */
  keepOnly(names: readonly string[]): string[] {
    const kept = new Set(names);
    const gone = [...this.signs.keys()].filter((name) => !kept.has(name));
    for (const name of gone) this.signs.delete(name);
    return gone;
  }

  /** Gives everyone their whole time again, at most a few times for the same sign. */
  restart(): void {
    const since = this.clock.monotonic();
    for (const sign of this.signs.values()) {
      if (sign.restarts < RESTARTS) Object.assign(sign, { since, seen: 1, restarts: sign.restarts + 1 });
    }
  }

  /** Forgets one, or everyone. */
  forget(name?: string): void {
    if (name === undefined) this.signs.clear();
    else this.signs.delete(name);
  }
}
