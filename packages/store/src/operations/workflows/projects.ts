/** Projects: the parameters that all workflows of a project share. */

import type { Parameters } from '@orrery/core/model';
import { said } from '@orrery/core/texts';
import { Conflict } from '../../errors.ts';
import { change, type Operation, row, rows } from '../../operation.ts';
import { audit } from '../access/audit.ts';
import { appendEvents } from '../runs/feed.ts';
import { changedNames } from '../runs/given-parameters.ts';

/** A project with its parameters; `revision` increases with each change of them. */
export interface ProjectRow {
  readonly name: string;
  readonly params: Parameters;
  /** Projects whose workflows may call this project's; `*` is every project. */
  readonly callableFrom: readonly string[];
  readonly revision: number;
  readonly createdAt: number;
}

interface Stored extends Omit<ProjectRow, 'params' | 'callableFrom'> {
  readonly params: string;
  readonly callableFrom: string;
}

const columns = 'name, params, callable_from AS "callableFrom", revision, created_at AS "createdAt"';

/** One project; undefined until something is published or set in it. */
export function* readProject({ project }: { readonly project: string }): Operation<ProjectRow | undefined> {
  const found = yield* row<Stored>(`SELECT ${columns} FROM project WHERE name = ?1`, project);
  return found && projectOf(found);
}

/** All projects by name. */
export function* listProjects(): Operation<ProjectRow[]> {
  const found = yield* rows<Stored>(`SELECT ${columns} FROM project ORDER BY name`);
  return found.map(projectOf);
}

function projectOf({ params, callableFrom, ...project }: Stored): ProjectRow {
  return { ...project, params: JSON.parse(params), callableFrom: JSON.parse(callableFrom) };
}

/**
 * Replaces the parameters of a project and, if given, its callers. With a revision, only if they have not
 * changed since.
 */
export function* setProjectParams(input: {
  readonly project: string;
  readonly params: Parameters;
  readonly callableFrom?: readonly string[];
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
  const callableFrom = input.callableFrom ?? before?.callableFrom ?? [];
  const seen = revision === undefined ? '' : 'AND revision = ?4';
  const changed = yield* row<{ revision: number; createdAt: number }>(
    `UPDATE project SET params = ?2, callable_from = ?3, revision = revision + 1 WHERE name = ?1 ${seen} RETURNING revision, created_at AS "createdAt"`,
    project,
    JSON.stringify(params),
    JSON.stringify(callableFrom),
    ...(revision === undefined ? [] : [revision]),
  );
  if (!changed) throw new Conflict(said('changed.project', { project }));
  const body = JSON.stringify({ name: project });
  yield* appendEvents(null, [{ topic: 'project', subject: 0, revision: changed.revision, body }], now);
  yield* audit(
    by,
    'project.set',
    project,
    {
      changed: changedNames(before?.params ?? {}, params),
      before: { callableFrom: before?.callableFrom ?? [] },
      after: { callableFrom },
    },
    now,
  );
  return { name: project, params, callableFrom, ...changed };
}
