/**
 * Election: candidates stand in a line, the first one leads. Two may believe that they lead for a moment, as one that
 * is frozen does; only one can write: every write of a leader is a transaction that begins with `check`.
 */
import { join, sequenceOf } from '../path.ts';
import type { Entry, Operation, Registry } from '../registry.ts';
import { Place, type PlaceState } from './place.ts';

/** `leading` while first in line, `following` behind others; `out` is final: stand again, with another session if need be. */
export type CandidateState = 'leading' | 'following' | 'out';

const states: Record<PlaceState, CandidateState> = { waiting: 'following', first: 'leading', gone: 'out' };

export class Candidate {
  readonly #place: Place;

  private constructor(place: Place) {
    this.#place = place;
  }

  /** Stands for election under `path`; `value` tells others who it is. */
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

  /** Whether it leads and its session has not passed its deadline. */
  get isLeading(): boolean {
    return this.#place.isFirst;
  }

  /** Its entry: the name is never used again, and later ones are greater. */
  get path(): string {
    return this.#place.path;
  }

  /** The first step of every transaction that it writes as leader. */
  get check(): Operation {
    return this.#place.check;
  }

  /** Steps down, or out of the line. */
  resign(): Promise<void> {
    return this.#place.leave();
  }
}

/** The entry of the candidate that leads; undefined when there is none. */
export async function leaderOf(registry: Registry, path: string): Promise<Entry | undefined> {
  const names = (await registry.children(path)).filter((name) => sequenceOf(name) !== undefined);
  const order = (name: string) => sequenceOf(name) as number;
  const [first] = names.sort((a, b) => order(a) - order(b));
  return first === undefined ? undefined : registry.get(join(path, first));
}
