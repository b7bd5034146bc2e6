/** `/connections`: where the tasks of a project find other systems. */
import { said } from '@orrery/core/texts';
import { Conflict, type ConnectionKey, type ConnectionRow } from '@orrery/store';
import type { Context } from '../context.ts';
import type { Handlers } from '../handler.ts';
import { Changed, Refusal } from '../problem.ts';
import { startRun } from '../runs/start.ts';
import { timeText } from '../time.ts';
import { publish } from '../workflows/publish.ts';

/** The workflow of a project that tests its connections: a test is a run, with log, kill and history. */
const TEST_WORKFLOW = 'connection-test';

/** The task type of that workflow; no workflow of a user has it. */
export const TEST_TASK = 'connection-test';

/** What the operations do. */
export function connectionHandlers(context: Context) {
  const { store, clock, connectionKinds } = context;
  const find = async (key: ConnectionKey) => (await store.readConnections({ keys: [key] })).at(0);

  return {
    listConnectionKinds: async () => ({ kinds: [...(connectionKinds?.list() ?? [])] }),

    listConnections: async ({ query: { project } }) => ({
      connections: (await store.listConnections({ project })).map(shown),
    }),

    showConnection: async ({ params }, reply) => {
      const found = await find(params);
      if (!found) throw missing(params);
      reply.header('etag', `"${found.revision}"`);
      return shown(found);
    },

    setConnection: async ({ params, headers, body, request }, reply) => {
      const checked = connectionKinds?.check(body.kind, body.settings) ?? {
        problems: ['there are no kinds'],
      };
      if ('problems' in checked) throw new Refusal('not-accepted', checked.problems.join('; '));
      const connection = { ...body, settings: checked.settings };
      const by = request.identity.name;
      const written = await store
        .setConnection({ ...params, connection, revision: headers.ifMatch, by, now: clock.now() })
        .catch(async (error: unknown) => {
          if (!(error instanceof Conflict)) throw error;
          const present = await find(params);
          throw new Changed(error.said ?? error.message, present ? shown(present) : null);
        });
      reply.header('etag', `"${written.revision}"`);
      return shown(written);
    },

    deleteConnection: async ({ params, request }) => {
      const by = request.identity.name;
      if (!(await store.deleteConnection({ ...params, by, now: clock.now() }))) throw missing(params);
      return undefined;
    },

    testConnection: async ({ params, body: { workerGroup }, request }) => {
      if (!(await find(params))) throw missing(params);
      const { project, name } = params;
      const { identity } = request;
      const text = testWorkflow(project, workerGroup);
      const note = 'tests connections';
      await publish({ text, dryRun: false, note, identity, source: 'api' }, context);
      const { run } = await startRun(
        {
          workflow: `${project}/${TEST_WORKFLOW}`,
          params: { connection: name },
          scope: { kind: 'all', tasks: [] },
          tags: [],
          dryRun: false,
          counts: false,
          trigger: 'manual',
        },
        undefined,
        context,
      );
      return { run };
    },
  } satisfies Partial<Handlers>;
}

function testWorkflow(project: string, workerGroup: string): string {
  return JSON.stringify({
    name: TEST_WORKFLOW,
    project,
    description: 'Tests connections: started by Test in the settings and by "orrery connections test".',
    params: { connection: { required: true } },
    tasks: [
      {
        name: 'connect',
        type: TEST_TASK,
        workerGroup,
        timeout: '1m',
        with: { connection: '${connection}' },
      },
    ],
  });
}

function missing({ project, name }: ConnectionKey): Refusal {
  return new Refusal('not-found', said('none.connection', { name: `${project}/${name}` }));
}

function shown({ changedAt, settings, ...row }: ConnectionRow) {
  return { ...row, settings: { ...settings }, changedAt: timeText(changedAt) };
}
