/** Saved views: a person's own, kept among the preferences, and those of projects, kept by the server for all. */
import { useAction, useApi } from '../../data/api.ts';
import { notify } from '../../parts/notices.tsx';

/** A view; one without a project is the person's own. */
export interface View {
  readonly project?: string;
  readonly name: string;
  /** The query of the list, with its question mark. */
  readonly query: string;
  /** Whether to show how many runs it has. */
  readonly badge: boolean;
  readonly mayDrop: boolean;
}

/** Where a person's own are among the preferences. */
const KEY = 'runs.views';

/** All views, and ways to keep and to forget one. */
export function useViews() {
  const me = useApi('showMe', {});
  const shared = useApi('listViews', {});
  const changePreferences = useAction('changePreferences', ['showMe']);
  const setView = useAction('setView', ['listViews']);
  const deleteView = useAction('deleteView', ['listViews']);
  const failed = { onError: (error: Error) => notify(error, 'bad') };
  // Saves only this view: another browser may save a different one at the same time.
  const keep = (name: string, kept: string | { query: string; badge: true } | null) =>
    changePreferences.mutate({ body: { [KEY]: { [name]: kept } } }, failed);
  return {
    ready: me.data !== undefined,
    maySave: me.data?.rights.includes('setView') ?? false,
    mine: ownViews(me.data?.preferences[KEY]),
    shared: (shared.data?.views ?? []).map(
      ({ project, name, query, badge, actions }): View => ({
        project,
        name,
        query: `?${query}`,
        badge,
        mayDrop: actions.some((action) => action.name === 'delete' && action.allowed),
      }),
    ),
    save({ project, name, query, badge }: Omit<View, 'mayDrop'>) {
      if (project === undefined) keep(name, badge ? { query, badge } : query);
      else setView.mutate({ project, view: name, body: { query: query.replace(/^\?/, ''), badge } }, failed);
    },
    drop({ project, name }: View) {
      if (project === undefined) keep(name, null);
      else deleteView.mutate({ project, view: name }, failed);
    },
  };
}

function ownViews(stored: unknown): readonly View[] {
  if (typeof stored !== 'object' || stored === null) return [];
  return Object.entries(stored).flatMap(([name, value]: [string, unknown]): readonly View[] => {
    if (typeof value === 'string') return [{ name, query: value, badge: false, mayDrop: true }];
    const query = typeof value === 'object' && value !== null && 'query' in value ? value.query : undefined;
    return typeof query === 'string' ? [{ name, query, badge: true, mayDrop: true }] : [];
  });
}
