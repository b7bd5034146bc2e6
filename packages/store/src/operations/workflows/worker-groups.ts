/** Worker groups restricted to some projects. A group without a setting is open to all. */

import { InvalidInput } from '@orrery/core/errors';
import type { Workflow } from '@orrery/core/model';
import { environmentsOf, isOpenTo, workerGroupsOf } from '@orrery/core/model/uses';
import { said } from '@orrery/core/texts';
import { Conflict } from '../../errors.ts';
import { batch, change, type Operation, row, rows } from '../../operation.ts';
import { readOr } from '../../stored.ts';
import { audit } from '../access/audit.ts';
import { listEnvironments, projectsText, readEnvironments } from './environments.ts';

/** A worker group and the projects it serves; `revision` increases with each change. */
export interface WorkerGroupRow {
  readonly name: string;
  /** Empty: every project. */
  readonly projects: readonly string[];
  readonly revision: number;
  readonly changedAt: number;
}

interface Stored extends Omit<WorkerGroupRow, 'projects'> {
  readonly projects: string;
}

const columns = 'name, projects, revision, changed_at AS "changedAt"';

/** All stored settings, by name. */
export function* listWorkerGroups(): Operation<WorkerGroupRow[]> {
  return (yield* rows<Stored>(`SELECT ${columns} FROM worker_group ORDER BY name`)).map(read);
}

/** Stored settings of these groups. */
export function* readWorkerGroups({
  names,
}: {
  readonly names: readonly string[];
}): Operation<WorkerGroupRow[]> {
  const { rows: found } = yield* batch<Stored>(
    {
      sqlite: `SELECT ${columns} FROM worker_group WHERE name = ?1`,
      postgres: `SELECT ${columns} FROM worker_group WHERE name = ANY (?1::text[])`,
    },
    ['text'],
    names.map((name) => [name]),
  );
  return found.map(read);
}

/**
 * Restricts a worker group to projects; an empty list opens it to all. With a revision, only if it has not
 * changed since.
 */
export function* setWorkerGroup(input: {
  readonly name: string;
  readonly projects: readonly string[];
  readonly revision?: number;
  readonly by: string;
  readonly now: number;
}): Operation<WorkerGroupRow> {
  const { name, projects, revision, by, now } = input;
  const [before] = yield* readWorkerGroups({ names: [name] });
  yield* change(
    `INSERT INTO worker_group (name, projects, revision, changed_at) VALUES (?1, '[]', 0, ?2) ON CONFLICT DO NOTHING`,
    name,
    now,
  );
  const written = yield* row<Stored>(
    `UPDATE worker_group SET projects = ?2, revision = revision + 1, changed_at = ?3
     WHERE name = ?1 ${revision === undefined ? '' : 'AND revision = ?4'} RETURNING ${columns}`,
    name,
    JSON.stringify(projects),
    now,
    ...(revision === undefined ? [] : [revision]),
  );
  if (!written) throw new Conflict(said('changed.workerGroup', { name }));
  yield* audit(
    by,
    'worker-group.set',
    name,
    { before: projectsText(before?.projects ?? []), after: projectsText(projects) },
    now,
  );
  return read(written);
}

/** Refuses a workflow whose tasks need a worker group or an environment restricted to other projects. */
export function* refuseBound(workflow: Workflow): Operation<void> {
  const { project, name } = workflow;
  const refuse = (thing: string) => {
    throw new InvalidInput(`${project}/${name} may not use ${thing}: it is not open to project ${project}`);
  };
  for (const group of yield* readWorkerGroups({ names: workerGroupsOf(workflow) }))
    if (!isOpenTo(group.projects, project)) refuse(`worker group "${group.name}"`);
  for (const environment of yield* readEnvironments({ names: environmentsOf(workflow) }))
    if (!isOpenTo(environment.projects, project)) refuse(`environment "${environment.name}"`);
}

/** A use that is no longer allowed: the live version was published before the restriction. */
export interface RefusedUse {
  readonly from: { readonly project: string; readonly name: string };
  readonly kind: 'worker-group' | 'environment';
  readonly name: string;
}

/** Workflows inspected in one step. */
const PAGE = 200;

/** Such uses by the workflows after a given one; `next` is where to continue, undefined at the end. */
export function* listRefusedUses({
  after,
}: {
  readonly after: number;
}): Operation<{ readonly uses: RefusedUse[]; readonly next?: number }> {
  const bound = (yield* listWorkerGroups()).filter(({ projects }) => projects.length > 0);
  const closed = (yield* listEnvironments()).filter(({ projects }) => projects.length > 0);
  if (bound.length + closed.length === 0) return { uses: [] };
  const live = yield* rows<{ id: number; project: string; name: string; body: string }>(
    `SELECT w.id, w.project, w.name, v.body FROM workflow w
     JOIN workflow_version v ON v.workflow = w.id AND v.version = w.live
     WHERE w.id > ?1 AND w.deleted_at IS NULL ORDER BY w.id LIMIT ?2`,
    after,
    PAGE,
  );
  const uses = live.flatMap(({ project, name, body }) => {
    const workflow = readOr<Partial<Workflow>>(body, {});
    if (workflow.tasks === undefined) return [];
    const whole = workflow as Workflow;
    const refused = (kind: RefusedUse['kind'], used: readonly string[], all: typeof bound | typeof closed) =>
      all
        .filter((one) => used.includes(one.name) && !isOpenTo(one.projects, project))
        .map((one) => ({ from: { project, name }, kind, name: one.name }));
    return [
      ...refused('worker-group', workerGroupsOf(whole), bound),
      ...refused('environment', environmentsOf(whole), closed),
    ];
  });
  return { uses, ...(live.length === PAGE && { next: live[PAGE - 1].id }) };
}

function read({ projects, ...rest }: Stored): WorkerGroupRow {
  return { ...rest, projects: JSON.parse(projects) };
}
