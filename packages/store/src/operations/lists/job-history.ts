/**
 * History of elastic jobs: rounds of instances and divisions of shards. Every API that knows a registry
 * collects from it, so each entry is identified by the number its job or instance gave it and is kept once.
 */
import { change, type Operation, row, rows } from '../../operation.ts';
import { insert } from '../../table.ts';
import { jobHistoryTable } from '../../tables.ts';
import { newNumbers } from '../runs/numbers.ts';

/** A finished round, or a division of the shards. */
export interface JobEvent {
  readonly kind: 'round' | 'reshard';
  /** The instance that ran the round; empty for a division, which belongs to the whole job. */
  readonly instance: string;
  /** Incremented with every event of this instance. */
  readonly number: number;
  readonly at: number;
  readonly body: object;
}

/** A stored event. */
export interface JobEventRow extends Omit<JobEvent, 'body'> {
  readonly id: number;
  /** Number of unseen events right before this one. */
  readonly unseen: number;
  /** JSON. */
  readonly body: string;
}

/** Stores the events not known yet; returns how many. */
export function* recordJobEvents(input: {
  readonly center: string;
  readonly job: string;
  readonly events: readonly JobEvent[];
}): Operation<number> {
  const { center, job } = input;
  const fresh: (JobEvent & { readonly unseen: number })[] = [];
  for (const [instance, events] of Map.groupBy(input.events, (event) => event.instance)) {
    const known = yield* row<{ last: number | null }>(
      'SELECT max(number) AS last FROM job_history WHERE center = ?1 AND job = ?2 AND instance = ?3',
      center,
      job,
      instance,
    );
    let last = known?.last ?? 0;
    for (const event of events.toSorted((a, b) => a.number - b.number))
      if (event.number > last) {
        fresh.push({ ...event, unseen: event.number - last - 1 });
        last = event.number;
      }
  }
  const ids = yield* newNumbers(fresh.length);
  return yield* insert(
    jobHistoryTable,
    fresh
      .sort((a, b) => a.at - b.at)
      .map(({ body, ...event }, i) => ({ ...event, id: ids[i], center, job, body: JSON.stringify(body) })),
    '(center, job, instance, number) DO NOTHING',
  );
}

/** The events of a job, newest first; `before` is the id of the last one on the previous page. */
export function* listJobEvents(input: {
  readonly center: string;
  readonly job: string;
  readonly before?: number;
  readonly limit: number;
}): Operation<readonly JobEventRow[]> {
  return yield* rows<JobEventRow>(
    `SELECT id, kind, instance, number, at, unseen, body FROM job_history
     WHERE center = ?1 AND job = ?2 AND id < ?3 ORDER BY id DESC LIMIT ?4`,
    input.center,
    input.job,
    input.before ?? Number.MAX_SAFE_INTEGER,
    input.limit,
  );
}

/** Deletes at most `limit` events from before a time, oldest first; returns how many. */
export function* sweepJobEvents(input: {
  readonly before: number;
  readonly limit: number;
}): Operation<number> {
  return yield* change(
    `DELETE FROM job_history WHERE id IN (
       SELECT id FROM (SELECT id, at FROM job_history ORDER BY id LIMIT ?2) first WHERE at < ?1)`,
    input.before,
    input.limit,
  );
}
