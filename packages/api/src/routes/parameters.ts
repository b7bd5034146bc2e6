/** `/projects/{project}` and `/parameters`: what workflows find where they run. */

import { resolveParameters } from '@orrery/core/params';
import { said } from '@orrery/core/texts';
import { zone } from '@orrery/core/time';
import { Conflict, type ProjectRow, type RefusedUse } from '@orrery/store';
import type { Context } from '../context.ts';
import type { Handlers } from '../handler.ts';
import { Changed, Refusal } from '../problem.ts';
import { timeText } from '../time.ts';

/** What the operations do. */
export function parameterHandlers(context: Context) {
  const { store, clock } = context;

  return {
    showProject: async ({ params: { project } }, reply) => {
      const found = await store.readProject({ project });
      if (!found) throw new Refusal('not-found', said('none.project', { project }));
      reply.header('etag', `"${found.revision}"`);
      return shown(found);
    },

    setProject: async ({ params: { project }, headers, body, request }, reply) => {
      const { value: cluster } = await store.readClusterParams();
      checkReadable({ cluster, project: body.params });
      const written = await store
        .setProjectParams({
          project,
          params: body.params,
          callableFrom: body.callableFrom,
          revision: headers.ifMatch,
          by: request.identity.name,
          now: clock.now(),
        })
        .catch(async (error: unknown) => {
          const present = await store.readProject({ project });
          throw changedBy(error, present && shown(present));
        });
      reply.header('etag', `"${written.revision}"`);
      return shown(written);
    },

    listRefusedCalls: async () => ({
      calls: await store.listRefusedCalls(),
      uses: await refusedUses(context),
    }),

    showParameters: async (_, reply) => {
      const { value: params, revision } = await store.readClusterParams();
      reply.header('etag', `"${revision}"`);
      return { params, revision };
    },

    setParameters: async ({ headers, body: { params }, request }, reply) => {
      checkReadable({ cluster: params });
      const { revision } = await store
        .setClusterParams({
          params,
          revision: headers.ifMatch,
          by: request.identity.name,
          now: clock.now(),
        })
        .catch(async (error: unknown) => {
          const present = await store.readClusterParams();
          throw changedBy(error, { params: present.value, revision: present.revision });
        });
      reply.header('etag', `"${revision}"`);
      return { params, revision };
    },
  } satisfies Partial<Handlers>;
}

/** Uses that one answer names. */
const MOST_USES = 1_000;

async function refusedUses({ store }: Context): Promise<RefusedUse[]> {
  const found: RefusedUse[] = [];
  for (let after: number | undefined = 0; after !== undefined && found.length < MOST_USES; ) {
    const { uses, next } = await store.listRefusedUses({ after });
    found.push(...uses);
    after = next;
  }
  return found.slice(0, MOST_USES);
}

/** Any time shows whether placeholders can be read, and whether values refer to each other in a circle. */
function checkReadable(sources: Parameters<typeof resolveParameters>[0]): void {
  resolveParameters(sources, { businessTime: 0, zone: zone('UTC') });
}

function changedBy(error: unknown, current: unknown): unknown {
  return error instanceof Conflict ? new Changed(error.said ?? error.message, current) : error;
}

function shown({ createdAt, ...project }: ProjectRow) {
  return { ...project, createdAt: timeText(createdAt) };
}
