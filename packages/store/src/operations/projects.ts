/** Projects: the parameters that every workflow of one shares. */
import type { Parameters } from '@orrery/core/model';
import { Conflict } from '../errors.ts';
import { change, type Operation, row, rows } from '../operation.ts';
import { appendEvents } from './feed.ts';

/** A project with its parameters; `revision` grows with each change of them. */
export interface ProjectRow {
  readonly name: string;
  readonly params: Parameters;
  readonly revision: number;
  readonly createdAt: number;
}

interface Stored extends Omit<ProjectRow, 'params'> {
  readonly params: string;
}

const columns = 'name, params, revision, created_at AS "createdAt"';

/** One project; undefined as long as nothing was published or set in it. */
export function* readProject({ project }: { readonly project: string }): Operation<ProjectRow | undefined> {
  const found = yield* row<Stored>(`SELECT ${columns} FROM project WHERE name = ?1`, project);
  return found && { ...found, params: JSON.parse(found.params) };
}

/** Every project by name. */
export function* listProjects(): Operation<ProjectRow[]> {
  const found = yield* rows<Stored>(`SELECT ${columns} FROM project ORDER BY name`);
  return found.map((project) => ({ ...project, params: JSON.parse(project.params) }));
}

/** Replaces the parameters of a project. With a revision, only if nobody else did since that was read. */
export function* setProjectParams(input: {
  readonly project: string;
  readonly params: Parameters;
  readonly revision?: number;
  readonly now: number;
}): Operation<{ revision: number }> {
  const { project, params, revision, now } = input;
  yield* change(
    `INSERT INTO project (name, params, revision, created_at) VALUES (?1, '{}', 0, ?2) ON CONFLICT DO NOTHING`,
    project,
    now,
  );
  const seen = revision === undefined ? '' : 'AND revision = ?3';
  const changed = yield* row<{ revision: number }>(
    `UPDATE project SET params = ?2, revision = revision + 1 WHERE name = ?1 ${seen} RETURNING revision`,
    project,
    JSON.stringify(params),
    ...(revision === undefined ? [] : [revision]),
  );
  if (!changed)
    throw new Conflict(`the parameters of project ${project} were changed by someone else; read them again`);
  const body = JSON.stringify({ name: project });
  yield* appendEvents(null, [{ topic: 'project', subject: 0, revision: changed.revision, body }], now);
  return changed;
}
