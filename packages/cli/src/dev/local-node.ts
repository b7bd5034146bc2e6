/**
 * One process that is everything: store, master, worker and API, joined without a network.
 * What it starts it stops, last started first.
 */
import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type RunningApi, startApi } from '@orrery/api';
import { type Clock, realClock } from '@orrery/core/timing';
import { type Log, Master, masterDefaults } from '@orrery/master';
import { openPostgres, openSqliteThread, type Store } from '@orrery/store';
import type { MasterFrame, WorkerFrame } from '@orrery/wire/frames';
import { channelPair } from '@orrery/wire/in-process';
import { startWorker, type Worker } from '@orrery/worker';
import about from '../../package.json' with { type: 'json' };

/** How the process is set up. */
export interface LocalNodeOptions {
  /** Where the database, logs and work files lie. */
  readonly folder: string;
  /** A PostgreSQL database instead of the embedded one. */
  readonly database?: string;
  readonly host?: string;
  readonly port?: number;
  readonly token?: string;
  readonly slots?: number;
  /** Where modules of `node` tasks and plugins are found. */
  readonly codeFolder: string;
  readonly plugins: readonly string[];
  readonly log: Log;
}

/** A running process. */
export interface LocalNode {
  readonly url: string;
  /** Settles with the reason when the master can no longer act. */
  readonly over: Promise<string>;
  stop(): Promise<void>;
}

/** The clock of this machine. */
const clock: Clock = realClock({
  now: Date.now,
  monotonic: () => performance.now(),
  setTimeout,
  clearTimeout,
});

/** Starts everything; what was started is stopped again if the rest fails. */
export async function startLocalNode(options: LocalNodeOptions): Promise<LocalNode> {
  const folder = resolve(options.folder);
  mkdirSync(folder, { recursive: true });
  const started: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (const end of started.splice(0).reverse()) await end();
  };
  try {
    const store = await openStore(folder, options.database);
    started.push(() => store.close());
    const { promise: over, resolve: end } = Promise.withResolvers<string>();
    const name = nameOf(folder);
    const config = { ...masterDefaults, id: name, address: name };
    const master = await Master.start(config, { clock, store, log: options.log, onOver: end });
    started.push(() => master.stop());
    const worker = await startLocalWorker(master, name, folder, options);
    started.push(() => worker.stop({ grace: 0 }));
    const api = await startLocalApi(store, master, worker, options);
    started.push(() => api.stop());
    return { url: api.url, over, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** One name a data folder: a worker kills what an earlier one of its name has left on this machine. */
function nameOf(folder: string): string {
  return `local-${createHash('sha256').update(folder).digest('hex').slice(0, 8)}`;
}

function openStore(folder: string, database: string | undefined): Promise<Store> {
  return database === undefined
    ? openSqliteThread(join(folder, 'orrery.db'))
    : openPostgres({ url: database, name: 'orrery local' });
}

function startLocalWorker(
  master: Master,
  name: string,
  folder: string,
  options: LocalNodeOptions,
): Promise<Worker> {
  const { codeFolder, plugins, slots, log } = options;
  const settings = {
    name,
    masters: [name],
    folder: join(folder, 'worker'),
    logs: join(folder, 'logs'),
    codeFolder,
    plugins,
    slots,
    dev: true,
  };
  const connect = () => {
    const [mine, its] = channelPair<WorkerFrame, MasterFrame>((delivery) => queueMicrotask(delivery));
    master.accept(its);
    return mine;
  };
  return startWorker(settings, { clock, connect, log });
}

function startLocalApi(
  store: Store,
  master: Master,
  worker: Worker,
  options: LocalNodeOptions,
): Promise<RunningApi> {
  const hint = () => master.hint();
  const { host, port, token, log } = options;
  return startApi(
    {
      store,
      clock,
      hints: { commandsQueued: hint, inboxTold: hint, schedulesChanged: hint },
      logs: {
        read: ({ workflow, attempt }, range) => worker.logs.read(workflow, attempt, range),
        follow: ({ workflow, attempt }, range) => worker.logs.follow(workflow, attempt, range),
      },
      taskTypes: () => worker.taskTypes.map((type) => ({ ...type, schema: type.schema as object })),
      version: about.version,
      dev: true,
      token,
      onDefect: (error, request) => log('error', `request ${request}: ${(error as Error).stack ?? error}`),
    },
    { host, port },
  );
}
