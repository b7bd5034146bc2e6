/**
 * Serves a seeded folder as it is: the API and the console without an engine, so nothing in it moves, and where the
 * seed has a fixed moment, the time that the API sees is that moment.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ApiOptions, type RunningApi, startApi } from '@orrery/api';
import { type Clock, realClock } from '@orrery/core/timing';
import { openSqliteThread } from '@orrery/store';
import { LogBook, taskRegistry, taskTypes } from '@orrery/worker';
import { MOMENT_FILE } from './seed.ts';

/** How a folder is served. */
interface ServeOptions {
  readonly port?: number;
  /** The folder of the console to serve with it. */
  readonly console?: string;
  /** What people have to sign in with; without it nobody has to. */
  readonly token?: string;
  /** Below which path the API and the console are, as behind a proxy. */
  readonly basePath?: string;
  /** The moment at which to stand still, for a seed that has none of its own. */
  readonly now?: number;
  /** Namespaces of elastic jobs that it shows. */
  readonly jobs?: ApiOptions['jobs'];
  /** The settings that it says are in force. */
  readonly config?: ApiOptions['config'];
}

/** Starts serving; `stop` ends it. */
export async function serveSeed(
  folder: string,
  { port = 0, console: place, token, basePath, now, jobs, config }: ServeOptions = {},
): Promise<RunningApi> {
  const opened = await openSqliteThread(join(folder, 'orrery.db'));
  const clock = clockOf(folder, now);
  const store = { ...opened, readTime: async () => clock.now() };
  const logs = new LogBook(join(folder, 'logs'));
  const types = taskTypes(await taskRegistry({ codeFolder: folder, plugins: [], dev: true }));
  const api = await startApi(
    {
      store,
      clock,
      hints: { commandsQueued: () => {}, inboxTold: () => {} },
      logs: {
        read: ({ workflow, attempt }, range) => logs.read(workflow, attempt, range),
        follow: ({ workflow, attempt }, range) => logs.follow(workflow, attempt, range),
      },
      taskTypes: () => types.map((type) => ({ ...type, schema: type.schema as object })),
      version: '0.0.0',
      console: place,
      token,
      basePath,
      jobs,
      config,
      onDefect: (error) => console.error(error),
    },
    { port },
  );
  return {
    ...api,
    stop: async () => {
      await api.stop();
      await store.close();
    },
  };
}

/** The machine's clock, frozen at a time if the seed or the command line sets one. */
function clockOf(folder: string, given: number | undefined): Clock {
  const clock = realClock({ now: Date.now, monotonic: () => performance.now(), setTimeout, clearTimeout });
  const now = momentOf(folder) ?? given;
  return now === undefined ? clock : { ...clock, now: () => now };
}

function momentOf(folder: string): number | undefined {
  const file = join(folder, MOMENT_FILE);
  if (!existsSync(file)) return undefined;
  return (JSON.parse(readFileSync(file, 'utf8')) as { now: number }).now;
}
