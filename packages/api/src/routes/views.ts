/** `/views` and `/projects/{project}/views/{view}`: filters under a name that a project shares. */
import { said } from '@orrery/core/texts';
import type { SavedView } from '@orrery/store';
import type { Context } from '../context.ts';
import type { Handlers } from '../handler.ts';
import { Refusal } from '../problem.ts';
import { timeText } from '../time.ts';

/** Views that one answer has, and that one project may have. */
const MOST_VIEWS = 1_000;

/** What the operations do. */
export function viewHandlers(context: Context) {
  const { store, clock } = context;

  return {
    listViews: async ({ query: { project } }) => {
      return { views: (await store.listViews({ project, limit: MOST_VIEWS })).map(shown) };
    },

    setView: async ({ params: { project, view: name }, body, request }) => {
      const author = request.identity.name;
      const query = body.query.replace(/^\?/, '');
      const view = await store.setView({ view: { project, name, ...body, query, author }, now: clock.now() });
      return shown(view);
    },

    deleteView: async ({ params: { project, view: name }, request }) => {
      const by = request.identity.name;
      if (!(await store.deleteView({ project, name, by, now: clock.now() })))
        throw new Refusal('not-found', said('none.view', { project, name }));
      return { deleted: true };
    },
  } satisfies Partial<Handlers>;
}

function shown({ savedAt, ...view }: SavedView) {
  return { ...view, savedAt: timeText(savedAt), actions: [{ name: 'delete', allowed: true }] };
}
