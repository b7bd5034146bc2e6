/**
 * Which sessions a client may expire: those whose beat it saw unchanged for their whole timeout, by its own monotonic
 * clock, while its own beats came without a gap. No wall clocks are compared, and nobody is expired by a client that
 * was itself frozen, cut off or waiting for a database that restarted.
 */

/** A session as a beat shows it. */
export interface SeenSession {
  readonly id: string;
  readonly beat: number;
  readonly timeout: number;
}

interface Observation {
  readonly beat: number;
  /** When the answer that first showed this beat had arrived. */
  readonly since: number;
}

export class Observations {
  #seen = new Map<string, Observation>();
  #lastAnswer: number | undefined;

  /** Takes what a beat showed, sent and answered at these monotonic times. Returns the sessions to expire. */
  add(sessions: readonly SeenSession[], sent: number, answered: number): SeenSession[] {
    const gap = this.#lastAnswer === undefined ? Number.POSITIVE_INFINITY : answered - this.#lastAnswer;
    this.#lastAnswer = answered;
    const before = this.#seen;
    this.#seen = new Map();
    const over: SeenSession[] = [];
    for (const session of sessions) {
      const known = before.get(session.id);
      const isUnbroken = known?.beat === session.beat && gap <= session.timeout / 2;
      const observation = isUnbroken && known ? known : { beat: session.beat, since: answered };
      this.#seen.set(session.id, observation);
      if (sent - observation.since >= session.timeout) over.push(session);
    }
    return over;
  }

  /** The connection was lost: what was seen before counts for nothing. */
  restart(): void {
    this.#seen.clear();
    this.#lastAnswer = undefined;
  }
}
