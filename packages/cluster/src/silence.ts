/**
 * Detects owners that show no sign of life. A sign is any text that changes while its owner lives, such as a
 * beat counter. Silence is measured by the monotonic clock, and only while the observer itself sees the
 * store.
 */
import type { Clock } from '@orrery/core/timing';

interface Sign {
  readonly text: string;
  since: number;
  /** How often this sign was observed. */
  seen: number;
  /** How often its silence was restarted. */
  restarts: number;
}

/** Required observations of the same sign: an outage of the store silences everyone. */
const OBSERVATIONS = 3;
/** Limit of restarts: a node that crashes in a loop must not keep others alive forever. */
const RESTARTS = 3;

export class Silence {
  private readonly clock: Clock;
  private readonly signs = new Map<string, Sign>();

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** Records the sign of `name`; returns whether it has not changed for `limit` milliseconds. */
  isOver(name: string, text: string, limit: number): boolean {
    const now = this.clock.monotonic();
    const sign = this.signs.get(name);
    if (sign?.text !== text) {
      this.signs.set(name, { text, since: now, seen: 1, restarts: 0 });
      return false;
    }
    return ++sign.seen > OBSERVATIONS && now - sign.since >= limit;
  }

  /** Milliseconds until the next silence of this length is over; undefined while nobody is silent. */
  overIn(limit: number): number | undefined {
    const now = this.clock.monotonic();
    const silent = [...this.signs.values()].filter(({ seen }) => seen >= OBSERVATIONS);
    if (silent.length === 0) return undefined;
    return Math.max(0, Math.min(...silent.map(({ since }) => since + limit - now)));
  }

  /** Forgets everyone except these names; returns the forgotten names. */
  keepOnly(names: readonly string[]): string[] {
    const kept = new Set(names);
    const gone = [...this.signs.keys()].filter((name) => !kept.has(name));
    for (const name of gone) this.signs.delete(name);
    return gone;
  }

  /** Restarts everyone's silence, at most a few times for the same sign. */
  restart(): void {
    const since = this.clock.monotonic();
    for (const sign of this.signs.values()) {
      if (sign.restarts < RESTARTS) Object.assign(sign, { since, seen: 1, restarts: sign.restarts + 1 });
    }
  }

  /** Forgets one name, or all. */
  forget(name?: string): void {
    if (name === undefined) this.signs.clear();
    else this.signs.delete(name);
  }
}
