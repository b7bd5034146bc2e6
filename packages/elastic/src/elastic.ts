/** Elastic jobs of one process: they share a registry session and are stopped together. */

import { InvalidInput } from '@orrery/core/errors';
import type { Log } from '@orrery/core/log';
import type { RegistryOptions } from '@orrery/registry';
import { defineJob, type HandlerPorts, type JobDefinition, type LocalJob } from './define.ts';
import { openErrorHandlers } from './error-handlers.ts';
import { openBoard } from './open-board.ts';
import type { ErrorChannel, SendTrouble } from './run/error-digest.ts';
import { JobRunner, type RunnerOptions } from './run/job-runner.ts';
import type { Statistics } from './run/statistics.ts';
import { userCallback } from './run/user-callback.ts';

/** What the process lends to its jobs. */
export interface Host extends HandlerPorts {
  /** A text that no other call returns, on any machine. */
  readonly id: () => string;
  /** The address or name under which operators know this machine. */
  readonly server: string;
  readonly pid: number;
  /** The time zone of this process. */
  readonly zone: string;
  readonly log: Log;
  /** Throws an error that nothing in the process catches, as `onError: 'throw'` requires. */
  readonly raise: (error: Error) => void;
  /** Checks the settings of a channel. Rejects with what is wrong. */
  readonly openChannel: (channel: ErrorChannel) => Promise<SendTrouble>;
}

/** Where jobs meet. */
export interface ElasticOptions {
  readonly namespace: string;
  /** Where the registry is. On ZooKeeper jobs are kept as ElasticJob keeps them. */
  readonly url: string;
  readonly options: RegistryOptions;
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
  /**
   * Asks for a round of a job now, on all its instances or on one, with a parameter for its handlers. The job may be
   * one that only other processes run. Returns the instances that were asked.
   */
  trigger(
    job: string,
    what?: { readonly instance?: string; readonly parameter?: string },
  ): Promise<readonly string[]>;
  /** Stops all jobs and ends the registry session. */
  stop(patience?: number): Promise<void>;
}

const NAMESPACE = /^[\p{L}\p{N}][\p{L}\p{N}._-]{0,99}$/u;
const GRACE = 10_000;
const RETRY_DELAY = 1_000;

/** Connects to the registry. */
export async function startElastic(options: ElasticOptions, host: Host): Promise<ElasticJobs> {
  const { namespace } = options;
  if (!NAMESPACE.test(namespace))
    throw new InvalidInput(`namespace "${namespace}" is not accepted; use letters, digits, ".", "_" and "-"`);
  const ports = { ...host, newInstance: () => `${host.server}@-@${host.pid}-${host.id()}` };
  const { board, operator } = await openBoard(options, ports);
  /** The jobs that run here, and how each is stopped. */
  const running = new Map<JobRunner, (patience?: number) => Promise<void>>();
  /** Also of jobs that are only about to start. */
  const names = new Set<string>();
  return {
    async schedule(definition) {
      const { job, identity, strategies, handler, local } = defineJob(namespace, definition, host);
      if (names.has(job.name)) throw new InvalidInput(`job ${job.name} is scheduled in this process already`);
      names.add(job.name);
      const start = async () => {
        const errors = await openErrorHandlers(local.onError ?? 'log', job, host);
        const options = runnerOptions(handler, local, errors.tell, { job: job.name, log: host.log });
        const runner = await JobRunner.start(board, { job, identity, strategies }, options, ports);
        running.set(runner, async (patience) => {
          await runner.stop(patience);
          await errors.stop();
          running.delete(runner);
        });
        return runner;
      };
      const runner = await start().catch((error) => {
        names.delete(job.name);
        throw error;
      });
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
          await running.get(runner)?.(patience);
          names.delete(job.name);
        },
      };
    },
    trigger: (job, what = {}) => operator.trigger(job, what),
    async stop(patience) {
      await Promise.all([...running.values()].map((stop) => stop(patience)));
      await board.close();
    },
  };
}

function runnerOptions(
  handler: RunnerOptions['handler'],
  local: LocalJob,
  onError: RunnerOptions['onError'],
  { job, log }: { readonly job: string; readonly log: Log },
): RunnerOptions {
  const { onRound } = local;
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
    onRound: onRound && userCallback(`onRound of job ${job}`, onRound, log),
    onError,
  };
}
