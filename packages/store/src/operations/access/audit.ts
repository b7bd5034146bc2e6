/**
 * The audit of changes and refusals. An operation records its change in its own transaction, so no record can
 * be missing. The asker comes with the operation (`audited`); a node's own actions carry the node's name.
 */
import { change, type Operation, rows, type Value } from '../../operation.ts';
import { insert } from '../../table.ts';
import { auditTable } from '../../tables.ts';

/** The asker of an operation from outside. */
export interface Asker {
  readonly name: string;
  /** Number of the token; 0: the server's own, null: none. */
  readonly token: number | null;
  readonly address: string;
  /** Request id, as shown in the answer and the server's log. */
  readonly request: string;
}

/** Details of an entry; a change has `before` and `after`. */
export type AuditDetail = Readonly<Record<string, Value | boolean | object | undefined>>;

/** One audited change or refusal. */
export interface AuditRow {
  readonly id: number;
  readonly at: number;
  readonly actor: string;
  readonly token: number | null;
  readonly address: string | null;
  readonly request: string | null;
  readonly action: string;
  readonly subject: string;
  readonly detail: AuditDetail;
}

/** The asker of the current operation; undefined if nobody outside asked. */
export function* asker(): Operation<Asker | undefined> {
  const answer = yield { kind: 'asker' };
  return answer.rows[0] as Asker | undefined;
}

/** Records a change by the asker, or by `by` if nobody outside asked. */
export function* audit(
  by: string,
  action: string,
  subject: string,
  detail: AuditDetail,
  now: number,
): Operation<void> {
  yield* insert(auditTable, [auditRow(yield* asker(), by, action, subject, detail, now)]);
}

/** An entry as a row. */
export function auditRow(
  who: Asker | undefined,
  by: string,
  action: string,
  subject: string,
  detail: AuditDetail,
  now: number,
) {
  return {
    created_at: now,
    actor: who?.name ?? by,
    action,
    subject,
    detail: JSON.stringify(detail),
    token: who?.token ?? null,
    address: who?.address ?? null,
    request: who?.request ?? null,
  };
}

/** Runs an operation on behalf of an asker, who is named in its records. */
export function* onBehalf<T>(who: Asker, operation: Operation<T>): Operation<T> {
  let next = operation.next();
  while (!next.done) {
    if (next.value.kind === 'asker') {
      next = operation.next({ rows: [who], changed: 0 });
      continue;
    }
    let answer: Parameters<typeof operation.next>[0];
    try {
      answer = yield next.value;
    } catch (error) {
      next = operation.throw(error);
      continue;
    }
    next = operation.next(answer);
  }
  return next.value;
}

/** Records an action that changes nothing in the store: a change of another system, or a refusal. */
export function* recordAudit(input: {
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  readonly detail: AuditDetail;
  readonly now: number;
}): Operation<void> {
  yield* audit(input.actor, input.action, input.subject, input.detail, input.now);
}

/** Filter of entries; in an action or a subject `*` matches any text. */
export interface AuditFilter {
  readonly actor?: string;
  readonly action?: string;
  readonly subject?: string;
}

/** Entries, newest first; with `after`, later entries, oldest first. `until` is inclusive. */
export function* listAudit(
  input: AuditFilter & {
    readonly before?: number;
    readonly after?: number;
    readonly until?: number;
    readonly limit: number;
  },
): Operation<AuditRow[]> {
  const { before = Number.MAX_SAFE_INTEGER, after, until = Number.MAX_SAFE_INTEGER, limit } = input;
  const { actor, action, subject } = input;
  const found = yield* rows<Omit<AuditRow, 'detail'> & { detail: string }>(
    `SELECT id, created_at AS at, actor, token, address, request, action, subject, detail FROM audit
     WHERE id < ?1 AND id > ?3 AND created_at <= ?4 AND (CAST(?5 AS TEXT) IS NULL OR actor = ?5)
       AND (CAST(?6 AS TEXT) IS NULL OR action LIKE ?6 ESCAPE '!')
       AND (CAST(?7 AS TEXT) IS NULL OR subject LIKE ?7 ESCAPE '!')
     ORDER BY id ${after === undefined ? 'DESC' : ''} LIMIT ?2`,
    before,
    limit,
    after ?? 0,
    until,
    actor ?? null,
    likeOf(action),
    likeOf(subject),
  );
  return found.map((entry) => ({ ...entry, detail: JSON.parse(entry.detail) }));
}

/** Converts a `*` pattern to SQL LIKE. */
function likeOf(pattern: string | undefined): string | null {
  return pattern === undefined ? null : pattern.replace(/[!%_]/g, '!$&').replaceAll('*', '%');
}

/**
 * Leases the audit export to one process until a time, and moves its position to an entry; returns the
 * position. Undefined while another process holds the lease.
 */
export function* leaseAuditExport(input: {
  readonly by: string;
  readonly after?: number;
  readonly until: number;
  readonly now: number;
}): Operation<number | undefined> {
  const { by, after, until, now } = input;
  yield* change(
    `INSERT INTO cluster_setting (name, body, revision) VALUES ('audit-export', '{}', 0) ON CONFLICT DO NOTHING`,
  );
  // Concurrent calls wait here until this one commits.
  const [found] = yield* rows<{ body: string }>(
    `UPDATE cluster_setting SET revision = revision + 1 WHERE name = 'audit-export' RETURNING body`,
  );
  const lease = JSON.parse(found?.body ?? '{}') as { by?: string; until?: number; after?: number };
  if (lease.by !== undefined && lease.by !== by && (lease.until ?? 0) > now) return undefined;
  const place = Math.max(lease.after ?? 0, after ?? 0);
  yield* change(
    `UPDATE cluster_setting SET body = ?1 WHERE name = 'audit-export'`,
    JSON.stringify({ by, until, after: place }),
  );
  return place;
}

/** Deletes at most `limit` entries recorded before a time; returns how many. */
export function* sweepAudit(input: { readonly before: number; readonly limit: number }): Operation<number> {
  return yield* change(
    `DELETE FROM audit WHERE id IN (
       SELECT id FROM (SELECT id, created_at FROM audit ORDER BY id LIMIT ?2) first WHERE created_at < ?1)`,
    input.before,
    input.limit,
  );
}
