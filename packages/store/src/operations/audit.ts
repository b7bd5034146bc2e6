/** Who changed what that people set up: recorded in the transaction of the change, so the record cannot be missing. */
import { change, type Operation, rows, type Value } from '../operation.ts';
import { newNumbers } from './numbers.ts';

/** One change, by whom. */
export interface AuditRow {
  readonly id: number;
  readonly at: number;
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  readonly detail: Readonly<Record<string, Value>>;
}

/** Records a change. */
export function* audit(
  actor: string,
  action: string,
  subject: string,
  detail: AuditRow['detail'],
  now: number,
): Operation<void> {
  const [id] = yield* newNumbers(1);
  yield* change(
    'INSERT INTO audit (id, created_at, actor, action, subject, detail) VALUES (?1, ?2, ?3, ?4, ?5, ?6)',
    id,
    now,
    actor,
    action,
    subject,
    JSON.stringify(detail),
  );
}

/** Records a change of something that is not in the store. */
export function* recordAudit(input: Omit<AuditRow, 'id' | 'at'> & { readonly now: number }): Operation<void> {
  yield* audit(input.actor, input.action, input.subject, input.detail, input.now);
}

/** What was changed, newest first. */
export function* listAudit(input: {
  readonly before?: number;
  readonly limit: number;
}): Operation<AuditRow[]> {
  const found = yield* rows<Omit<AuditRow, 'detail'> & { detail: string }>(
    `SELECT id, created_at AS at, actor, action, subject, detail FROM audit WHERE id < ?1 ORDER BY id DESC LIMIT ?2`,
    input.before ?? Number.MAX_SAFE_INTEGER,
    input.limit,
  );
  return found.map((entry) => ({ ...entry, detail: JSON.parse(entry.detail) }));
}

/** Forgets what was changed before a time, a little at a time; how many went. */
export function* sweepAudit(input: { readonly before: number; readonly limit: number }): Operation<number> {
  return yield* change(
    `DELETE FROM audit WHERE id IN (
       SELECT id FROM (SELECT id, created_at FROM audit ORDER BY id LIMIT ?2) first WHERE created_at < ?1)`,
    input.before,
    input.limit,
  );
}
