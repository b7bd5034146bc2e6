/** A worker: starts and connects its session with the masters, its executor and its logs. */

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '@orrery/core/log';
import type { LoadReading } from '@orrery/core/queue';
import type { Clock, ClockTimer } from '@orrery/core/timing';
import type { Channel } from '@orrery/wire/channel';
import type { MasterFrame, WorkerFrame } from '@orrery/wire/frames';
import type { AttemptRoom } from './attempt/attempt.ts';
import { type AttemptTracer, createExecutor } from './attempt/executor.ts';
import { clearWork } from './attempt/work-folder.ts';
import { type WorkerConfig, type WorkerSettings, workerConfig } from './config.ts';
import { cleanLeftovers } from './guard/leftovers.ts';
import { Health } from './health/health.ts';
import { findProblem } from './health/probe.ts';
import { Isolation } from './isolation/isolation.ts';
import { LogBook } from './log/log-book.ts';
import { pruneLogs } from './log/retention.ts';
import { loadPlugins } from './plugin/load.ts';
import { createRegistry, type Registry, type TaskType, taskTypes } from './plugin/registry.ts';
import type { SessionStatus } from './session/ports.ts';
import { Session } from './session/session.ts';
import { sessionKey } from './session/session-key.ts';
import { spoolFile } from './session/spool-file.ts';
import { builtInTasks } from './tasks/built-in.ts';

/** The ports of a worker. */
export interface WorkerPorts {
  readonly clock: Clock;
  /** Opens a connection to a master. If that fails, the channel closes. */
  readonly connect: (address: string) => Channel<WorkerFrame, MasterFrame>;
  readonly log: Log;
  /** Measures the machine and this process; without it no load is too high. */
  readonly measure?: () => LoadReading;
  /** Traces attempts, for tracing systems. */
  readonly trace?: AttemptTracer;
  /** Serves the logs to other nodes and returns the address; without it no other node can read them. */
  readonly serveLogs?: (logs: LogBook) => Promise<LogServer>;
}

/** Logs served to other nodes. */
export interface LogServer {
  /** HOST:PORT, as other nodes reach it. */
  readonly address: string;
  stop(): Promise<void>;
}

/** A running worker. */
export interface Worker {
  readonly config: WorkerConfig;
  /** Reads the logs of its attempts. */
  readonly logs: LogBook;
  /** Settles when a master welcomes it for the first time. */
  readonly joined: Promise<void>;
  /** Settles with the reason when it has ended, including when a master refused it for good. */
  readonly ended: Promise<string>;
  readonly taskTypes: readonly TaskType[];
  status(): SessionStatus;
  /**
   * Takes no more, lets attempts run for `grace` milliseconds (default `stopGrace`), kills the rest and
   * leaves.
   */
  stop(options?: { readonly grace?: number }): Promise<void>;
}

const PRUNE_EVERY = 6 * 3_600_000;

/** Starts a worker. First kills what an earlier worker with its name and folder left on this machine. */
export async function startWorker(settings: WorkerSettings, ports: WorkerPorts): Promise<Worker> {
  const config = workerConfig(settings);
  const { clock, connect, log } = ports;
  const warn: AttemptRoom['warn'] = (text, fields) => log('warn', text, fields);
  const registry = await taskRegistry(config);
  const types = taskTypes(registry);
  mkdirSync(config.folder, { recursive: true, mode: 0o700 });
  const killed = await cleanLeftovers(config.folder, config.name);
  if (killed > 0) warn(`killed ${killed} processes that an earlier worker left`);
  await clearWork(config.work, warn);
  const isolation = await Isolation.open(config);
  if (isolation.problem !== undefined)
    log(
      'error',
      `isolation "${isolation.mode}" is not possible here: ${isolation.problem}; tasks are handed back`,
    );
  const logs = new LogBook(config.logs, { age: config.logRetention, most: config.logCount });
  const served = await ports.serveLogs?.(logs);
  const address = served?.address ?? '';
  const spool = join(config.folder, 'spool');
  const { measure } = ports;
  const health = new Health(clock, (processes) =>
    findProblem({ ...config, measure, folders: [config.work, config.logs] }, processes),
  );
  const session = new Session(
    { ...config, address, taskTypes: JSON.stringify(types), key: sessionKey(spool) },
    {
      clock,
      connect,
      log,
      executor: createExecutor({
        ...config,
        isolation,
        worker: config.name,
        registry,
        logs,
        clock,
        warn,
        suspect: () => health.suspect(),
        trace: ports.trace,
      }),
      spool: spoolFile(spool, warn),
      random: Math.random,
      soon: setImmediate,
      health,
      onRestores: (restores) => {
        logs.restores = restores;
      },
    },
  );
  session.start();
  void session.ended.then(keepPruning(config, clock, warn));
  void session.ended.then(() => served?.stop());
  return {
    config,
    logs,
    joined: session.joined,
    ended: session.ended,
    taskTypes: types,
    status: () => session.status(),
    stop: ({ grace = config.stopGrace } = {}) => session.stop(grace),
  };
}

/** The task types of a worker with this configuration, for the API and for checking a configuration. */
export async function taskRegistry(
  config: Pick<WorkerConfig, 'plugins' | 'codeFolder' | 'dev'> &
    Partial<Pick<WorkerConfig, 'httpAllow' | 'bundled'>>,
): Promise<Registry> {
  const builtIn = builtInTasks({ ...config, httpAllow: config.httpAllow ?? [] });
  const bundled = (config.bundled ?? []).map((plugin) => ({ plugin, from: 'Orrery' }));
  return createRegistry([...builtIn, ...bundled, ...(await loadPlugins(config.plugins, config.codeFolder))]);
}

/** Deletes old logs now and periodically; returns a function that stops it. */
function keepPruning(
  { logs, logRetention, logCount }: WorkerConfig,
  clock: Clock,
  warn: (text: string) => void,
): () => void {
  let timer: ClockTimer | undefined;
  let stopped = false;
  const prune = (): void => {
    void pruneLogs(logs, { now: clock.now(), age: logRetention, most: logCount })
      .catch((error) => warn(`cannot delete old logs: ${error}`))
      .then(() => {
        if (!stopped) timer = clock.setTimer(PRUNE_EVERY, prune);
      });
  };
  prune();
  return () => {
    stopped = true;
    timer?.cancel();
  };
}
