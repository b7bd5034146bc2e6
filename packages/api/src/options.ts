/** The ports of the API: everything it reads, writes or waits for. */
import type { Log } from '@orrery/core/log';
import type { ReadSecret } from '@orrery/core/params';
import type { Clock } from '@orrery/core/timing';
import type { JobOperator } from '@orrery/elastic/board';
import type { Store } from '@orrery/store';
import type { AttemptId } from '@orrery/wire/frames';
import type { SyslogTarget } from './access/syslog-target.ts';
import type { HealthOptions, OwnParts } from './health/parts.ts';
import type { Metrics } from './metrics/metrics.ts';
import type { RequestTracing } from './tracing.ts';

/** Tells masters in reach that there is something for them; a hint that is lost costs time, nothing else. */
export interface Hints {
  /** Commands wait to be claimed. */
  commandsQueued(): void;
  /** These runs have something in their inbox. */
  inboxTold(runs: readonly number[]): void;
  /** A bulk waits to be carried out. */
  bulkMade?(): void;
  /** Attempts that waited for a slot may have come into the queue. */
  queueFilled?(): void;
  /** Schedules were added, changed, paused or resumed. */
  schedulesChanged?(): void;
}

/** Identifies a log: the attempt, its workflow, and the worker that has or had it. */
export interface LogPlace {
  readonly workflow: string;
  readonly attempt: AttemptId;
  readonly worker: string;
}

/** A piece of a log; offsets count bytes. */
export interface LogPiece {
  readonly bytes: Uint8Array;
  /** Where to go on. */
  readonly next: number;
  /** How long the log is now; 0 when there is none. */
  readonly size: number;
  /** The group of the processes that the attempt runs now, on the machine of the worker. */
  readonly process?: number;
  /** The retention of a worker that does not have the log; absent if no worker could be asked. */
  readonly kept?: KeptLogs;
}

/** Which logs a worker keeps. */
export interface KeptLogs {
  /** Milliseconds after the last line of a run. */
  readonly age: number;
  /** Of how many runs. */
  readonly most: number;
  /** Logs last written at or before this time may have been removed because there were too many; 0: none. */
  readonly removedUntil: number;
}

/** Where logs are read: in one process from the worker's files, in a cluster from the worker itself. */
export interface LogSource {
  read(place: LogPlace, range: { readonly offset: number; readonly limit: number }): Promise<LogPiece>;
  /** The log from `offset` on as it grows; ends when nothing writes it. */
  follow(
    place: LogPlace,
    range: { readonly offset: number; readonly signal: AbortSignal },
  ): AsyncIterable<LogPiece>;
}

/** A task type as forms and lists show it. */
export interface TaskTypeInfo {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  /** What its `with` accepts, as JSON Schema. */
  readonly schema?: object;
  /** Whether its attempts poll, and take no slot. */
  readonly waits?: boolean;
}

/** The kinds of connections, and the check of their settings. */
interface ConnectionKinds {
  list(): readonly {
    readonly name: string;
    readonly title: string;
    readonly description: string;
    readonly schema: Record<string, unknown>;
    readonly driver?: string;
  }[];
  /** The settings completed by the kind, or the problems in them. */
  check(
    kind: string,
    settings: unknown,
  ): { readonly settings: Record<string, unknown> } | { readonly problems: readonly string[] };
}

/** A setting as it takes effect. */
interface Setting {
  readonly name: string;
  readonly value: string | number | boolean | null;
  /** `option`, the name of an environment variable, a file, or `default`. */
  readonly source: string;
  /** Whether its value is hidden from everyone. */
  readonly secret: boolean;
}

/** The options of the API. */
export interface ApiOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly hints: Hints;
  readonly logs: LogSource;
  /**
   * Task types known without a worker. A workflow is refused if one of its task types is neither here nor on
   * a live worker.
   */
  readonly taskTypes: () => readonly TaskTypeInfo[];
  /** Which connections there may be; without it there are none. */
  readonly connectionKinds?: ConnectionKinds;
  readonly version: string;
  /**
   * Its holder may do everything, including creating tokens for others. Without a token everyone may, so the
   * API then listens on loopback and answers only requests of this machine.
   */
  readonly token?: string;
  /** Addresses and networks (CIDR) of proxies whose `X-Forwarded-For` is trusted. Default: none. */
  readonly trustedProxy?: readonly string[];
  /** Where the audit is sent as it grows. */
  readonly auditSyslog?: SyslogTarget;
  /** Receives messages for operators, and each request at level `debug`. */
  readonly log?: Log;
  /** The path of the server behind a proxy, such as `/orrery`; without a trailing slash. */
  readonly basePath?: string;
  /** The folder of the built console, or a function that returns it; undefined while it is being built. */
  readonly console?: string | (() => string | undefined);
  /** The effective settings, for callers who may see them. */
  readonly config?: readonly Setting[];
  /** Reads a secret of the cluster; without it there are none. */
  readonly readSecret?: ReadSecret;
  /** Starts that may wait for a master before more are refused; 100,000 unless given. */
  readonly maxBacklog?: number;
  /** Namespaces of elastic jobs, by the names that people use for them. */
  readonly jobs?: readonly { readonly name: string; readonly operator: JobOperator }[];
  /** Milliseconds after which a request is given up that has not been answered; 30 s unless given. */
  readonly answerWithin?: number;
  /** What this process tells of its health beside its store. */
  readonly health?: Omit<HealthOptions, 'store' | 'clock'> & { readonly own?: OwnParts };
  /** Makes a span of every request. */
  readonly tracing?: RequestTracing;
  /** Counts and times events; exported at `/metrics`. */
  readonly metrics?: Metrics;
  /** Compare every answer with the contract; for tests, which then prove it. */
  readonly checkAnswers?: boolean;
  /** Called with an unexpected error; the API's caller gets only the request's id. */
  readonly onDefect: (error: unknown, request: string) => void;
}
