/** Finds what blocks a waiting run or attempt: the holders of a limit, and the holders of worker slots. */
import { batch, type Operation, rows } from '../../operation.ts';
import { unnest } from '../../table.ts';
import type { VersionRef } from '../workflows/outlines.ts';

/** A task run, or with task -1 a run, by numbers, and the version with the task's name. */
export interface Holder extends VersionRef {
  readonly run: number;
  readonly task: number;
  readonly project: string;
}

/**
 * A holder of a limit. `since` is when a worker took the first of its attempts; null before that, and for a
 * run.
 */
export interface LimitHolder extends Holder {
  readonly since: number | null;
}

/** The first holders of a limit. */
export function* listHolders(input: {
  readonly name: string;
  readonly limit: number;
}): Operation<readonly LimitHolder[]> {
  return yield* rows<LimitHolder>(
    `SELECT s.run, s.task, r.workflow, r.version, r.project, min(a.assigned_at) AS since
     FROM limit_slot s JOIN run r ON r.id = s.run
     LEFT JOIN assignment a ON a.run = s.run AND a.task = s.task AND a.shard = s.shard AND a.number = s.number
     WHERE s.name = ?1 GROUP BY s.run, s.task, r.workflow, r.version, r.project ORDER BY s.run, s.task LIMIT ?2`,
    input.name,
    input.limit,
  );
}

/** A run and its version. */
export interface VersionedRun extends VersionRef {
  readonly id: number;
}

/** For each workflow, its last runs before a given run, newest first. */
export function* listRunsBefore(input: {
  readonly runs: readonly { readonly workflow: number; readonly before: number }[];
  readonly limit: number;
}): Operation<readonly VersionedRun[]> {
  const types = ['int', 'int', 'int'] as const;
  const some = (workflow: string, before: string, limit: string) =>
    `SELECT id, workflow, version FROM run WHERE workflow = ${workflow} AND id < ${before} AND kind = 'normal'
     ORDER BY id DESC LIMIT ${limit}`;
  const { rows: found } = yield* batch<VersionedRun>(
    {
      sqlite: some('?1', '?2', '?3'),
      postgres: `SELECT r.* FROM ${unnest(types)} AS k(wanted, before, most)
        CROSS JOIN LATERAL (${some('k.wanted', 'k.before', 'k.most')}) r`,
    },
    types,
    input.runs.map(({ workflow, before }) => [workflow, before, input.limit]),
  );
  return found;
}

/** A task of a run, by numbers. */
export interface TaskPlace {
  readonly run: number;
  readonly task: number;
}

/** Durations of successful attempts of some task runs, the first `limit` of each, in no particular order. */
export function* readSuccessTimes(input: {
  readonly tasks: readonly TaskPlace[];
  readonly limit: number;
}): Operation<readonly (TaskPlace & { readonly took: number })[]> {
  const types = ['int', 'int', 'int'] as const;
  const some = (run: string, task: string, limit: string) =>
    `SELECT run, task, ended_at - started_at AS took FROM attempt WHERE run = ${run} AND task = ${task}
       AND state = 'success' AND started_at IS NOT NULL ORDER BY shard, number LIMIT ${limit}`;
  const { rows: found } = yield* batch<TaskPlace & { took: number }>(
    {
      sqlite: some('?1', '?2', '?3'),
      postgres: `SELECT a.* FROM ${unnest(types)} AS k(of_run, of_task, most)
        CROSS JOIN LATERAL (${some('k.of_run', 'k.of_task', 'k.most')}) a`,
    },
    types,
    input.tasks.map(({ run, task }) => [run, task, input.limit]),
  );
  return found;
}

/** Where a task's attempt waits to begin. */
export interface OpenWait {
  readonly task: number;
  /** The worker group whose queue it is in; null if it waits for a limit. */
  readonly group: string | null;
  /** 1: that queue has attempts of more urgent runs. */
  readonly urgent: number;
}

/** Tasks of the run that wait for a worker or for a slot, in order. */
export function* listOpenWaits(input: {
  readonly run: number;
  readonly limit: number;
}): Operation<readonly OpenWait[]> {
  const urgent = `(SELECT min(o.run_priority) FROM ready o WHERE o.worker_group = r.worker_group AND o.target IS NULL)`;
  return yield* rows<OpenWait>(
    `SELECT DISTINCT task, "group", urgent FROM (
       SELECT r.task, r.worker_group AS "group", CASE WHEN ${urgent} < r.run_priority THEN 1 ELSE 0 END AS urgent
       FROM ready r WHERE r.run = ?1
       UNION ALL SELECT task, NULL, 0 FROM limit_wait WHERE run = ?1 AND task >= 0) waits
     ORDER BY task LIMIT ?2`,
    input.run,
    input.limit,
  );
}

/** Some of the task runs that workers execute. */
export function* listAssigned(input: {
  readonly workers: readonly string[];
  readonly limit: number;
}): Operation<readonly Holder[]> {
  const types = ['text', 'int'] as const;
  const some = (worker: string, limit: string) =>
    `SELECT a.run, a.task, r.workflow, r.version, r.project FROM assignment a JOIN run r ON r.id = a.run
     WHERE a.worker = ${worker} ORDER BY a.run, a.task LIMIT ${limit}`;
  const { rows: found } = yield* batch<Holder>(
    {
      sqlite: some('?1', '?2'),
      postgres: `SELECT x.* FROM ${unnest(types)} AS k(worker, most) CROSS JOIN LATERAL (${some('k.worker', 'k.most')}) x`,
    },
    types,
    input.workers.map((worker) => [worker, input.limit]),
  );
  return found.slice(0, input.limit);
}

/** When attempts of some tasks of a run began to execute, the first of each number. */
export function* readStartTimes(input: {
  readonly run: number;
  readonly from: number;
  readonly to: number;
}): Operation<readonly { readonly task: number; readonly number: number; readonly startedAt: number }[]> {
  return yield* rows(
    `SELECT task, number, min(started_at) AS "startedAt" FROM attempt
     WHERE run = ?1 AND task >= ?2 AND task < ?3 AND started_at IS NOT NULL GROUP BY task, number ORDER BY task, number`,
    input.run,
    input.from,
    input.to,
  );
}
