/** How a process of the cluster is set up: which roles it has, and what each needs. */

import type { ApiOptions } from '@orrery/api';
import type { SyslogTarget } from '@orrery/api/syslog-target';
import type { OnRegistryLoss } from '@orrery/cluster';
import type { Log } from '@orrery/core/log';
import type { ReadSecret } from '@orrery/core/params';
import type { LoadLimits } from '@orrery/core/queue';
import type { RetentionConfig } from '@orrery/master';
import type { Address } from '@orrery/wire/address';
import type { NetworkOptions } from '@orrery/wire/network';
import type { IsolationMode, TaskLimits } from '@orrery/worker/isolation';
import type { JobCenter } from '../jobs/job-center.ts';

/** What a process can be. */
export const roles = ['master', 'worker', 'api'] as const;

/** One of them. */
export type Role = (typeof roles)[number];

/** The set-up of a process. */
export interface NodeOptions {
  readonly roles: readonly Role[];
  /** The name of the node and of its worker, if any; unique in the cluster. */
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
  /** The host to advertise, if it differs from the one listened on. */
  readonly advertise?: string;
  /** Addresses of masters that a worker turns to, beside the master of its own process. */
  readonly join: readonly string[];
  /** Whether workers on other machines may join with only the join token, for any group. */
  readonly openJoin?: boolean;
  /** How long a worker of this master may go on without contact, in milliseconds. */
  readonly lease?: number;
  /** How long a master may be silent before another takes over, in milliseconds. */
  readonly sessionTimeout?: number;
  /** The url of the registry, or `none`; the database where there is one. */
  readonly registry?: string;
  /** The session timeout to ask the registry for, in milliseconds. */
  readonly registryTimeout?: number;
  /** The name of the cluster in the registry. */
  readonly cluster?: string;
  /** What a master does without the registry. */
  readonly onRegistryLoss?: OnRegistryLoss;
  /** How schedules are divided when this master leads: a built-in strategy or a package. */
  readonly strategy?: string;
  /** The relative load of this master, for strategies that use it. */
  readonly weight?: number;
  /** How many runs a master holds before new ones wait. */
  readonly room?: number;
  /** Above which load a master starts no runs. */
  readonly loadLimits?: LoadLimits;
  /** How far the clock of this machine may be off before ticks wait until two beats agree on it, in milliseconds. */
  readonly maxClockSkew?: number;
  /** Where people reach the console; without a slash at its end. */
  readonly consoleUrl?: string;
  readonly groups?: readonly string[];
  readonly slots?: number;
  /** What its worker has for tasks that ask; memory in bytes. */
  readonly cores?: number;
  readonly memory?: number;
  /** Where modules of `node` tasks and plugins are found. */
  readonly codeFolder: string;
  readonly plugins: readonly string[];
  /** How long attempts may go on when the worker is stopped. */
  readonly stopGrace?: number;
  /** The retention of a master, if it differs from the default. */
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
  /** Proxies whose `X-Forwarded-For` the API trusts. */
  readonly trustedProxy?: readonly string[];
  /** Where the API sends the audit. */
  readonly auditSyslog?: SyslogTarget;
  /** Where metrics are read of a process without API; of one with it, there. */
  readonly metricsListen?: Address;
  /** Hosts, addresses and ranges of the inside that `http` tasks may connect to. */
  readonly httpAllow?: readonly string[];
  /** Variables of its own environment that a worker hands to tasks besides the usual ones. */
  readonly taskEnvironment?: readonly string[];
  /** How its worker keeps tasks apart, and as whom they run. */
  readonly isolation?: IsolationMode;
  readonly tenants?: readonly string[];
  readonly taskUser?: string;
  readonly taskLimits?: TaskLimits;
  /** Where tasks have their folders. */
  readonly work?: string;
  /** Elastic jobs that the API shows. */
  readonly jobs?: readonly JobCenter[];
  /** Reads the secrets that tasks and deliveries name. */
  readonly readSecret?: ReadSecret;
  /** For one person on their own machine. */
  readonly dev: boolean;
  /** The folder of the console, or a function that returns it; without it the API serves none. */
  readonly console?: ApiOptions['console'];
  /** The settings as they take effect, for the API to show. */
  readonly config?: ApiOptions['config'];
  readonly log: Log;
}

/** The advertised address of a listener. */
export function announced(
  address: Address,
  { advertise }: Pick<NodeOptions, 'advertise'>,
  machine: string,
): Address {
  const everywhere = address.host === '0.0.0.0' || address.host === '::';
  return { ...address, host: advertise ?? (everywhere ? machine : address.host) };
}
