/** Elastic jobs of one process: they share a registry session and are stopped together. */
import { InvalidInput } from '@orrery/core/errors';
import type { Clock } from '@orrery/core/timing';
import type { Registry } from '@orrery/registry';
import type { JobBoard } from './board/board.ts';
import { defineJob, type JobDefinition, type LocalJob } from './define.ts';
import { NativeBoard } from './native/board.ts';
import type { Log } from './run/context.ts';
import { JobRunner, type RunnerOptions } from './run/job-runner.ts';
import type { Statistics } from './run/statistics.ts';

/** What the process lends to its jobs. */
export interface Host {
  readonly clock: Clock;
  /** A text that no other call returns, on any machine. */
  readonly id: () => string;
  /** The address or name under which operators know this machine. */
  readonly server: string;
  readonly pid: number;
  readonly log: Log;
}

/** Where jobs meet. */
export interface ElasticOptions {
  readonly namespace: string;
  /** Opens a registry session; called again when one is lost. */
  readonly open: () => Promise<Registry>;
}

/** A job that follows its cron on this instance. */
export interface ScheduledJob {
  readonly name: string;
  /** This instance's id; a new one after its session was lost. */
  readonly instance: string;
  /** Whether it runs now, why it pauses, and its next tick. */
  readonly state: JobRunner['state'];
  statistics(): Statistics;
  /** Lets running shards end, hands over at once. Shards that run after `patience` milliseconds are aborted. */
  stop(patience?: number): Promise<void>;
}

/** The jobs of this process. */
export interface ElasticJobs {
  /** Joins the other instances of a job and follows its cron. */
  schedule<T>(definition: JobDefinition<T>): Promise<ScheduledJob>;
  /** Stops all jobs and ends the registry session. */
  stop(patience?: number): Promise<void>;
}

const NAMESPACE = /^[\p{L}\p{N}][\p{L}\p{N}._-]{0,99}$/u;
const GRACE = 10_000;
const RETRY_DELAY = 1_000;

/** Connects to the registry. */
export async function startElastic(options: ElasticOptions, host: Host): Promise<ElasticJobs> {
  const { namespace, open } = options;
  if (!NAMESPACE.test(namespace))
    throw new InvalidInput(`namespace "${namespace}" is not accepted; use letters, digits, ".", "_" and "-"`);
  const ports = { ...host, newInstance: () => `${host.server}@-@${host.pid}-${host.id()}` };
  const board: JobBoard = await NativeBoard.open(open, ports);
  const runners = new Map<string, JobRunner>();
  return {
    async schedule(definition) {
      const { job, identity, strategies, handler, local } = defineJob(namespace, definition);
      if (runners.has(job.name))
        throw new InvalidInput(`job ${job.name} is scheduled in this process already`);
      const runner = await JobRunner.start(
        board,
        { job, identity, strategies },
        runnerOptions(handler, local, host.log),
        ports,
      );
      runners.set(job.name, runner);
      return {
        name: job.name,
        get instance() {
          return runner.instance;
        },
        get state() {
          return runner.state;
        },
        statistics: () => runner.statistics.read(),
        async stop(patience) {
          runners.delete(job.name);
          await runner.stop(patience);
        },
      };
    },
    async stop(patience) {
      await Promise.all([...runners.values()].map((runner) => runner.stop(patience)));
      runners.clear();
      await board.close();
    },
  };
}

function runnerOptions(handler: RunnerOptions['handler'], local: LocalJob, log: Log): RunnerOptions {
  return {
    handler,
    limits: {
      retries: local.retries ?? 0,
      retryDelay: local.retryDelay ?? RETRY_DELAY,
      timeout: local.timeout,
      grace: local.grace ?? GRACE,
    },
    parallel: local.parallel,
    listeners: local.listeners ?? {},
    onRound: local.onRound,
    onError: errorHandler(local.onError ?? 'log', log),
  };
}

function errorHandler(how: NonNullable<LocalJob['onError']>, log: Log): RunnerOptions['onError'] {
  if (typeof how === 'function') return how;
  const text = (error: string, job: string, shard?: number) =>
    `job ${job}${shard === undefined ? '' : ` shard ${shard}`}: ${error}`;
  switch (how) {
    case 'log':
      return (error, job, outcome) => log('error', text(error, job, outcome?.shard));
    case 'ignore':
      return () => {};
    case 'throw':
      return (error, job, outcome) => {
        queueMicrotask(() => {
          throw new Error(text(error, job, outcome?.shard));
        });
      };
  }
}
