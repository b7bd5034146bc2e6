/** `/environments`: sets of variables that the processes of tasks are given. */
import { Conflict, type EnvironmentRow } from '@orrery/store';
import type { FastifyInstance } from 'fastify';
import { serve } from '../input.ts';
import { Changed, Refusal } from '../problem.ts';
import type { Context } from '../server.ts';
import { timeText } from '../time.ts';

/** Adds the routes. */
export function addEnvironmentRoutes(app: FastifyInstance, context: Context): void {
  const { store, clock } = context;
  const find = async (name: string) => (await store.readEnvironments({ names: [name] })).at(0);

  serve(app, context, 'listEnvironments', async () => ({
    environments: (await store.listEnvironments()).map(shown),
  }));

  serve(app, context, 'showEnvironment', async ({ params: { name } }, reply) => {
    const found = await find(name);
    if (!found) throw missing(name);
    reply.header('etag', `"${found.revision}"`);
    return shown(found);
  });

  serve(app, context, 'setEnvironment', async ({ params: { name }, headers, body, request }, reply) => {
    const by = request.identity.name;
    const written = await store
      .setEnvironment({ name, environment: body, revision: headers.ifMatch, by, now: clock.now() })
      .catch(async (error: unknown) => {
        if (!(error instanceof Conflict)) throw error;
        const present = await find(name);
        throw new Changed(error.message, present ? shown(present) : null);
      });
    reply.header('etag', `"${written.revision}"`);
    return shown(written);
  });

  serve(app, context, 'deleteEnvironment', async ({ params: { name }, request }) => {
    const by = request.identity.name;
    if (!(await store.deleteEnvironment({ name, by, now: clock.now() }))) throw missing(name);
    return undefined;
  });
}

function missing(name: string): Refusal {
  return new Refusal('not-found', `there is no environment ${name}`);
}

function shown({ changedAt, ...row }: EnvironmentRow) {
  return { ...row, changedAt: timeText(changedAt) };
}
