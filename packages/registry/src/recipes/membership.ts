/** Membership: each member has an ephemeral entry under its name, and everyone sees members come and go. */
import { isRegistryError, RegistryError } from '../errors.ts';
import { join, nameOf } from '../path.ts';
import type { Entry, Registry } from '../registry.ts';
import { SubtreeView, type ViewChange } from '../view.ts';
import { ensure, persist } from './persist.ts';

/** A member joined, changed its value, or left. */
export interface MemberChange {
  readonly type: ViewChange['type'];
  readonly name: string;
  readonly entry: Entry;
}

export class Membership {
  readonly #registry: Registry;
  readonly #path: string;
  readonly #view: SubtreeView;

  private constructor(registry: Registry, path: string, view: SubtreeView) {
    this.#registry = registry;
    this.#path = path;
    this.#view = view;
  }

  /** Watches the members without joining. Creates `path` if it is missing. */
  static async watch(
    registry: Registry,
    path: string,
    listener: (changes: readonly MemberChange[]) => void = () => {},
  ): Promise<Membership> {
    await ensure(registry, path);
    const view = await SubtreeView.open(registry, path, (changes) => {
      const members = changes.filter(({ entry }) => entry.path !== path);
      if (members.length > 0)
        listener(members.map((change) => ({ ...change, name: nameOf(change.entry.path) })));
    });
    return new Membership(registry, path, view);
  }

  /** The members as last seen, by name. */
  get members(): ReadonlyMap<string, Entry> {
    const entries = [...this.#view.entries.values()].filter(({ path }) => path !== this.#path);
    return new Map(entries.map((entry) => [nameOf(entry.path), entry]));
  }

  /**
   * Joins under this name and replaces an entry of another session: of two processes with one name, the later
   * one wins, and the earlier one sees its entry go.
   */
  async join(name: string, value: string): Promise<Entry> {
    const path = join(this.#path, name);
    return persist(this.#registry, this.#path, async () => {
      for (;;) {
        const found = await this.#registry.get(path);
        if (found?.owner === this.#registry.session.id) return found;
        try {
          if (found) await this.#registry.delete(path, found.version);
          return await this.#registry.create(path, value, { ephemeral: true });
        } catch (error) {
          // Another session changed the entry meanwhile: read again.
          if (!isRegistryError(error, 'no-entry', 'version', 'exists')) throw error;
        }
      }
    });
  }

  /** Leaves. If another session has taken the name, its entry stays. */
  async leave(name: string): Promise<void> {
    const path = join(this.#path, name);
    try {
      await persist(this.#registry, this.#path, async () => {
        const found = await this.#registry.get(path);
        if (found?.owner === this.#registry.session.id) await this.#registry.delete(path, found.version);
      });
    } catch (error) {
      if (!(error instanceof RegistryError) || error.reason === 'denied') throw error;
    }
  }

  stop(): void {
    this.#view.stop();
  }
}
