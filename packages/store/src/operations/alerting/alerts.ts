/**
 * Alerts: written once, in the transaction that makes them true, and announced in the feed. Rules see them in
 * a later operation.
 */
import { type AlertKind, alertKinds, isChosen, type PastAlert } from '@orrery/core/alert';
import { type Operation, row, rows } from '../../operation.ts';
import { readOr } from '../../stored.ts';
import { insert, type Row } from '../../table.ts';
import { alertTable } from '../../tables.ts';
import { appendEvents, type FeedWriter } from '../runs/feed.ts';
import { newNumbers } from '../runs/numbers.ts';

/** An alert without a number yet. */
export interface Alert {
  readonly kind: AlertKind;
  /** 0, without a project, for an alert about the cluster. */
  readonly workflow: number;
  readonly project: string;
  /** Name of the workflow or master. */
  readonly name: string;
  /** The run it is about, if any. */
  readonly run: number | null;
  /** One sentence. */
  readonly text: string;
  /**
   * The business times it is about: the day of a deadline, or that of a failed run. For an approval: its
   * task.
   */
  readonly from: number | null;
  readonly to: number | null;
}

/** A stored alert; numbers increase. */
export interface WrittenAlert extends Alert {
  readonly id: number;
  readonly at: number;
}

/** Makes an alert about a node, a worker or another part of the cluster. */
export function clusterAlert(kind: AlertKind, name: string, text: string): Alert {
  return { kind, workflow: 0, project: '', name, run: null, text, from: null, to: null };
}

/** Writes alerts within another operation; rules see them in a later one. */
export function* raise(writer: FeedWriter, given: readonly Alert[], now: number): Operation<void> {
  const alerts: Alert[] = [];
  for (const alert of given) if (!isChosen(alert.kind) || (yield* isWanted(alert.kind))) alerts.push(alert);
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
      routed: 0,
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

/** Whether a rule names a kind that is raised only on demand. */
function* isWanted(kind: AlertKind): Operation<boolean> {
  const found = yield* rows('SELECT 1 FROM alert_rule WHERE chosen LIKE ?1 LIMIT 1', `%,${kind},%`);
  return found.length > 0;
}

/** Raises alerts about successful rounds if a rule asks for them; rows as `endingRow` makes them. */
export function* raiseSuccesses(writer: FeedWriter, endings: readonly Row[], now: number): Operation<void> {
  const ended = endings.filter(([, , , , state]) => state === 'success');
  if (ended.length === 0) return;
  if (!(yield* isWanted('run-succeeded'))) return;
  const alerts: Alert[] = [];
  for (const [run, , project, name, , businessTime] of ended) {
    const found = yield* row<{ id: number }>(
      'SELECT id FROM workflow WHERE project = ?1 AND name = ?2',
      project,
      name,
    );
    alerts.push({
      kind: 'run-succeeded',
      workflow: found?.id ?? 0,
      project: String(project),
      name: String(name),
      run: Number(run),
      text: 'succeeded',
      from: Number(businessTime),
      to: null,
    });
  }
  yield* raise(writer, alerts, now);
}

const columns = `a.id, a.at, a.kind, a.workflow, a.project, a.name, a.run, a.text, a.from_time AS "from", a.to_time AS "to"`;

/** Alerts after a number, oldest first. */
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

/** The tags, as JSON, of the workflow that a row of a table refers to. */
export function tagsOf(table: string): string {
  return `(SELECT v.tags FROM workflow w JOIN workflow_version v ON v.workflow = w.id AND v.version = w.live
    WHERE w.id = ${table}.workflow)`;
}

/**
 * Alerts since a time, with their workflows' tags and their ends, oldest first; at most the newest `limit`.
 */
export function* listPastAlerts(input: {
  readonly since: number;
  readonly project?: string;
  readonly limit: number;
}): Operation<readonly PastAlert[]> {
  const { since, project, limit } = input;
  const success = `SELECT min(f.ended_at) FROM fact f WHERE f.workflow = a.workflow AND f.counts = 1
    AND f.state = 'success' AND f.business_time >= a.from_time AND f.ended_at >= a.at`;
  const found = yield* rows<Omit<PastAlert, 'tags'> & { tags: string | null }>(
    `SELECT a.kind, a.project, a.name, a.at, ${tagsOf('a')} AS tags,
       CASE WHEN a.kind = 'run-failed' THEN (${success})
         WHEN a.kind = 'deadline' THEN (${success} AND f.business_time < a.to_time)
         WHEN a.kind IN ('run-timeout', 'task-timeout') THEN (SELECT r.ended_at FROM run r WHERE r.id = a.run)
         END AS "endedAt"
     FROM alert a WHERE a.at >= ?1 ${project === undefined ? '' : 'AND a.project = ?3'} ORDER BY a.id DESC LIMIT ?2`,
    since,
    limit,
    ...(project === undefined ? [] : [project]),
  );
  // Cluster conditions store no end: one has ended at the latest when the next of its kind and name began.
  const next = new Map<string, number>();
  return found
    .map(({ tags, ...alert }) => {
      const { kind, name, at, endedAt } = alert;
      const key = JSON.stringify([kind, name]);
      const later = next.get(key);
      next.set(key, at);
      const isKnown = endedAt !== null || KNOWN_ENDS.has(kind);
      const ended = isKnown ? endedAt : later === undefined ? null : later - 1;
      return {
        ...alert,
        tags: readOr<string[]>(tags ?? '[]', []),
        endedAt: alertKinds[kind]?.lasts ? ended : at,
      };
    })
    .reverse();
}

/** Kinds whose end is read from their subject; null means ongoing. */
const KNOWN_ENDS: ReadonlySet<AlertKind> = new Set(['run-failed', 'deadline', 'run-timeout', 'task-timeout']);

/**
 * Alerts since a time whose condition still holds, newest first: the day has no success yet, or the run has
 * not ended.
 */
export function* listOpenAlerts(input: {
  readonly since: number;
  readonly project?: string;
  readonly limit: number;
}): Operation<readonly WrittenAlert[]> {
  const { since, project, limit } = input;
  return yield* rows<WrittenAlert>(
    `SELECT ${columns} FROM alert a WHERE a.at >= ?1 ${project === undefined ? '' : 'AND a.project = ?3'}
       AND a.kind IN ('deadline', 'run-timeout', 'task-timeout') AND CASE WHEN a.kind = 'deadline' THEN NOT EXISTS (
           SELECT 1 FROM fact f WHERE f.workflow = a.workflow AND f.business_time >= a.from_time
             AND f.business_time < a.to_time AND f.state = 'success' AND f.counts = 1)
         ELSE EXISTS (SELECT 1 FROM run r WHERE r.id = a.run AND r.standing = 0) END
     ORDER BY a.id DESC LIMIT ?2`,
    since,
    limit,
    ...(project === undefined ? [] : [project]),
  );
}
