/** Connections: how tasks reach other systems. They name secrets but never contain them. */
import { said } from '@orrery/core/texts';
import { Conflict } from '../../errors.ts';
import { batch, change, type Operation, row, rows } from '../../operation.ts';
import { audit } from '../access/audit.ts';
import { changedNames } from '../runs/given-parameters.ts';
import { refuseNeeded } from './workflow-uses.ts';

/** Content of a connection. */
export interface ConnectionBody {
  readonly kind: string;
  readonly description: string;
  /** Settings in the schema of its kind; a text may name secrets: `${secret.NAME}`. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** The key of a connection. */
export interface ConnectionKey {
  readonly project: string;
  readonly name: string;
}

/** A connection; `revision` increases with each change. */
export interface ConnectionRow extends ConnectionKey, ConnectionBody {
  readonly revision: number;
  readonly changedAt: number;
}

interface Stored extends ConnectionKey {
  readonly kind: string;
  readonly body: string;
  readonly revision: number;
  readonly changedAt: number;
}

const columns = 'project, name, kind, body, revision, changed_at AS "changedAt"';

/** Connections of one project or all, by project and name. */
export function* listConnections({ project }: { readonly project?: string }): Operation<ConnectionRow[]> {
  const found = yield* rows<Stored>(
    `SELECT ${columns} FROM connection ${project === undefined ? '' : 'WHERE project = ?1'} ORDER BY project, name`,
    ...(project === undefined ? [] : [project]),
  );
  return found.map(read);
}

/** Existing connections with these keys. */
export function* readConnections({
  keys,
}: {
  readonly keys: readonly ConnectionKey[];
}): Operation<ConnectionRow[]> {
  const { rows: found } = yield* batch<Stored>(
    {
      sqlite: `SELECT ${columns} FROM connection WHERE project = ?1 AND name = ?2`,
      postgres: `SELECT ${columns} FROM connection
        WHERE (project, name) IN (SELECT * FROM unnest(?1::text[], ?2::text[]))`,
    },
    ['text', 'text'],
    keys.map(({ project, name }) => [project, name]),
  );
  return found.map(read);
}

/**
 * Creates or replaces a connection. With a revision, only if it has not changed since; 0: only if it is new.
 */
export function* setConnection(
  input: ConnectionKey & {
    readonly connection: ConnectionBody;
    readonly revision?: number;
    readonly by: string;
    readonly now: number;
  },
): Operation<ConnectionRow> {
  const { project, name, connection, revision, by, now } = input;
  const { kind, ...body } = connection;
  const [before] = yield* readConnections({ keys: [{ project, name }] });
  yield* change(
    `INSERT INTO connection (project, name, kind, body, revision, changed_at) VALUES (?1, ?2, ?3, '{}', 0, ?4)
     ON CONFLICT DO NOTHING`,
    project,
    name,
    kind,
    now,
  );
  const written = yield* row<Stored>(
    `UPDATE connection SET kind = ?3, body = ?4, revision = revision + 1, changed_at = ?5
     WHERE project = ?1 AND name = ?2 ${revision === undefined ? '' : 'AND revision = ?6'} RETURNING ${columns}`,
    project,
    name,
    kind,
    JSON.stringify(body),
    now,
    ...(revision === undefined ? [] : [revision]),
  );
  if (!written) throw new Conflict(said('changed.connection', { name }));
  // Audits only the names of settings: some values are secret.
  const changed = changedNames(before?.settings ?? {}, connection.settings);
  const kinds = { before: before?.kind ?? null, after: kind };
  yield* audit(by, 'connection.set', `${project}/${name}`, { ...kinds, changed }, now);
  return read(written);
}

/** Deletes a connection; false if it does not exist. Refused while live versions of workflows need it. */
export function* deleteConnection(
  input: ConnectionKey & { readonly by: string; readonly now: number },
): Operation<boolean> {
  const { project, name, by, now } = input;
  yield* refuseNeeded({ kind: 'connection', project, name });
  const gone = yield* row<{ kind: string }>(
    'DELETE FROM connection WHERE project = ?1 AND name = ?2 RETURNING kind',
    project,
    name,
  );
  if (gone) yield* audit(by, 'connection.delete', `${project}/${name}`, { before: gone.kind }, now);
  return gone !== undefined;
}

function read({ body, ...rest }: Stored): ConnectionRow {
  return { ...rest, ...(JSON.parse(body) as Omit<ConnectionBody, 'kind'>) };
}
