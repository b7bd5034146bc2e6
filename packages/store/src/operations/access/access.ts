/**
 * Access: tokens by their hash, the preferences of their holders, and the audit of changes to these. Each
 * change is recorded in its own transaction, so no record can be missing.
 */
import { change, type Operation, row, rows } from '../../operation.ts';
import { appendEvents } from '../runs/feed.ts';
import { newNumbers } from '../runs/numbers.ts';
import { mergePatch } from '../workflows/merge-patch.ts';
import { audit } from './audit.ts';
import { endSessionsOf } from './sessions.ts';

/** A token, without anything that would reveal its secret. */
export interface TokenRow {
  readonly id: number;
  readonly name: string;
  readonly role: string;
  /** The only project it grants; null: all projects. */
  readonly project: string | null;
  readonly hint: string;
  readonly createdBy: string;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly lastUsedAt: number | null;
  /** The token it was made with, and with which it ends; null: the server's own. */
  readonly parent: number | null;
}

const tokenColumns = `id, name, role, project, hint, created_by AS "createdBy", created_at AS "createdAt",
  expires_at AS "expiresAt", revoked_at AS "revokedAt", last_used_at AS "lastUsedAt", parent`;

/** Records a token by its hash. */
export function* createToken(input: {
  readonly hash: string;
  readonly hint: string;
  readonly name: string;
  readonly role: string;
  readonly project: string | null;
  readonly expiresAt: number | null;
  /** The requesting token; null: the server's own. */
  readonly parent?: number | null;
  readonly by: string;
  readonly now: number;
}): Operation<TokenRow> {
  const { hash, hint, name, role, project, expiresAt, parent = null, by, now } = input;
  const [id] = yield* newNumbers(1);
  yield* change(
    `INSERT INTO token (id, hash, hint, name, role, project, created_by, created_at, expires_at, parent)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)`,
    id,
    hash,
    hint,
    name,
    role,
    project,
    by,
    now,
    expiresAt,
    parent,
  );
  yield* audit(by, 'token.create', String(id), { name, role, project, expiresAt }, now);
  const [createdBy, createdAt] = [by, now];
  return {
    id,
    name,
    role,
    project,
    hint,
    createdBy,
    createdAt,
    expiresAt,
    revokedAt: null,
    lastUsedAt: null,
    parent,
  };
}

/** The token with this hash, even if it has ended. */
export function* findToken({ hash }: { readonly hash: string }): Operation<TokenRow | undefined> {
  return yield* row<TokenRow>(`SELECT ${tokenColumns} FROM token WHERE hash = ?1`, hash);
}

/** A token by its number. */
export function* readToken({ id }: { readonly id: number }): Operation<TokenRow | undefined> {
  return yield* row<TokenRow>(`SELECT ${tokenColumns} FROM token WHERE id = ?1`, id);
}

/** Tokens, newest first; with a project, only tokens of that project. */
export function* listTokens(input: {
  readonly project?: string;
  readonly before?: number;
  readonly limit: number;
}): Operation<readonly TokenRow[]> {
  const { project, before = Number.MAX_SAFE_INTEGER, limit } = input;
  return yield* rows<TokenRow>(
    `SELECT ${tokenColumns} FROM token WHERE id < ?1 ${project === undefined ? '' : 'AND project = ?3'}
     ORDER BY id DESC LIMIT ?2`,
    before,
    limit,
    ...(project === undefined ? [] : [project]),
  );
}

/**
 * Ends a token, the tokens made with it, and their sessions. Undefined if the token does not exist or is not
 * of the given project. Idempotent.
 */
export function* revokeToken(input: {
  readonly id: number;
  readonly project?: string;
  readonly by: string;
  readonly now: number;
}): Operation<TokenRow | undefined> {
  const { id, project, by, now } = input;
  const found = yield* readToken({ id });
  if (!found || (project !== undefined && found.project !== project)) return undefined;
  const ended = yield* rows<{ id: number; name: string }>(
    `WITH RECURSIVE ending(id) AS (
       SELECT id FROM token WHERE id = ?1
       UNION SELECT t.id FROM token t JOIN ending e ON t.parent = e.id)
     UPDATE token SET revoked_at = ?2 WHERE id IN (SELECT id FROM ending) AND revoked_at IS NULL RETURNING id, name`,
    id,
    now,
  );
  for (const each of ended) {
    const because = each.id === id ? {} : { with: id };
    yield* audit(by, 'token.revoke', String(each.id), { name: each.name, ...because }, now);
    yield* endSessionsOf(each.id);
    yield* tellHolder(each.id, 'rights', now);
  }
  return { ...found, revokedAt: found.revokedAt ?? now };
}

/** Records that a token is in use. */
export function* touchToken({ id, now }: { readonly id: number; readonly now: number }): Operation<void> {
  yield* change('UPDATE token SET last_used_at = ?2 WHERE id = ?1', id, now);
}

/** Replaces the preferences of a token's holder; 0 is a caller who needs no token. */
export function* savePreferences(input: {
  readonly token: number;
  readonly body: string;
  readonly now: number;
}): Operation<void> {
  const { token, body, now } = input;
  yield* change(
    `INSERT INTO preference (token, body, saved_at) VALUES (?1, ?2, ?3)
     ON CONFLICT (token) DO UPDATE SET body = excluded.body, saved_at = excluded.saved_at`,
    token,
    body,
    now,
  );
  yield* tellHolder(token, 'preferences', now);
}

/**
 * Changes the preferences of a token's holder by a merge patch and returns them. Undefined, without a change,
 * if they would exceed `most` characters.
 */
export function* changePreferences(input: {
  readonly token: number;
  readonly change: string;
  readonly most: number;
  readonly now: number;
}): Operation<string | undefined> {
  const { token, now } = input;
  // Also locks out concurrent changes.
  const found = yield* row<{ body: string }>(
    `INSERT INTO preference (token, body, saved_at) VALUES (?1, '{}', ?2)
     ON CONFLICT (token) DO UPDATE SET saved_at = excluded.saved_at RETURNING body`,
    token,
    now,
  );
  const body = JSON.stringify(mergePatch(JSON.parse(found?.body ?? '{}'), JSON.parse(input.change)));
  if (body.length > input.most) return undefined;
  yield* change('UPDATE preference SET body = ?2 WHERE token = ?1', token, body);
  yield* tellHolder(token, 'preferences', now);
  return body;
}

/** The preferences of the holder of a token. */
export function* readPreferences({ token }: { readonly token: number }): Operation<string | undefined> {
  const found = yield* row<{ body: string }>('SELECT body FROM preference WHERE token = ?1', token);
  return found?.body;
}

/** The project of a run, claimed or not; undefined if the run does not exist. */
export function* readRunProject({ id }: { readonly id: number }): Operation<string | undefined> {
  const queued = yield* row<{ project: string }>(
    'SELECT w.project FROM command c JOIN workflow w ON w.id = c.workflow WHERE c.seq = ?1',
    id,
  );
  const found = queued ?? (yield* row<{ project: string }>('SELECT project FROM run WHERE id = ?1', id));
  return found?.project;
}

/** The project of a schedule; undefined if the schedule does not exist. */
export function* readScheduleProject({ id }: { readonly id: number }): Operation<string | undefined> {
  const found = yield* row<{ project: string }>(
    'SELECT w.project FROM schedule s JOIN workflow w ON w.id = s.workflow WHERE s.id = ?1',
    id,
  );
  return found?.project;
}

function* tellHolder(token: number, what: 'preferences' | 'rights', now: number): Operation<void> {
  const body = JSON.stringify({ what });
  yield* appendEvents(null, [{ topic: 'access', subject: token, revision: 0, body }], now);
}
