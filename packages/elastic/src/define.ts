/**
 * A job as a user writes it: what all instances share, how this process runs it, and exactly one handler. The shared
 * part is checked like a file; every problem is reported at once.
 */
import { InvalidInput } from '@orrery/core/errors';
import { type Job, parseJob } from '@orrery/core/model';
import type { Clock } from '@orrery/core/timing';
import type { ShardStrategy } from './board/board.ts';
import { type Dataflow, dataflowHandler } from './handlers/dataflow.ts';
import { type Fetch, type HttpRequest, httpHandler } from './handlers/http.ts';
import { type RunCommand, scriptHandler } from './handlers/script.ts';
import type { ShardHandler } from './run/context.ts';
import type { ErrorChannel } from './run/error-digest.ts';
import type { RunnerOptions } from './run/job-runner.ts';
import type { Listeners } from './run/listeners.ts';

/** Settings that all instances of a job share. Durations are texts such as `30s`. */
export interface SharedJob {
  readonly name: string;
  readonly description?: string;
  /** Quartz cron (seconds first) or Unix cron; without it the job runs only when it is triggered. */
  readonly cron?: string;
  readonly timezone?: string;
  readonly shards: number;
  /** `0=beijing,1=shanghai`, or an object by number. */
  readonly shardParameters?: string | Readonly<Record<string, string>>;
  readonly parameter?: string;
  readonly strategy?: string;
  readonly failover?: boolean;
  readonly misfire?: boolean;
  readonly monitorExecution?: boolean;
  readonly staticSharding?: boolean;
  readonly maxTimeDiff?: string;
  readonly reconcileInterval?: string;
  readonly disabled?: boolean;
  readonly overwrite?: boolean;
  readonly props?: Readonly<Record<string, string>>;
}

/**
 * How to handle a failed shard: log it, throw (which ends the process unless caught there), ignore it, call a
 * function, or notify people by a channel.
 */
export type ErrorHandler = 'log' | 'throw' | 'ignore' | RunnerOptions['onError'] | ErrorChannel;

/** How this process runs a job; other instances may differ. Times in milliseconds. */
export interface LocalJob {
  /** Attempts after the first, for each shard; 0 by default. */
  readonly retries?: number;
  readonly retryDelay?: number;
  /** Time limit of one attempt of a shard. */
  readonly timeout?: number;
  /** How long an aborted handler may take to return; 10 s by default. */
  readonly grace?: number;
  /** Shards that run at the same time in this process; all by default. */
  readonly parallel?: number;
  readonly listeners?: Listeners;
  /** What happens with a shard that failed, one or several: `log` by default. */
  readonly onError?: ErrorHandler | readonly ErrorHandler[];
  readonly onRound?: RunnerOptions['onRound'];
  /** Strategies of your own, by the name that `strategy` uses. */
  readonly strategies?: Readonly<Record<string, ShardStrategy>>;
  /** A name for what the handler does, so that two different jobs under one name are noticed. */
  readonly identity?: string;
}

/** What does the work: exactly one of them. */
interface Handlers<T> {
  readonly run: ShardHandler;
  readonly dataflow: Dataflow<T>;
  /** A command line for the shell; the shard's context comes as its last argument and in the environment. */
  readonly script: string;
  readonly http: HttpRequest;
}
type JobHandler<T> = {
  [Kind in keyof Handlers<T>]: Pick<Handlers<T>, Kind> & {
    readonly [Other in Exclude<keyof Handlers<T>, Kind>]?: undefined;
  };
}[keyof Handlers<T>];

/** What handlers use of the machine. */
export interface HandlerPorts {
  readonly clock: Clock;
  readonly runCommand: RunCommand;
  readonly fetch: Fetch;
}

/** A job of a user. */
export type JobDefinition<T = unknown> = SharedJob & LocalJob & JobHandler<T>;

/** The parts of a definition. */
export interface DefinedJob {
  readonly job: Job;
  readonly identity: string;
  readonly strategies: Readonly<Record<string, ShardStrategy>>;
  readonly handler: ShardHandler;
  readonly local: LocalJob;
}

/** Checks a definition and takes it apart. */
export function defineJob<T>(
  namespace: string,
  definition: JobDefinition<T>,
  ports: HandlerPorts,
): DefinedJob {
  const { run, dataflow, script, http, ...rest } = definition;
  const { retries, retryDelay, timeout, grace, parallel, listeners, onError, onRound, ...more } = rest;
  const { strategies = {}, identity, ...shared } = more;
  const local = { retries, retryDelay, timeout, grace, parallel, listeners, onError, onRound };
  const { job, problems } = parseJob({ ...shared, namespace });
  const at = `job ${String(definition.name)}`;
  if (!job) throw new InvalidInput(problems.map(({ message }) => message).join('; '), at);
  for (const [name, value] of Object.entries({ retries, retryDelay, timeout, grace, parallel }))
    if (value !== undefined && !(Number.isSafeInteger(value) && value >= (name === 'parallel' ? 1 : 0)))
      throw new InvalidInput(`${name} ${String(value)} is not accepted; a whole number is needed`, at);
  const { kind, handler } = handlerOf({ run, dataflow, script, http }, ports, at);
  return { job, identity: identity ?? kind, strategies, handler, local };
}

function handlerOf<T>(
  given: Partial<Handlers<T>>,
  { clock, runCommand, fetch }: HandlerPorts,
  at: string,
): { readonly kind: string; readonly handler: ShardHandler } {
  const { run, dataflow, script, http } = given;
  if (Object.values(given).filter((value) => value !== undefined).length !== 1)
    throw new InvalidInput('exactly one of run, dataflow, script and http is needed', at);
  if (run) return { kind: 'simple', handler: run };
  if (dataflow) return { kind: 'dataflow', handler: dataflowHandler(dataflow) };
  if (http) return { kind: 'http', handler: httpHandler(http, fetch, clock) };
  if (!script?.trim()) throw new InvalidInput('script is empty; a command line is needed', at);
  return { kind: 'script', handler: scriptHandler(script, runCommand) };
}
