/**
 * The `connection-test` task: connects from a worker, like other tasks, and reports the server at the other
 * end.
 */
import { definePlugin, type Plugin, type TaskContext } from '@orrery/worker/plugin';
import { z } from 'zod';
import type { Places } from '../places.ts';
import { runEmbedded } from '../sql/embedded.ts';
import type { SqlJob } from '../sql/job.ts';
import { SERVERS, serverKind } from '../sql/servers.ts';
import type { Sessions } from '../sql/sessions.ts';
import { givenConnection } from './given.ts';
import { connectionKinds } from './kinds.ts';

const schema = z.strictObject({
  connection: z.string().min(1).describe('The connection to test.').meta({ format: 'connection' }),
});

type Context = TaskContext<z.output<typeof schema>>;

/** Connects with the settings of a connection, and returns the name that the server gives itself. */
export type Probe = (context: Context, settings: Record<string, unknown>) => Promise<string>;

/** Made for one worker; `more` are probes of kinds that other task types bring. */
export function connectionTestTask(
  { codeFolder }: Places,
  sessions: Sessions,
  more: Readonly<Record<string, Probe>>,
): Plugin {
  const server =
    (kind: string): Probe =>
    (context, settings) =>
      sessions.use(context, { name: context.with.connection, kind, settings }, async (session) => {
        let version = '';
        const row = ([value]: readonly unknown[]) => {
          version = String(value);
          return true;
        };
        await session.run(serverKind(kind).version, [], { columns() {}, row, ready: async () => {} });
        return version.split('\n')[0];
      });
  const embedded =
    (kind: string, sql: string): Probe =>
    async (context, settings) => {
      const input = {
        kind,
        settings: settings as { file: string; readOnly: boolean },
        job: oneQuery(sql),
        codeFolder,
      };
      return `${kind} ${(await runEmbedded(context, input)).version}`;
    };
  const probes: Readonly<Record<string, Probe>> = {
    ...Object.fromEntries(SERVERS.map((kind) => [kind, server(kind)])),
    sqlite: embedded('sqlite', 'SELECT sqlite_version() AS version'),
    duckdb: embedded('duckdb', 'SELECT version() AS version'),
    ...more,
  };
  return definePlugin({
    name: 'connection-test',
    title: 'Test of a connection',
    description: 'Connects, and says what is at the other end.',
    schema,
    async run(context) {
      const { with: wanted, output, log } = context;
      const kinds = [...connectionKinds.keys()].filter((kind) => Object.hasOwn(probes, kind));
      const { kind, settings } = givenConnection(context, wanted.connection, kinds);
      const start = performance.now();
      const server = await probes[kind](context, settings);
      const latency = Math.round(performance.now() - start);
      log(`connected to ${server} in ${latency} ms`);
      output('server', server);
      output('latency', latency);
    },
  });
}

function oneQuery(sql: string): SqlJob {
  const statement = { text: sql, values: [], at: 'test', line: 1 };
  return { before: [], statements: [statement], after: [], transaction: false, explain: false, maxRows: 0 };
}
