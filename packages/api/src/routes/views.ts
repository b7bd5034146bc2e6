/** `/views` and `/projects/{project}/views/{view}`: filters under a name that a project shares. */
import type { SavedView } from '@orrery/store';
import type { FastifyInstance } from 'fastify';
import { serve } from '../input.ts';
import { Refusal } from '../problem.ts';
import type { Context } from '../server.ts';
import { timeText } from '../time.ts';

/** Views that one answer has, and that one project may have. */
const MOST_VIEWS = 1_000;

/** Adds the routes. */
export function addViewRoutes(app: FastifyInstance, context: Context): void {
  const { store, clock } = context;

  serve(app, context, 'listViews', async ({ query: { project } }) => {
    return { views: (await store.listViews({ project, limit: MOST_VIEWS })).map(shown) };
  });

  serve(app, context, 'setView', async ({ params: { project, view: name }, body, request }) => {
    const author = request.identity.name;
    const query = body.query.replace(/^\?/, '');
    const view = await store.setView({ view: { project, name, ...body, query, author }, now: clock.now() });
    return shown(view);
  });

  serve(app, context, 'deleteView', async ({ params: { project, view: name }, request }) => {
    const by = request.identity.name;
    if (!(await store.deleteView({ project, name, by, now: clock.now() })))
      throw new Refusal('not-found', `project ${project} has no view "${name}"`);
    return { deleted: true };
  });
}

function shown({ savedAt, ...view }: SavedView) {
  return { ...view, savedAt: timeText(savedAt), actions: [{ name: 'delete', allowed: true }] };
}
