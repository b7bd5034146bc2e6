/** Projects: the parameters that every workflow of one shares. */
import type { Parameters } from '@orrery/core/model';
import { Conflict } from '../errors.ts';
import { change, type Operation, row, rows } from '../operation.ts';
import { audit } from './audit.ts';
import { appendEvents } from './feed.ts';
import { changedNames } from './given-parameters.ts';

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
  readonly by: string;
  readonly now: number;
}): Operation<ProjectRow> {
  const { project, params, revision, by, now } = input;
  yield* change(
    `INSERT INTO project (name, params, revision, created_at) VALUES (?1, '{}', 0, ?2) ON CONFLICT DO NOTHING`,
    project,
    now,
  );
  const before = yield* readProject({ project });
  const seen = revision === undefined ? '' : 'AND revision = ?3';
  const changed = yield* row<{ revision: number; createdAt: number }>(
    `UPDATE project SET params = ?2, revision = revision + 1 WHERE name = ?1 ${seen} RETURNING revision, created_at AS "createdAt"`,
    project,
    JSON.stringify(params),
    ...(revision === undefined ? [] : [revision]),
  );
  if (!changed)
    throw new Conflict(`the parameters of project ${project} were changed by someone else; read them again`);
  const body = JSON.stringify({ name: project });
  yield* appendEvents(null, [{ topic: 'project', subject: 0, revision: changed.revision, body }], now);
  yield* audit(by, 'project.set', project, { changed: changedNames(before?.params ?? {}, params) }, now);
  return { name: project, params, ...changed };
}
