/** The exports of `orrery-scheduler/elastic`: sharded jobs inside the user's own process. */
import { randomUUID } from 'node:crypto';
import { type ElasticJobs, type Log, startElastic } from '@orrery/elastic';
import { openErrorChannel as openChannel } from './jobs/error-channel.ts';
import { runCommand } from './jobs/run-command.ts';
import { serverAddress } from './jobs/server-address.ts';
import { machineClock } from './node/machine-clock.ts';

export type {
  Cause,
  Dataflow,
  ElasticJobs,
  ErrorChannel,
  ErrorHandler,
  FinishedRound,
  HttpRequest,
  JobDefinition,
  Listeners,
  LocalJob,
  Log,
  RoundInfo,
  ScheduledJob,
  ShardContext,
  ShardHandler,
  ShardOutcome,
  ShardStrategy,
  SharedJob,
  Statistics,
} from '@orrery/elastic';

/** Where the jobs of a process meet those of other processes. */
export interface ConnectOptions {
  /** `postgres://…`, `etcd://…` or `zookeeper://…`; `memory:` for a single process. */
  readonly registry: string;
  /** Jobs of one namespace know each other. */
  readonly namespace: string;
  /** Milliseconds after which a process that does not answer is taken for dead; 10 s by default. */
  readonly sessionTimeout?: number;
  /** The name under which operators disable this machine; its first IPv4 address by default. */
  readonly server?: string;
  /** Receives events of the jobs; written to standard error by default. */
  readonly log?: Log;
}

const SESSION_TIMEOUT = 10_000;

/** Connects this process to the other instances of its jobs. Fails if the registry cannot be reached. */
export function elastic(options: ConnectOptions): Promise<ElasticJobs> {
  const { registry, namespace, sessionTimeout = SESSION_TIMEOUT, server = serverAddress() } = options;
  const log: Log = options.log ?? ((level, text) => console.error(`${level}: ${text}`));
  const { timeZone: zone } = Intl.DateTimeFormat().resolvedOptions();
  const name = `orrery jobs ${namespace}`;
  return startElastic(
    { namespace, url: registry, options: { sessionTimeout, name, clock: machineClock, log } },
    {
      clock: machineClock,
      id: randomUUID,
      server,
      pid: process.pid,
      zone,
      log,
      raise,
      runCommand,
      fetch,
      openChannel,
    },
  );
}

/** Ends the process unless it handles uncaught errors. */
function raise(error: Error): void {
  queueMicrotask(() => {
    throw error;
  });
}
