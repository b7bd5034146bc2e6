/** How a registry is opened: what every implementation takes, and its defaults. */
import type { Log } from '@orrery/core/log';
import { type Clock, realClock } from '@orrery/core/timing';

/** Certificates, as Node takes them; `ca` alone checks the server, `cert` and `key` show who we are. */
export interface TlsOptions {
  readonly ca?: string | Buffer;
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
  /** The name in the server's certificate; the host unless given. */
  readonly servername?: string;
}

/** What a registry is opened with; all of it optional. */
export interface RegistryOptions {
  /** The session timeout to ask for, in milliseconds; the server may agree to another. */
  readonly sessionTimeout?: number;
  /** How long opening may take, in milliseconds. */
  readonly connectTimeout?: number;
  /** Shown by servers that show names of clients. */
  readonly name?: string;
  /** Encrypts the connection. */
  readonly tls?: TlsOptions;
  readonly clock?: Clock;
  /** A number in [0, 1): spreads clients over servers and reconnects over time. */
  readonly random?: () => number;
  readonly log?: Log;
}

/** Options with every default filled in. */
export type FilledOptions = Required<Omit<RegistryOptions, 'tls'>> & Pick<RegistryOptions, 'tls'>;

const machineClock = realClock({
  now: Date.now,
  monotonic: () => performance.now(),
  // Not unreferenced: a session that nobody closed keeps its process alive, as its connection does.
  setTimeout: (run, delayMs) => setTimeout(run, delayMs),
  clearTimeout: (handle) => clearTimeout(handle),
});

/** Fills in the defaults. */
export function fillOptions(options: RegistryOptions): FilledOptions {
  return {
    sessionTimeout: 3_000,
    connectTimeout: 10_000,
    name: 'orrery',
    clock: machineClock,
    random: Math.random,
    log: () => {},
    ...(Object.fromEntries(
      Object.entries(options).filter(([, value]) => value !== undefined),
    ) as RegistryOptions),
  };
}
