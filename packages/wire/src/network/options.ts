/** What every connection between nodes has in common. */
import type { Security } from './security.ts';

/** How a node talks to others. */
export interface NetworkOptions extends Security {
  /** Milliseconds after which a connection that has gone silent is given up. */
  readonly timeout: number;
}

/** What these are unless given: well below the lease of a worker. */
export const networkDefaults: NetworkOptions = { timeout: 9_000 };

/** Larger messages are refused by whoever reads them. Nothing is compressed: nodes are near each other. */
export const limits = { readMaxBytes: 1_048_576, writeMaxBytes: 1_048_576, acceptCompression: [] };
