/**
 * Election: candidates stand in a line, and the first one leads. Two may briefly believe that they lead, for
 * example after a freeze, but only one can write: every write of a leader is a transaction that begins with
 * `check`.
 */
import { join, sequenceOf } from '../path.ts';
import type { Entry, Operation, Registry } from '../registry.ts';
import { Place, type PlaceState } from './place.ts';

/**
 * `leading` while first in line, `following` behind others. `out` is final: stand again, with another session
 * if this one is lost.
 */
export type CandidateState = 'leading' | 'following' | 'out';

const states: Record<PlaceState, CandidateState> = { waiting: 'following', first: 'leading', gone: 'out' };

export class Candidate {
  readonly #place: Place;

  private constructor(place: Place) {
    this.#place = place;
  }

  /** Stands for election under `path`; `value` identifies the candidate to others. */
  static async stand(
    registry: Registry,
    path: string,
    value: string,
    listener: (state: CandidateState) => void = () => {},
  ): Promise<Candidate> {
    return new Candidate(await Place.take(registry, path, value, (state) => listener(states[state])));
  }

  get state(): CandidateState {
    return states[this.#place.state];
  }

  /** Whether it leads and its session is within its deadline. */
  get isLeading(): boolean {
    return this.#place.isFirst;
  }

  /** Its entry's path, never used again; later entries have greater paths. */
  get path(): string {
    return this.#place.path;
  }

  /** First step of every transaction it writes as leader. */
  get check(): Operation {
    return this.#place.check;
  }

  /** Resigns from the lead, or leaves the line. */
  resign(): Promise<void> {
    return this.#place.leave();
  }
}

/** The entry of the leading candidate; undefined if there is none. */
export async function leaderOf(registry: Registry, path: string): Promise<Entry | undefined> {
  const names = (await registry.children(path)).filter((name) => sequenceOf(name) !== undefined);
  const order = (name: string) => sequenceOf(name) as number;
  const [first] = names.sort((a, b) => order(a) - order(b));
  return first === undefined ? undefined : registry.get(join(path, first));
}
