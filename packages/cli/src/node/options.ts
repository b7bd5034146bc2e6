/** How a process of the cluster is set up: which roles it has, and what each needs. */
import type { ApiOptions } from '@orrery/api';
import type { ReadSecret } from '@orrery/core/params';
import type { LoadLimits } from '@orrery/core/queue';
import type { Log, RetentionConfig } from '@orrery/master';
import type { Address } from '@orrery/wire/address';
import type { NetworkOptions } from '@orrery/wire/network';
import type { JobCenter } from '../jobs/job-center.ts';

/** What a process can be. */
export const roles = ['master', 'worker', 'api'] as const;

/** One of them. */
export type Role = (typeof roles)[number];

/** The set-up of a process. */
export interface NodeOptions {
  readonly roles: readonly Role[];
  /** Of its node and, where it is one, of its worker; unlike all others of the cluster. */
  readonly name: string;
  /** Where the embedded database, logs and work files lie. */
  readonly folder: string;
  /** A PostgreSQL database instead of the embedded one. */
  readonly database?: string;
  readonly network: NetworkOptions;
  /** Where workers and other nodes reach a master; without it only the worker of the same process does. */
  readonly listen?: Address;
  /** Where the logs of a worker are read; without it only the API of the same process can. */
  readonly logListen?: Address;
  /** The host that others are told, where it is not the one listened on. */
  readonly advertise?: string;
  /** Addresses of masters that a worker turns to, beside the master of its own process. */
  readonly join: readonly string[];
  /** How long a worker of this master may go on without contact, in milliseconds. */
  readonly lease?: number;
  /** How long a master may be silent before another takes over, in milliseconds. */
  readonly sessionTimeout?: number;
  /** How many runs a master holds before new ones wait. */
  readonly room?: number;
  /** Above which load a master starts no runs. */
  readonly loadLimits?: LoadLimits;
  /** How far the clock of this machine may be off before ticks wait until two beats agree on it, in milliseconds. */
  readonly maxClockSkew?: number;
  readonly groups?: readonly string[];
  readonly slots?: number;
  /** Where modules of `node` tasks and plugins are found. */
  readonly codeFolder: string;
  readonly plugins: readonly string[];
  /** How long attempts may go on when the worker is stopped. */
  readonly stopGrace?: number;
  /** What a master keeps of what is over, where it is not as usual. */
  readonly retention?: RetentionConfig;
  /** How long a worker keeps the logs of a run. */
  readonly logRetention?: number;
  /** Of how many runs at most. */
  readonly logCount?: number;
  /** Starts that may wait for a master before the API refuses more. */
  readonly maxBacklog?: number;
  readonly host?: string;
  readonly port?: number;
  /** The token of the API. */
  readonly token?: string;
  /** The path under which a proxy puts the API and the console. */
  readonly basePath?: string;
  /** Where metrics are read of a process without API; of one with it, there. */
  readonly metricsListen?: Address;
  /** Hosts, addresses and ranges of the inside that `http` tasks may connect to. */
  readonly httpAllow?: readonly string[];
  /** Elastic jobs that the API shows. */
  readonly jobs?: readonly JobCenter[];
  /** Reads the secrets that tasks and deliveries name. */
  readonly readSecret?: ReadSecret;
  /** For one person on their own machine. */
  readonly dev: boolean;
  /** The folder of the console, or what says where it is; without it the API serves none. */
  readonly console?: ApiOptions['console'];
  /** The settings as they take effect, for the API to show. */
  readonly config?: ApiOptions['config'];
  readonly log: Log;
}

/** The address that others are told of something that listens. */
export function announced(
  address: Address,
  { advertise }: Pick<NodeOptions, 'advertise'>,
  machine: string,
): Address {
  const everywhere = address.host === '0.0.0.0' || address.host === '::';
  return { ...address, host: advertise ?? (everywhere ? machine : address.host) };
}
