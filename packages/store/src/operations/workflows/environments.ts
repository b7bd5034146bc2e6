/**
 * Environments: named sets of variables for the processes of tasks. They name secrets but never contain them.
 */
import { said } from '@orrery/core/texts';
import { Conflict } from '../../errors.ts';
import { batch, change, type Operation, row, rows } from '../../operation.ts';
import { audit } from '../access/audit.ts';
import { changedNames } from '../runs/given-parameters.ts';
import { refuseNeeded } from './workflow-uses.ts';

/** Content of an environment. */
export interface EnvironmentBody {
  readonly description: string;
  readonly variables: Readonly<Record<string, string>>;
  /** Worker groups it is restricted to; empty: all. */
  readonly workerGroups: readonly string[];
  /** Projects whose tasks may run in it; empty: all. */
  readonly projects: readonly string[];
}

/** An environment; `revision` increases with each change. */
export interface EnvironmentRow extends EnvironmentBody {
  readonly name: string;
  readonly revision: number;
  readonly changedAt: number;
}

interface Stored {
  readonly name: string;
  readonly body: string;
  readonly revision: number;
  readonly changedAt: number;
}

const columns = 'name, body, revision, changed_at AS "changedAt"';

/** All environments, by name. */
export function* listEnvironments(): Operation<EnvironmentRow[]> {
  return (yield* rows<Stored>(`SELECT ${columns} FROM environment ORDER BY name`)).map(read);
}

/** Existing environments with these names. */
export function* readEnvironments({
  names,
}: {
  readonly names: readonly string[];
}): Operation<EnvironmentRow[]> {
  const { rows: found } = yield* batch<Stored>(
    {
      sqlite: `SELECT ${columns} FROM environment WHERE name = ?1`,
      postgres: `SELECT ${columns} FROM environment WHERE name = ANY (?1::text[])`,
    },
    ['text'],
    names.map((name) => [name]),
  );
  return found.map(read);
}

/**
 * Creates or replaces an environment. With a revision, only if it has not changed since; 0: only if it is
 * new.
 */
export function* setEnvironment(input: {
  readonly name: string;
  readonly environment: EnvironmentBody;
  readonly revision?: number;
  readonly by: string;
  readonly now: number;
}): Operation<EnvironmentRow> {
  const { name, environment, revision, by, now } = input;
  const [before] = yield* readEnvironments({ names: [name] });
  yield* change(
    `INSERT INTO environment (name, body, revision, changed_at) VALUES (?1, '{}', 0, ?2) ON CONFLICT DO NOTHING`,
    name,
    now,
  );
  const written = yield* row<Stored>(
    `UPDATE environment SET body = ?2, revision = revision + 1, changed_at = ?3
     WHERE name = ?1 ${revision === undefined ? '' : 'AND revision = ?4'} RETURNING ${columns}`,
    name,
    JSON.stringify(environment),
    now,
    ...(revision === undefined ? [] : [revision]),
  );
  if (!written) throw new Conflict(said('changed.environment', { name }));
  const changed = changedNames(before?.variables ?? {}, environment.variables);
  const projects = {
    before: projectsText(before?.projects ?? []),
    after: projectsText(environment.projects),
  };
  const detail = projects.before === projects.after ? { changed } : { ...projects, changed };
  yield* audit(by, 'environment.set', name, detail, now);
  return read(written);
}

/** Deletes an environment; false if it does not exist. Refused while live versions of workflows need it. */
export function* deleteEnvironment(input: {
  readonly name: string;
  readonly by: string;
  readonly now: number;
}): Operation<boolean> {
  const { name, by, now } = input;
  yield* refuseNeeded({ kind: 'environment', project: '', name });
  const gone = yield* row<Stored>(`DELETE FROM environment WHERE name = ?1 RETURNING ${columns}`, name);
  if (!gone) return false;
  const { variables, projects } = read(gone);
  const before = { variables: Object.keys(variables), projects: projectsText(projects) };
  yield* audit(by, 'environment.delete', name, { before }, now);
  return true;
}

function read({ body, ...rest }: Stored): EnvironmentRow {
  // Environments of earlier versions name no projects.
  const { projects = [], ...kept } = JSON.parse(body) as Omit<EnvironmentBody, 'projects'> & {
    projects?: string[];
  };
  return { ...rest, ...kept, projects };
}

/** Projects as the audit shows them. */
export function projectsText(projects: readonly string[]): string {
  return projects.join(', ') || 'all projects';
}
