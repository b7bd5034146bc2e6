/** What a suite needs of an implementation: empty trees, connections that can be cut, a server that can be restarted. */
import type { Registry, RegistryKind } from '../registry.ts';

/** The connection of one client. */
interface TestLink {
  /** Drops everything silently; nobody is told. */
  freeze(): void;
  /** Ends `freeze`; what was held arrives. */
  thaw(): void;
  /** Breaks the connection; a new one can be made at once. */
  cut(): void;
}

/** One tree, empty at first, and clients on it. */
export interface TestTree {
  open(sessionTimeout?: number): Promise<Registry>;
  /** A client whose connection can be cut. */
  openLinked(sessionTimeout?: number): Promise<{ registry: Registry; link: TestLink }>;
  /** For clients in other processes; undefined where there can be none. */
  readonly url: string | undefined;
}

/** A server of one kind that a test file owns. */
export interface TestStage {
  readonly kind: RegistryKind;
  /** The shortest session timeout that the server agrees to and that holds on a busy machine. */
  readonly shortTimeout: number;
  start(): Promise<void>;
  stop(): Promise<void>;
  tree(): TestTree;
  /** Stops the server in good order and starts it again; undefined where there is none. */
  readonly restart?: () => Promise<void>;
}

/** Closes what tests opened, the newest first. */
export class Opened {
  readonly #all: { close(): unknown }[] = [];

  add<T extends { close(): unknown }>(one: T): T {
    this.#all.push(one);
    return one;
  }

  async close(): Promise<void> {
    for (const one of this.#all.splice(0).reverse()) await one.close();
  }
}
