/** Options shared by all connections between nodes. */
import type { Security } from './security.ts';

/** Network options of a node. */
export interface NetworkOptions extends Security {
  /** Milliseconds of silence after which a connection is ended. */
  readonly timeout: number;
}

/** Defaults, well below the lease of a worker. */
export const networkDefaults: NetworkOptions = { timeout: 9_000 };

/** The receiver refuses larger messages. Nothing is compressed: nodes are near each other. */
export const limits = { readMaxBytes: 1_048_576, writeMaxBytes: 1_048_576, acceptCompression: [] };
