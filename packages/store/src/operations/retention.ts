/** Retention: finished runs are dropped by age, a few at a time, once nothing refers to them. */
import { batch, type Operation, rows } from '../operation.ts';

interface Candidate {
  readonly id: number;
  readonly created_at: number;
  readonly gone: number;
}

/** May go: in a final state since before `?3`, unowned, nothing on its way to it, and no open run above it. */
const mayGo = `CASE WHEN r.standing <> 0 AND r.ended_at < ?3 AND r.owner IS NULL
    AND NOT EXISTS (SELECT 1 FROM inbox i WHERE i.run = r.id)
    AND NOT EXISTS (SELECT 1 FROM ready q WHERE q.run = r.id)
    AND NOT EXISTS (SELECT 1 FROM assignment a WHERE a.run = r.id)
    AND NOT EXISTS (SELECT 1 FROM limit_wait w WHERE w.run = r.id)
    AND NOT EXISTS (SELECT 1 FROM run p WHERE p.id = r.parent AND p.standing = 0)
  THEN 1 ELSE 0 END AS gone`;

/**
 * Drops finished runs that ended before a time, with their task runs and attempts. Runs are looked through in the
 * order of their ids, `limit` at a time; `next` is where to go on, undefined when the rest is too young. No index by
 * age is kept for this: it would cost every run that ends, and ids grow with time.
 */
export function* sweepRuns(input: {
  readonly before: number;
  readonly after?: number;
  readonly limit: number;
}): Operation<{ swept: number; next: number | undefined }> {
  const { before, after = 0, limit } = input;
  const page = (suffix: string) =>
    `SELECT r.id, r.created_at, ${mayGo} FROM run r WHERE r.id > ?1 ORDER BY r.id LIMIT ?2 ${suffix}`;
  const found = yield* rows<Candidate>(
    // Locked ones are being claimed or changed: they are not over.
    { sqlite: page(''), postgres: page('FOR UPDATE OF r SKIP LOCKED') },
    after,
    limit,
    before,
  );
  const over = found.filter(({ gone }) => gone === 1).map(({ id }) => [id]);
  for (const [table, key] of [
    ['attempt', 'run'],
    ['task_run', 'run'],
    ['limit_slot', 'run'],
    ['run', 'id'],
  ]) {
    yield* batch(
      {
        sqlite: `DELETE FROM ${table} WHERE ${key} = ?1`,
        postgres: `DELETE FROM ${table} WHERE ${key} = ANY (?1::int8[])`,
      },
      ['int'],
      over,
    );
  }
  const last = found.at(-1);
  const done = found.length < limit || !last || last.created_at >= before;
  return { swept: over.length, next: done ? undefined : last.id };
}
