/**
 * The history of a run, in order: assembled from its row, its rounds, task runs, attempts, and recorded
 * actions.
 */
import { type Operation, rows } from '../../operation.ts';

/** One event of a run. */
export interface RunEvent {
  readonly at: number;
  /** Orders events of the same millisecond; part of the event's place in the history. */
  readonly rank: number;
  readonly kind: RunEventKind;
  /** Index of the task; -1 for the whole run. */
  readonly task: number;
  readonly shard: number;
  /** Number of the attempt, or the round. */
  readonly number: number;
  readonly state: string | null;
  readonly worker: string | null;
  readonly actor: string | null;
  /** An error, or JSON for an action. */
  readonly text: string | null;
}

/** Kinds of events, in their order within one moment. */
export const runEventKinds = [
  'created',
  'started',
  'action',
  'queued',
  'assigned',
  'attempt',
  'task',
  'round',
  'ended',
] as const;
type RunEventKind = (typeof runEventKinds)[number];

/** Place of an event, used as the cursor of pages. */
export type RunEventPlace = readonly [at: number, rank: number, task: number, shard: number, number: number];

const rank = (kind: RunEventKind) => runEventKinds.indexOf(kind);
const attempt = 'run, task, shard, number';

/** Each part selects the columns at, rank, task, shard, number, state, worker, actor, text. */
const parts = [
  `SELECT created_at AS at, ${rank('created')} AS rank, -1 AS task, -1 AS shard, 0 AS number, trigger_kind AS state,
     CAST(NULL AS TEXT) AS worker, CAST(NULL AS TEXT) AS actor, CAST(NULL AS TEXT) AS text FROM run WHERE id = ?1`,
  `SELECT started_at, ${rank('started')}, -1, -1, 0, NULL, NULL, NULL, NULL FROM run WHERE id = ?1 AND started_at IS NOT NULL`,
  `SELECT ended_at, ${rank('ended')}, -1, -1, 0, state, NULL, NULL, NULL FROM run WHERE id = ?1 AND ended_at IS NOT NULL`,
  `SELECT f.ended_at, ${rank('round')}, -1, -1, f.round, f.state, NULL, NULL, NULL FROM fact f JOIN run r
     ON f.workflow = r.workflow AND f.business_time = r.business_time AND f.run = r.id WHERE r.id = ?1`,
  `SELECT at, ${rank('action')}, -1, -1, seq, action, NULL, actor, body FROM history
     WHERE kind = 'run' AND subject = ?8`,
  `SELECT since, ${rank('task')}, task, -1, round, state, NULL, NULL, NULL FROM task_run WHERE run = ?1 AND since > 0`,
  `SELECT ended_at, ${rank('attempt')}, task, shard, number, state, worker, NULL, error FROM attempt WHERE run = ?1`,
  ...['queued', 'assigned'].map(
    (
      kind,
    ) => `SELECT ${kind}_at, ${rank(kind as RunEventKind)}, task, shard, number, NULL, ${kind === 'queued' ? 'NULL' : 'worker'}, NULL, NULL
     FROM (SELECT ${attempt}, worker, queued_at, assigned_at FROM attempt WHERE run = ?1
       UNION ALL SELECT ${attempt}, worker, queued_at, assigned_at FROM assignment WHERE run = ?1
       UNION ALL SELECT ${attempt}, NULL, queued_at, NULL FROM ready WHERE run = ?1
       UNION ALL SELECT ${attempt}, NULL, since, NULL FROM limit_wait WHERE run = ?1 AND task >= 0) ${kind}
     WHERE ${kind}_at IS NOT NULL`,
  ),
];

const first: RunEventPlace = [-1, -1, -1, -1, 0];
const last: RunEventPlace = [Number.MAX_SAFE_INTEGER, 99, -1, -1, 0];

/** Events of a run in order; `after` is the place of the last one on the previous page. */
export function* listRunEvents(input: {
  readonly run: number;
  /** Newest first. */
  readonly newest?: boolean;
  readonly after?: RunEventPlace;
  readonly limit: number;
}): Operation<readonly RunEvent[]> {
  const { run, newest = false, limit } = input;
  const after = input.after ?? (newest ? last : first);
  const [beyond, order] = newest ? ['<', 'DESC'] : ['>', 'ASC'];
  const found = yield* rows<Omit<RunEvent, 'kind'>>(
    `SELECT at, rank, task, shard, number, state, worker, actor, text FROM (${parts.join(' UNION ALL ')}) e
     WHERE (at, rank, task, shard, number) ${beyond} (?2, ?3, ?4, ?5, ?6)
     ORDER BY at ${order}, rank ${order}, task ${order}, shard ${order}, number ${order} LIMIT ?7`,
    run,
    ...after,
    limit,
    String(run),
  );
  return found.map((event) => ({ ...event, kind: runEventKinds[event.rank] }));
}

/** The last finished rounds of a run, in no particular order. */
export function* listRounds({
  run,
}: {
  readonly run: number;
}): Operation<readonly { readonly round: number; readonly state: string; readonly endedAt: number }[]> {
  return yield* rows(
    `SELECT f.round, f.state, f.ended_at AS "endedAt" FROM fact f JOIN run r
       ON f.workflow = r.workflow AND f.business_time = r.business_time AND f.run = r.id WHERE r.id = ?1
     ORDER BY f.round DESC LIMIT 200`,
    run,
  );
}
