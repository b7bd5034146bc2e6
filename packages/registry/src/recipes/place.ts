/**
 * A place in a line: an ephemeral sequential entry that watches only the entry before it. When the first of a
 * thousand
 * leaves, only one wakes.
 *
 *   waiting --(nobody is before it)--> first --> gone
 *   waiting | first --(left, its entry deleted by others, or its session lost)--> gone
 */
import { isRegistryError, RegistryError } from '../errors.ts';
import { join, sequenceOf } from '../path.ts';
import type { Operation, Registry, Watch } from '../registry.ts';
import { ensure, persist } from './persist.ts';

export type PlaceState = 'waiting' | 'first' | 'gone';

/** Counts the places taken by a client, to make unique names. */
const taken = new WeakMap<Registry, number>();

export class Place {
  /** The entry of this place. */
  readonly path: string;
  readonly #registry: Registry;
  readonly #line: string;
  readonly #listener: (state: PlaceState) => void;
  readonly #forget: () => void;
  #state: PlaceState = 'waiting';
  #own: Watch | undefined;
  #ahead: { readonly name: string; readonly watch: Watch } | undefined;
  #isLooking = false;
  #again = false;

  private constructor(registry: Registry, line: string, path: string, listener: (state: PlaceState) => void) {
    this.#registry = registry;
    this.#line = line;
    this.path = path;
    this.#listener = listener;
    this.#forget = registry.session.onState((state) => {
      if (state === 'lost') this.#become('gone');
    });
  }

  /**
   * Takes the last place. Creates the line if it is missing. The listener is called for every later change of
   * state.
   */
  static async take(
    registry: Registry,
    line: string,
    value: string,
    listener: (state: PlaceState) => void,
  ): Promise<Place> {
    await ensure(registry, line);
    const number = (taken.get(registry) ?? 0) + 1;
    taken.set(registry, number);
    const prefix = `${registry.session.id}-${number}-`;
    const path = await persist(registry, line, async () => {
      // A create without an answer may have succeeded.
      const mine = (await registry.children(line)).find((name) => name.startsWith(prefix));
      if (mine !== undefined) return join(line, mine);
      return (await registry.create(join(line, prefix), value, { ephemeral: true, sequential: true })).path;
    });
    const place = new Place(registry, line, path, listener);
    try {
      place.#own = await registry.watch(path, 'entry', () => place.#look());
    } catch (error) {
      await place.leave();
      throw error;
    }
    await place.#lookNow();
    return place;
  }

  /** Whether it is first, as last read, and the session is connected: past its deadline no place is first. */
  get isFirst(): boolean {
    return this.#state === 'first' && this.#registry.session.state === 'connected';
  }

  get state(): PlaceState {
    return this.#state;
  }

  /**
   * First step of every transaction made for this place: the registry then refuses writes after the place is
   * lost, whatever this client believes.
   */
  get check(): Operation {
    return { op: 'check', path: this.path };
  }

  /** Leaves the line. Resolves when the entry is gone. */
  async leave(): Promise<void> {
    this.#become('gone');
    try {
      await persist(this.#registry, this.path, () => this.#registry.delete(this.path));
    } catch (error) {
      if (!isRegistryError(error, 'no-entry', 'session-lost', 'away')) throw error;
    }
  }

  /** Checks its place, one check at a time. Requests during a check are coalesced into one more. */
  #look(): void {
    this.#again = true;
    if (!this.#isLooking) void this.#lookNow();
  }

  async #lookNow(): Promise<void> {
    this.#isLooking = true;
    do {
      this.#again = false;
      try {
        await this.#lookOnce();
      } catch (error) {
        if (isRegistryError(error, 'session-lost')) this.#become('gone');
        // Away: the watches report when the link is back.
      }
    } while (this.#again && this.#state !== 'gone');
    this.#isLooking = false;
  }

  async #lookOnce(): Promise<void> {
    const names = (await this.#registry.children(this.#line)).filter(
      (name) => sequenceOf(name) !== undefined,
    );
    const order = (name: string) => sequenceOf(name) as number;
    names.sort((a, b) => order(a) - order(b));
    const at = names.findIndex((name) => join(this.#line, name) === this.path);
    if (this.#state === 'gone') return;
    if (at < 0) this.#become('gone');
    else if (at === 0) {
      this.#ahead?.watch.stop();
      this.#ahead = undefined;
      this.#become('first');
    } else if (names[at - 1] !== this.#ahead?.name) {
      this.#ahead?.watch.stop();
      this.#ahead = undefined;
      const name = names[at - 1];
      const watch = await this.#registry.watch(join(this.#line, name), 'entry', () => this.#look());
      this.#ahead = { name, watch };
      // The entry may have gone before the watch was in place.
      this.#again = true;
      if ((this.#state as PlaceState) === 'gone') watch.stop();
    }
  }

  #become(state: PlaceState): void {
    if (this.#state === state || this.#state === 'gone') return;
    this.#state = state;
    if (state === 'gone') {
      this.#own?.stop();
      this.#ahead?.watch.stop();
      this.#forget();
    }
    this.#listener(state);
  }
}

/** The error for waiting on a place that is gone. */
export function goneError({ session }: Registry, path: string): RegistryError {
  return session.lostBecause === undefined
    ? new RegistryError('no-entry', { path, detail: 'the place in line was deleted' })
    : new RegistryError('session-lost', { path, detail: session.lostBecause });
}
