/** Current load and possible problems. Every read is bounded: cheap enough to run once a second. */
import { batch, type Operation, row, rows, together } from '../../operation.ts';
import { unnest } from '../../table.ts';
import type { TaskRunRow } from './reads.ts';
import { firstFailed } from './run-list.ts';

/** Upper bound of every count. */
const MOST_COUNTED = 10_000;

/** What is open now. */
export interface Load {
  /** Open runs by state. */
  readonly runs: readonly { readonly state: string; readonly count: number }[];
  /** Whether there are more open runs than were counted. */
  readonly moreRuns: boolean;
  readonly commands: number;
  readonly oldestCommand: number | null;
  /** Attempts waiting for a limit, and since when the first of them. */
  readonly limited: number;
  readonly oldestLimited: number | null;
}

/** Counts what is open, of all projects or one; for one project, among the first 10,000 of all. */
export function* readLoad({ project }: { readonly project?: string } = {}): Operation<Load> {
  const of = project === undefined ? [] : [project];
  const [runs, commands, limited] = yield* together<
    [
      readonly { state: string; count: number; all: number }[],
      { count: number; oldest: number | null } | undefined,
      { count: number; oldest: number | null } | undefined,
    ]
  >(
    rows(
      `SELECT state, sum(own) AS count, count(*) AS "all" FROM (
         SELECT state, ${project === undefined ? '1' : 'CASE WHEN project = ?1 THEN 1 ELSE 0 END'} AS own
         FROM run WHERE standing = 0 ORDER BY id DESC LIMIT ${MOST_COUNTED + 1}) o GROUP BY state`,
      ...of,
    ),
    row(
      `SELECT count(*) AS count, min(c.created_at) AS oldest FROM (
         SELECT workflow, created_at FROM command ORDER BY seq LIMIT ${MOST_COUNTED + 1}) c
       ${project === undefined ? '' : 'JOIN workflow w ON w.id = c.workflow WHERE w.project = ?1'}`,
      ...of,
    ),
    row(
      `SELECT count(*) AS count, min(c.since) AS oldest FROM (
         SELECT run, since FROM limit_wait WHERE task >= 0 LIMIT ${MOST_COUNTED + 1}) c
       ${project === undefined ? '' : 'JOIN run r ON r.id = c.run WHERE r.project = ?1'}`,
      ...of,
    ),
  );
  return {
    runs: runs.flatMap(({ state, count }) => (Number(count) > 0 ? [{ state, count: Number(count) }] : [])),
    moreRuns: runs.reduce((sum, { all }) => sum + all, 0) > MOST_COUNTED,
    commands: commands?.count ?? 0,
    oldestCommand: commands?.oldest ?? null,
    limited: limited?.count ?? 0,
    oldestLimited: limited?.oldest ?? null,
  };
}

/**
 * A project's attempts waiting for a worker, among the first 10,000 of all, and since when the first of them.
 */
export function* readReady({
  project,
}: {
  readonly project: string;
}): Operation<{ readonly count: number; readonly oldest: number | null }> {
  const found = yield* row<{ count: number; oldest: number | null }>(
    `SELECT count(*) AS count, min(q.queued_at) AS oldest FROM (
       SELECT run, queued_at FROM ready LIMIT ${MOST_COUNTED}) q JOIN run r ON r.id = q.run WHERE r.project = ?1`,
    project,
  );
  return found ?? { count: 0, oldest: null };
}

/** Whether anything was ever started, as shown by what is still stored. */
export function* hasEverRun(): Operation<boolean> {
  const found = yield* row<{ ever: number }>(
    `SELECT CASE WHEN EXISTS (SELECT 1 FROM run) OR EXISTS (SELECT 1 FROM command) OR EXISTS (SELECT 1 FROM fact)
       THEN 1 ELSE 0 END AS ever`,
  );
  return found?.ever === 1;
}

/** The queue of a worker group. */
export interface GroupQueue {
  readonly group: string;
  readonly count: number;
  /** Since when the longest-waiting of the first thousand attempts waits. */
  readonly oldest: number;
}

/** Worker groups with queued attempts that any of their workers may take. */
export function* listQueues({ limit }: { readonly limit: number }): Operation<readonly GroupQueue[]> {
  // One index look-up per group, however long its queue is.
  const groups = yield* rows<{ name: string }>(
    `WITH RECURSIVE g(name) AS (
       SELECT (SELECT min(worker_group) FROM ready WHERE target IS NULL)
       UNION ALL SELECT (SELECT min(worker_group) FROM ready WHERE target IS NULL AND worker_group > g.name)
         FROM g WHERE g.name IS NOT NULL)
     SELECT name FROM g WHERE name IS NOT NULL LIMIT ?1`,
    limit,
  );
  const types = ['text'] as const;
  const about = (group: string) =>
    `SELECT ${group} AS "group", (SELECT count(*) FROM (
         SELECT 1 FROM ready WHERE worker_group = ${group} AND target IS NULL LIMIT ${MOST_COUNTED + 1}) c) AS count,
       (SELECT min(queued_at) FROM (SELECT queued_at FROM ready WHERE worker_group = ${group} AND target IS NULL
         ORDER BY run_priority, run, task_priority, task, shard LIMIT 1000) o) AS oldest`;
  const { rows: found } = yield* batch<GroupQueue>(
    {
      sqlite: about('?1'),
      postgres: `SELECT x.* FROM ${unnest(types)} AS k(name) CROSS JOIN LATERAL (${about('k.name')}) x`,
    },
    types,
    groups.map(({ name }) => [name]),
  );
  return found;
}

/** Waiting times of recent attempts for a worker, in milliseconds; a few hundred at most. */
export function* readStartDelays({ limit }: { readonly limit: number }): Operation<readonly number[]> {
  const found = yield* rows<{ delay: number }>(
    `SELECT a.assigned_at - a.queued_at AS delay FROM (SELECT id FROM run ORDER BY id DESC LIMIT 200) r
     JOIN attempt a ON a.run = r.id WHERE a.assigned_at IS NOT NULL LIMIT ?1`,
    limit,
  );
  return found.map(({ delay }) => delay);
}

/** A failed run with its first failed task run. */
export interface Failure {
  readonly id: number;
  readonly project: string;
  readonly name: string;
  readonly workflow: number;
  readonly version: number;
  readonly kind: string;
  readonly trigger: string;
  readonly state: string;
  readonly endedAt: number;
  /** JSON: the fields of the run. */
  readonly fields: string;
  readonly task: (TaskRunRow & { readonly run: number }) | null;
}

/**
 * The newest counted runs that failed or were set aside and have not been superseded: no later run of the
 * same workflow, started the same way, has succeeded.
 */
export function* listFailures(input: {
  readonly since: number;
  readonly project?: string;
  readonly limit: number;
}): Operation<readonly Failure[]> {
  const { since, project, limit } = input;
  const bad = yield* rows<Omit<Failure, 'task'>>(
    `SELECT id, project, name, workflow, version, kind, trigger_kind AS trigger, state, ended_at AS "endedAt", fields FROM (
       SELECT * FROM run WHERE standing = 2 ORDER BY id DESC LIMIT ?1) b
     WHERE state IN ('failed', 'broken') AND counts = 1 AND ended_at >= ?2 ${project === undefined ? '' : 'AND project = ?3'}`,
    limit,
    since,
    ...(project === undefined ? [] : [project]),
  );
  const successes = yield* lastSuccesses(bad);
  const open = bad.filter((run) => run.id > (successes.get(wayOf(run)) ?? 0));
  const tasks = yield* firstFailed(open.map(({ id }) => id));
  return open.map((run) => ({ ...run, task: tasks.get(run.id) ?? null }));
}

/** The last success of each workflow and kind of trigger after the first of its failures. */
function* lastSuccesses(
  bad: readonly { readonly id: number; readonly workflow: number }[],
): Operation<ReadonlyMap<string, number>> {
  const types = ['int', 'int'] as const;
  const newest = (workflow: string, id: string, from: string) =>
    `SELECT workflow, kind, trigger_kind AS trigger, max(id) AS id FROM (
       SELECT workflow, kind, trigger_kind, id FROM run ${from} WHERE workflow = ${workflow} AND id > ${id} AND standing = 1 AND counts = 1
       ORDER BY id DESC LIMIT 200) s GROUP BY workflow, kind, trigger_kind`;
  const firsts = new Map<number, number>();
  for (const { id, workflow } of bad) firsts.set(workflow, Math.min(id, firsts.get(workflow) ?? id));
  const { rows: found } = yield* batch<Pick<Failure, 'id' | 'workflow' | 'kind' | 'trigger'>>(
    {
      sqlite: newest('?1', '?2', 'INDEXED BY run_by_workflow'),
      postgres: `SELECT x.* FROM ${unnest(types)} AS k(workflow, id) CROSS JOIN LATERAL (${newest('k.workflow', 'k.id', '')}) x`,
    },
    types,
    [...firsts],
  );
  return new Map(found.map((run) => [wayOf(run), run.id]));
}

/** The workflow and how it was started: a success supersedes failures of the same way alone. */
function wayOf({ workflow, kind, trigger }: Pick<Failure, 'workflow' | 'kind' | 'trigger'>): string {
  return `${workflow} ${kind} ${trigger}`;
}

/** When the last run ended badly, of all projects or one; null if none of the recent ones did. */
export function* lastFailureAt({ project }: { readonly project?: string } = {}): Operation<number | null> {
  const found = yield* row<{ at: number | null }>(
    `SELECT ended_at AS at FROM (
       SELECT id, project, ended_at FROM run WHERE standing = 2 AND counts = 1 ORDER BY id DESC LIMIT ${MOST_COUNTED}) b
     ${project === undefined ? '' : 'WHERE project = ?1'} ORDER BY id DESC LIMIT 1`,
    ...(project === undefined ? [] : [project]),
  );
  return found?.at ?? null;
}

/** A limit that is full. */
export interface FullLimit {
  readonly name: string;
  readonly slots: number;
  readonly held: number;
  readonly waiting: number;
  readonly oldest: number;
}

/** Full limits that someone waits for. */
export function* listFullLimits({ limit }: { readonly limit: number }): Operation<readonly FullLimit[]> {
  return yield* rows<FullLimit>(
    `WITH RECURSIVE n(name) AS (
       SELECT (SELECT min(name) FROM limit_wait)
       UNION ALL SELECT (SELECT min(w.name) FROM limit_wait w WHERE w.name > n.name) FROM n WHERE n.name IS NOT NULL)
     SELECT l.name, l.slots, l.held,
       (SELECT count(*) FROM (SELECT 1 FROM limit_wait w WHERE w.name = l.name LIMIT ${MOST_COUNTED + 1}) c) AS waiting,
       (SELECT min(since) FROM (SELECT since FROM limit_wait w WHERE w.name = l.name LIMIT 1000) o) AS oldest
     FROM n JOIN limit_size l ON l.name = n.name WHERE l.held >= l.slots LIMIT ?1`,
    limit,
  );
}

/** Consecutive skipped ticks. */
export interface Skip {
  readonly schedule: number;
  readonly project: string;
  readonly workflow: string;
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly count: number;
  readonly reason: string;
  readonly at: number;
}

/** Skips recorded since a time, newest first. */
export function* listSkips(input: {
  readonly since: number;
  readonly project?: string;
  readonly limit: number;
}): Operation<readonly Skip[]> {
  const { since, limit, project } = input;
  return yield* rows<Skip>(
    `SELECT k.schedule, w.project, w.name AS workflow, s.name, k.first_due AS "from", k.last_due AS "to", k.count,
       k.reason, k.recorded_at AS at
     FROM tick_skip k JOIN schedule s ON s.id = k.schedule JOIN workflow w ON w.id = s.workflow
     WHERE k.recorded_at >= ?1 ${project === undefined ? '' : 'AND w.project = ?3'} ORDER BY k.recorded_at DESC LIMIT ?2`,
    since,
    limit,
    ...(project === undefined ? [] : [project]),
  );
}

/** A published version. */
export interface Publication {
  readonly project: string;
  readonly name: string;
  readonly version: number;
  readonly author: string;
  readonly at: number;
}

/** The most recently published versions, newest first. */
export function* listPublications({ limit }: { readonly limit: number }): Operation<readonly Publication[]> {
  return yield* rows<Publication>(
    `SELECT w.project, w.name, v.version, v.author, v.created_at AS at FROM (
       SELECT workflow, version, author, created_at FROM workflow_version WHERE version > 0
       ORDER BY created_at DESC LIMIT ?1) v
     JOIN workflow w ON w.id = v.workflow ORDER BY v.created_at DESC`,
    limit,
  );
}
