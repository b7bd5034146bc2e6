/**
 * What elastic jobs did: rounds of their instances and divisions of their shards. Collected from the registries by every
 * api that knows them, so each entry is known by the number that its job or instance gave it and is kept once.
 */
import { change, type Operation, row, rows } from '../../operation.ts';
import { insert } from '../../table.ts';
import { jobHistoryTable } from '../../tables.ts';
import { newNumbers } from '../runs/numbers.ts';

/** A round that has ended, or a division of the shards. */
export interface JobEvent {
  readonly kind: 'round' | 'reshard';
  /** Who ran the round; empty for a division, which is the whole job's. */
  readonly instance: string;
  /** Grows by one from event to event of this instance. */
  readonly number: number;
  readonly at: number;
  readonly body: object;
}

/** An event as it is kept. */
export interface JobEventRow extends Omit<JobEvent, 'body'> {
  readonly id: number;
  /** Events right before this one that nobody saw. */
  readonly unseen: number;
  /** JSON. */
  readonly body: string;
}

/** Keeps the events that are not known yet; how many. */
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

/** The events of a job, the newest first; `before` is the id of the last one of the page before. */
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

/** Deletes events from before a time, the oldest first, at most `limit`; how many. */
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
