/** Options that every implementation takes, and their defaults. */
import type { Log } from '@orrery/core/log';
import { type Clock, realClock } from '@orrery/core/timing';

/** Certificates in Node's form; `ca` alone verifies the server, `cert` and `key` authenticate this client. */
export interface TlsOptions {
  readonly ca?: string | Buffer;
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
  /** The name in the server's certificate; default: the host. */
  readonly servername?: string;
}

/** Options of a registry client; all optional. */
export interface RegistryOptions {
  /** Requested session timeout in milliseconds; the server may grant another. */
  readonly sessionTimeout?: number;
  /** Time limit for opening, in milliseconds. */
  readonly connectTimeout?: number;
  /** Client name, for servers that display it. */
  readonly name?: string;
  /** Encrypts the connection. */
  readonly tls?: TlsOptions;
  readonly clock?: Clock;
  /** Returns a number in [0, 1): spreads clients over servers and reconnects over time. */
  readonly random?: () => number;
  readonly log?: Log;
}

/** Options with every default filled in. */
export type FilledOptions = Required<Omit<RegistryOptions, 'tls'>> & Pick<RegistryOptions, 'tls'>;

const machineClock = realClock({
  now: Date.now,
  monotonic: () => performance.now(),
  // Not unreferenced: an open session keeps its process alive, as its connection does.
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
