/** The API over an engine in virtual time: requests are real ones, and are dealt with as time passes. */
import { type RunningApi, startApi } from '@orrery/api';
import { taskRegistry, taskTypes } from '@orrery/worker';
import type { Engine } from './engine.ts';

/** Serves an engine on a free port, with a console where its folder is given. An error that nobody foresaw is thrown. */
export async function serveEngine(
  engine: Engine,
  codeFolder = '.',
  consoleFolder?: string,
): Promise<RunningApi> {
  const types = taskTypes(await taskRegistry({ codeFolder, plugins: [], dev: true }));
  const hint = () => engine.hint();
  return startApi(
    {
      // A database that is given to the engine has the time of the machine.
      store: { ...engine.store, readTime: async () => engine.clock.now() },
      clock: engine.clock,
      hints: { commandsQueued: hint, inboxTold: hint, schedulesChanged: hint },
      logs: { read: () => Promise.reject(new Error('not yet')), async *follow() {} },
      taskTypes: () => types.map((type) => ({ ...type, schema: type.schema as object })),
      version: '0',
      console: consoleFolder,
      onDefect: (error) => {
        throw error;
      },
    },
    { port: 0 },
  );
}
