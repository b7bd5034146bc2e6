/**
 * Alerts: what people should hear of, written once in the transaction that makes it true, and told in the feed. Who sends
 * them reads from here on where it stopped.
 */
import { type Operation, rows } from '../operation.ts';
import { insert } from '../table.ts';
import { alertTable } from '../tables.ts';
import { appendEvents, type FeedWriter } from './feed.ts';
import { newNumbers } from './numbers.ts';

/** What alerts are about. */
type AlertKind = 'deadline' | 'run-timeout' | 'task-timeout';

/** An alert before it has a number. */
export interface Alert {
  readonly kind: AlertKind;
  readonly workflow: number;
  readonly project: string;
  readonly name: string;
  /** The run it is about, if it is about one. */
  readonly run: number | null;
  /** One sentence. */
  readonly text: string;
  /** Of a deadline: the business times that it is about. */
  readonly from: number | null;
  readonly to: number | null;
}

/** An alert as it was written; numbers grow. */
export interface WrittenAlert extends Alert {
  readonly id: number;
  readonly at: number;
}

/** Writes alerts down within another operation. */
export function* raise(writer: FeedWriter, alerts: readonly Alert[], now: number): Operation<void> {
  if (alerts.length === 0) return;
  const ids = yield* newNumbers(alerts.length);
  yield* insert(
    alertTable,
    alerts.map(({ from, to, ...alert }, k) => ({
      id: ids[k],
      at: now,
      ...alert,
      from_time: from,
      to_time: to,
    })),
  );
  yield* appendEvents(
    writer,
    alerts.map(({ kind, project, name, run, text }, k) => ({
      topic: 'alert',
      subject: ids[k],
      revision: 0,
      body: JSON.stringify({ kind, project, name, run, text }),
    })),
    now,
  );
}

const columns = `a.id, a.at, a.kind, a.workflow, a.project, a.name, a.run, a.text, a.from_time AS "from", a.to_time AS "to"`;

/** Alerts after a number, oldest first: for those who send them. */
export function* listAlerts(input: {
  readonly after: number;
  readonly limit: number;
}): Operation<readonly WrittenAlert[]> {
  return yield* rows<WrittenAlert>(
    `SELECT ${columns} FROM alert a WHERE a.id > ?1 ORDER BY a.id LIMIT ?2`,
    input.after,
    input.limit,
  );
}

/** Alerts since a time that are still so, newest first: the day has no success yet, the run has not ended. */
export function* listOpenAlerts(input: {
  readonly since: number;
  readonly project?: string;
  readonly limit: number;
}): Operation<readonly WrittenAlert[]> {
  const { since, project, limit } = input;
  return yield* rows<WrittenAlert>(
    `SELECT ${columns} FROM alert a WHERE a.at >= ?1 ${project === undefined ? '' : 'AND a.project = ?3'}
       AND CASE WHEN a.kind = 'deadline' THEN NOT EXISTS (
           SELECT 1 FROM fact f WHERE f.workflow = a.workflow AND f.business_time >= a.from_time
             AND f.business_time < a.to_time AND f.state = 'success' AND f.counts = 1)
         ELSE EXISTS (SELECT 1 FROM run r WHERE r.id = a.run AND r.standing = 0) END
     ORDER BY a.id DESC LIMIT ?2`,
    since,
    limit,
    ...(project === undefined ? [] : [project]),
  );
}
