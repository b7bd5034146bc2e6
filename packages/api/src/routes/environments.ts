/** `/environments`: sets of variables that the processes of tasks are given. */

import { isOpenTo } from '@orrery/core/model/uses';
import { said } from '@orrery/core/texts';
import { Conflict, type EnvironmentRow } from '@orrery/store';
import type { Identity } from '../access/identity.ts';
import { seenBy } from '../access/scope.ts';
import type { Context } from '../context.ts';
import type { Handlers } from '../handler.ts';
import { Changed, Refusal } from '../problem.ts';
import { timeText } from '../time.ts';

/** What the operations do. */
export function environmentHandlers(context: Context) {
  const { store, clock } = context;
  const find = async (name: string) => (await store.readEnvironments({ names: [name] })).at(0);
  const isSeen = ({ project }: Identity, { projects }: EnvironmentRow) =>
    project === null || isOpenTo(projects, project);

  return {
    listEnvironments: async ({ request: { identity } }) => ({
      environments: (await store.listEnvironments())
        .filter((environment) => isSeen(identity, environment))
        .map((environment) => shown(environment, identity)),
    }),

    showEnvironment: async ({ params: { name }, request: { identity } }, reply) => {
      const found = await find(name);
      if (!found || !isSeen(identity, found)) throw missing(name);
      reply.header('etag', `"${found.revision}"`);
      return shown(found, identity);
    },

    setEnvironment: async ({ params: { name }, headers, body, request }, reply) => {
      const by = request.identity.name;
      const written = await store
        .setEnvironment({
          name,
          environment: { ...body, projects: [...new Set(body.projects)] },
          revision: headers.ifMatch,
          by,
          now: clock.now(),
        })
        .catch(async (error: unknown) => {
          if (!(error instanceof Conflict)) throw error;
          const present = await find(name);
          throw new Changed(error.said ?? error.message, present ? shown(present, request.identity) : null);
        });
      reply.header('etag', `"${written.revision}"`);
      return shown(written, request.identity);
    },

    deleteEnvironment: async ({ params: { name }, request }) => {
      const by = request.identity.name;
      if (!(await store.deleteEnvironment({ name, by, now: clock.now() }))) throw missing(name);
      return undefined;
    },
  } satisfies Partial<Handlers>;
}

function missing(name: string): Refusal {
  return new Refusal('not-found', said('none.environment', { name }));
}

function shown({ changedAt, projects, ...row }: EnvironmentRow, identity: Identity) {
  return { ...row, projects: seenBy(identity, projects), changedAt: timeText(changedAt) };
}
