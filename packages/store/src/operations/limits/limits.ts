/** Limits as people see them: sizes, waiters and waiting times; and the sweep that recounts slots. */
import { InvalidInput } from '@orrery/core/errors';
import { batch, change, type Operation, rows } from '../../operation.ts';
import { checkSelf, type Self } from '../cluster/self.ts';
import type { AttemptRef } from '../runs/attempt-key.ts';
import { appendEvents } from '../runs/feed.ts';
import { admitNext } from './admission.ts';
import { LimitBook, setSizes } from './limit-book.ts';

/** A limit in a list. */
export interface LimitRow {
  readonly name: string;
  readonly slots: number;
  readonly held: number;
  /** Waiters in its list, counted up to about ten thousand. */
  readonly waiting: number;
}

/** What a run waits for: an attempt, or with task -1 the run itself. */
export interface LimitWaitRow extends AttemptRef {
  readonly name: string;
  readonly since: number;
  readonly ahead: number;
}

const MOST_COUNTED = 10_000;

/** Sets the size of a limit and admits waiters that now fit. Without a number the limit becomes unbounded. */
export function* setLimit(input: {
  readonly name: string;
  readonly slots: number | null;
  readonly now: number;
}): Operation<void> {
  const { name, slots, now } = input;
  if (slots !== null && (!Number.isSafeInteger(slots) || slots < 0)) {
    throw new InvalidInput(
      `limit "${name}" cannot have ${slots} slots; use a whole number from 0 up, or none`,
    );
  }
  yield* setSizes(new Map([[name, slots ?? Number.MAX_SAFE_INTEGER]]));
  let admitted = 1;
  while (admitted > 0) admitted = yield* admitNext(new LimitBook(), [name], now);
  if (slots === null) {
    yield* change('DELETE FROM limit_slot WHERE name = ?1', name);
    yield* change('DELETE FROM limit_size WHERE name = ?1', name);
  }
  const body = JSON.stringify({ name, slots });
  yield* appendEvents(null, [{ topic: 'limit', subject: 0, revision: 0, body }], now);
}

/** Limits by name; `after` is the last name of the previous page. */
export function* listLimits(input: {
  readonly after?: string;
  readonly limit: number;
}): Operation<readonly LimitRow[]> {
  return yield* rows<LimitRow>(
    `SELECT l.name, l.slots, l.held,
       (SELECT count(*) FROM (SELECT 1 FROM limit_wait w WHERE w.name = l.name LIMIT ${MOST_COUNTED}) c) AS waiting
     FROM limit_size l WHERE l.name > ?1 ORDER BY l.name LIMIT ?2`,
    input.after ?? '',
    input.limit,
  );
}

/** Those of the named limits that have a size. */
export function* readLimits({
  names,
}: {
  readonly names: readonly string[];
}): Operation<readonly LimitRow[]> {
  const columns = `l.name, l.slots, l.held,
    (SELECT count(*) FROM (SELECT 1 FROM limit_wait w WHERE w.name = l.name LIMIT ${MOST_COUNTED}) c) AS waiting`;
  const { rows: found } = yield* batch<LimitRow>(
    {
      sqlite: `SELECT ${columns} FROM limit_size l WHERE l.name = ?1`,
      postgres: `SELECT ${columns} FROM limit_size l WHERE l.name = ANY (?1::text[])`,
    },
    ['text'],
    names.map((name) => [name]),
  );
  return found;
}

/** What a run and its attempts wait for, and how many waiters of the same account are ahead. */
export function* readLimitWaits({ run }: { readonly run: number }): Operation<readonly LimitWaitRow[]> {
  return yield* rows<LimitWaitRow>(
    `SELECT w.run, w.task, w.shard, w.number, w.name, w.since,
       (SELECT count(*) FROM (
          SELECT 1 FROM limit_wait o WHERE o.name = w.name AND o.owner = w.owner AND o.paused = 0
            AND (o.priority, o.seq) < (w.priority, w.seq) LIMIT ${MOST_COUNTED}) c) AS ahead
     FROM limit_wait w WHERE w.run = ?1 ORDER BY w.task, w.shard, w.number`,
    run,
  );
}

/**
 * Recounts limits: frees slots of holders that are gone, corrects counts, and admits waiters that fit. Works
 * in pages of names; `next` is the next page's start, undefined after the last.
 */
export function* sweepLimits(input: {
  readonly self: Self;
  readonly after?: string;
  readonly limit: number;
  readonly now: number;
}): Operation<{ freed: number; admitted: number; next: string | undefined }> {
  const { self, after = '', limit, now } = input;
  yield* checkSelf(self);
  const page = yield* rows<{ name: string }>(
    'SELECT name FROM limit_size WHERE name > ?1 ORDER BY name LIMIT ?2',
    after,
    limit,
  );
  const names = page.map(({ name }) => name);
  const last = names.at(-1);
  if (last === undefined) return { freed: 0, admitted: 0, next: undefined };
  const book = new LimitBook();
  yield* book.lock(names);
  const freed = yield* change(
    `DELETE FROM limit_slot WHERE name > ?1 AND name <= ?2 AND CASE WHEN task < 0
       THEN NOT EXISTS (SELECT 1 FROM run r WHERE r.id = limit_slot.run AND (
         r.standing = 0 OR r.owner IS NOT NULL
         OR EXISTS (SELECT 1 FROM inbox i WHERE i.run = r.id)))
       ELSE NOT EXISTS (SELECT 1 FROM ready q WHERE q.run = limit_slot.run AND q.task = limit_slot.task
           AND q.shard = limit_slot.shard AND q.number = limit_slot.number)
         AND NOT EXISTS (SELECT 1 FROM assignment a WHERE a.run = limit_slot.run AND a.task = limit_slot.task
           AND a.shard = limit_slot.shard AND a.number = limit_slot.number) END`,
    after,
    last,
  );
  yield* change(
    `DELETE FROM limit_wait WHERE name > ?1 AND name <= ?2 AND NOT EXISTS (SELECT 1 FROM run r WHERE r.id = limit_wait.run)`,
    after,
    last,
  );
  const counts = yield* rows<{ name: string; held: number }>(
    'SELECT name, count(*) AS held FROM limit_slot WHERE name > ?1 AND name <= ?2 GROUP BY name',
    after,
    last,
  );
  const held = new Map(counts.map((count) => [count.name, count.held]));
  for (const name of names) book.set(name, held.get(name) ?? 0);
  const admitted = yield* admitNext(book, names, now);
  return { freed, admitted, next: names.length < limit ? undefined : last };
}
