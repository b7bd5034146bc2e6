/**
 * The audit: who changed what, and who was refused. An operation records its change in its own transaction, so the record
 * cannot be missing. Who asked comes with the operation (`audited`); what nodes do by themselves has their name.
 */
import { change, type Operation, rows, type Value } from '../../operation.ts';
import { insert } from '../../table.ts';
import { auditTable } from '../../tables.ts';

/** Who asked for something from outside. */
export interface Asker {
  readonly name: string;
  /** The number of its token; 0: the server's own, null: none. */
  readonly token: number | null;
  readonly address: string;
  /** The id of the request, as its answer and the server's log show it. */
  readonly request: string;
}

/** What an entry says beside who, what and of which thing; `before` and `after` where something was changed. */
export type AuditDetail = Readonly<Record<string, Value | boolean | object | undefined>>;

/** One change or refusal, by whom. */
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

/** Who asked for the operation under way; undefined where nobody outside did. */
export function* asker(): Operation<Asker | undefined> {
  const answer = yield { kind: 'asker' };
  return answer.rows[0] as Asker | undefined;
}

/** Records a change by whoever asked; `by` is its name where nobody outside did. */
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

/** Runs an operation on behalf of someone: what it records says who. */
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

/** Records what is not a change of the store: of another system, or a refusal. */
export function* recordAudit(input: {
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  readonly detail: AuditDetail;
  readonly now: number;
}): Operation<void> {
  yield* audit(input.actor, input.action, input.subject, input.detail, input.now);
}

/** Which entries; in an action or a subject `*` stands for any text. */
export interface AuditFilter {
  readonly actor?: string;
  readonly action?: string;
  readonly subject?: string;
}

/** Entries, newest first; or after one of them, oldest first. `until`: recorded then or before. */
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

/** A pattern with `*` as SQL has it. */
function likeOf(pattern: string | undefined): string | null {
  return pattern === undefined ? null : pattern.replace(/[!%_]/g, '!$&').replaceAll('*', '%');
}

/**
 * Leases the export of the audit to one process until a time, and moves it to after an entry; where it stands. Undefined
 * while another process has the lease.
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
  // Others wait here until this is committed.
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

/** Forgets what was recorded before a time, a little at a time; how many went. */
export function* sweepAudit(input: { readonly before: number; readonly limit: number }): Operation<number> {
  return yield* change(
    `DELETE FROM audit WHERE id IN (
       SELECT id FROM (SELECT id, created_at FROM audit ORDER BY id LIMIT ?2) first WHERE created_at < ?1)`,
    input.before,
    input.limit,
  );
}
