/** Saved views of a project: named filters of the run list, shared by everybody who sees the project. */
import { change, type Operation, row, rows } from '../../operation.ts';
import { audit } from './audit.ts';

/** A view of a project. */
export interface SavedView {
  readonly project: string;
  readonly name: string;
  /** Query string of the list, without the question mark. */
  readonly query: string;
  /** Whether to show the number of matching runs. */
  readonly badge: boolean;
  readonly author: string;
  readonly savedAt: number;
}

/** The views of one project or all, by project and name. */
export function* listViews(input: {
  readonly project?: string;
  readonly limit: number;
}): Operation<SavedView[]> {
  const { project, limit } = input;
  const found = yield* rows<Omit<SavedView, 'badge'> & { badge: number }>(
    `SELECT project, name, query, badge, author, saved_at AS "savedAt" FROM saved_view
     ${project === undefined ? '' : 'WHERE project = ?2'} ORDER BY project, name LIMIT ?1`,
    limit,
    ...(project === undefined ? [] : [project]),
  );
  return found.map((view) => ({ ...view, badge: view.badge === 1 }));
}

/** Creates or replaces a view. */
export function* setView(input: {
  readonly view: Omit<SavedView, 'savedAt'>;
  readonly now: number;
}): Operation<SavedView> {
  const { view, now } = input;
  const { project, name, query, badge, author } = view;
  const before = yield* row<{ query: string }>(
    'SELECT query FROM saved_view WHERE project = ?1 AND name = ?2',
    project,
    name,
  );
  yield* change(
    `INSERT INTO saved_view (project, name, query, badge, author, saved_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
     ON CONFLICT (project, name) DO UPDATE SET query = excluded.query, badge = excluded.badge,
       author = excluded.author, saved_at = excluded.saved_at`,
    project,
    name,
    query,
    Number(badge),
    author,
    now,
  );
  yield* audit(
    author,
    'view.set',
    `${project}/${name}`,
    { before: before?.query ?? null, after: query },
    now,
  );
  return { ...view, savedAt: now };
}

/** Deletes a view; false if it does not exist. */
export function* deleteView(input: {
  readonly project: string;
  readonly name: string;
  readonly by: string;
  readonly now: number;
}): Operation<boolean> {
  const { project, name, by, now } = input;
  const gone = yield* row<{ query: string }>(
    'DELETE FROM saved_view WHERE project = ?1 AND name = ?2 RETURNING query',
    project,
    name,
  );
  if (gone) yield* audit(by, 'view.delete', `${project}/${name}`, { before: gone.query }, now);
  return gone !== undefined;
}
