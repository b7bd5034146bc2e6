/**
 * Decides which sessions a client may expire: those whose beat did not change for their full timeout by the
 * client's own monotonic clock, while its own beats had no gap. No wall clocks are compared, and a client
 * that was itself frozen, cut off or waiting for a restarting database expires nobody.
 */

/** A session as returned by a beat. */
export interface SeenSession {
  readonly id: string;
  readonly beat: number;
  readonly timeout: number;
}

interface Observation {
  readonly beat: number;
  readonly timeout: number;
  /** When the first answer with this beat arrived. */
  readonly since: number;
}

/** A node that crashed is found this much later than its timeout, or sooner. */
const LONGEST_WAIT = 1_000;

export class Observations {
  #seen = new Map<string, Observation>();
  #lastAnswer: number | undefined;

  /**
   * Records the sessions of a beat, with the monotonic times it was sent and answered. Returns the sessions
   * to expire.
   */
  add(sessions: readonly SeenSession[], sent: number, answered: number): SeenSession[] {
    const gap = this.#lastAnswer === undefined ? Number.POSITIVE_INFINITY : answered - this.#lastAnswer;
    this.#lastAnswer = answered;
    const before = this.#seen;
    this.#seen = new Map();
    const over: SeenSession[] = [];
    for (const session of sessions) {
      const known = before.get(session.id);
      const isUnbroken = known?.beat === session.beat && gap <= session.timeout / 2;
      const observation = isUnbroken && known ? known : { ...session, since: answered };
      this.#seen.set(session.id, observation);
      if (sent - observation.since >= session.timeout) over.push(session);
    }
    return over;
  }

  /**
   * Milliseconds until the next beat, also for those who observe this client: a third of the shortest timeout, at most
   * a second, and less if a silent session is over before that.
   */
  wait(shortest: number, now: number): number {
    let wait = Math.min(shortest / 3, LONGEST_WAIT);
    for (const { since, timeout } of this.#seen.values())
      if (since + timeout > now) wait = Math.min(wait, since + timeout - now);
    return Math.max(1, Math.ceil(wait));
  }

  /** Discards all observations, because the connection was lost. */
  restart(): void {
    this.#seen.clear();
    this.#lastAnswer = undefined;
  }
}
