/** What nodes work on: the attempts of a worker, and when each master last committed something. */
import { type Operation, rows } from '../../operation.ts';
import type { AttemptRef } from '../runs/attempt-key.ts';
import { SECOND_LINE } from '../runs/feed.ts';
import type { VersionRef } from '../workflows/outlines.ts';

/** An attempt on a worker. */
export interface WorkerAttempt extends AttemptRef, VersionRef {
  readonly project: string;
  readonly name: string;
  readonly assignedAt: number;
  /** 1 if it was asked to end. */
  readonly killed: number;
}

/** Attempts of a worker, oldest first; with a project only those of its runs. */
export function* listWorkerAttempts(input: {
  readonly worker: string;
  readonly project?: string;
  readonly limit: number;
}): Operation<readonly WorkerAttempt[]> {
  const { worker, project, limit } = input;
  const key = 'a.run, a.task, a.shard, a.number';
  return yield* rows<WorkerAttempt>(
    `SELECT ${key}, a.assigned_at AS "assignedAt", a.killed, r.workflow, r.version, r.project, r.name
     FROM assignment a JOIN run r ON r.id = a.run
     WHERE a.worker = ?1 ${project === undefined ? '' : 'AND r.project = ?3'}
     ORDER BY a.assigned_at, ${key} LIMIT ?2`,
    worker,
    limit,
    ...(project === undefined ? [] : [project]),
  );
}

/** When a master last committed a change. */
export interface LastWork {
  readonly node: string;
  /** Null if the feed has nothing of it any more. */
  readonly at: number | null;
}

/** The last commit of each live master that the feed still knows; heartbeats are none. */
export function* listLastWork(): Operation<readonly LastWork[]> {
  const last = (writer: string) =>
    `SELECT created_at AS at FROM event e WHERE e.node = ${writer} AND e.epoch = n.epoch ORDER BY e.n DESC LIMIT 1`;
  return yield* rows<LastWork>(
    `SELECT n.id AS node, (SELECT max(at) FROM (
       SELECT at FROM (${last('n.id')}) first_line
       UNION ALL SELECT at FROM (${last(`n.id || '${SECOND_LINE}'`)}) second_line) both_lines) AS at
     FROM node n WHERE n.fenced = 0 ORDER BY n.id`,
  );
}
