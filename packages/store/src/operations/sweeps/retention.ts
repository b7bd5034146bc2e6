/**
 * Retention: finished runs are deleted by age and number, a few at a time, once nothing refers to them. The
 * row of a run goes first, so that nobody can reopen it; its remaining rows follow, a bounded number at a
 * time.
 */
import { batch, change, type Operation, row, rows } from '../../operation.ts';

interface Candidate {
  readonly id: number;
  readonly created_at: number;
  readonly gone: number;
}

/**
 * SQL: the run may be deleted. It has been in a final state since before `?3`, or is older than the run `?4`;
 * it has no owner, no incoming message, and no open run above it.
 */
const mayGo = `CASE WHEN r.standing <> 0 AND (r.ended_at < ?3 OR r.id < ?4) AND r.owner IS NULL
    AND NOT EXISTS (SELECT 1 FROM inbox i WHERE i.run = r.id)
    AND NOT EXISTS (SELECT 1 FROM ready q WHERE q.run = r.id)
    AND NOT EXISTS (SELECT 1 FROM assignment a WHERE a.run = r.id)
    AND NOT EXISTS (SELECT 1 FROM limit_wait w WHERE w.run = r.id)
    AND NOT EXISTS (SELECT 1 FROM run p WHERE p.id = r.parent AND p.standing = 0)
  THEN 1 ELSE 0 END AS gone`;

/** Tables with rows of a run, and their keys. */
const remains = [
  ['attempt', 'run, task, shard, number'],
  ['task_run', 'run, task'],
  ['handle', 'run, task, shard, number'],
  ['limit_slot', 'name, run, task, shard, number'],
  ['period', 'workflow, business_time'],
] as const;

/** Result of a step. */
interface Sweep {
  readonly swept: number;
  /** Where to continue; undefined at the end. */
  readonly next: number | undefined;
}

/**
 * Deletes finished runs that ended before a time or precede the run `oldest`, with at most `most` of their
 * rows; if `remain` says so, `sweepRemains` deletes the rest. Runs are checked in id order, `limit` at a
 * time. There is no index by age: every ending run would pay for it, and ids grow with time.
 */
export function* sweepRuns(input: {
  readonly before: number;
  readonly oldest?: number;
  readonly after?: number;
  readonly limit: number;
  readonly most?: number;
}): Operation<Sweep & { readonly remain: boolean }> {
  const { before, oldest = 0, after = 0, limit, most = 10_000 } = input;
  const page = (suffix: string) =>
    `SELECT r.id, r.created_at, ${mayGo} FROM run r WHERE r.id > ?1 ORDER BY r.id LIMIT ?2 ${suffix}`;
  const found = yield* rows<Candidate>(
    // Locked runs are being claimed or changed, so they are not finished.
    { sqlite: page(''), postgres: page('FOR UPDATE OF r SKIP LOCKED') },
    after,
    limit,
    before,
    oldest,
  );
  const over = found.filter(({ gone }) => gone === 1).map(({ id }) => id);
  yield* batch(
    { sqlite: 'DELETE FROM run WHERE id = ?1', postgres: 'DELETE FROM run WHERE id = ANY (?1::int8[])' },
    ['int'],
    over.map((id) => [id]),
  );
  const deleted = yield* dropRemains(over, most);
  const last = found.at(-1);
  const done = found.length < limit || !last || (last.created_at >= before && last.id >= oldest);
  return { swept: over.length, next: done ? undefined : last.id, remain: deleted >= most };
}

/**
 * Deletes remaining rows of deleted runs: at most `most` rows, of the next `limit` runs after a number. It
 * skips from run to run in the key, so kept runs cost little.
 */
export function* sweepRemains(input: {
  readonly after?: number;
  readonly limit: number;
  readonly most: number;
}): Operation<Sweep> {
  const { after = 0, limit, most } = input;
  const gone = new Set<number>();
  let next: number | undefined;
  for (const table of ['attempt', 'task_run']) {
    const found = yield* rows<{ run: number; kept: number }>(
      `WITH RECURSIVE o(run) AS (
         SELECT min(run) FROM ${table} WHERE run > ?1
         UNION ALL SELECT (SELECT min(t.run) FROM ${table} t WHERE t.run > o.run) FROM o WHERE o.run IS NOT NULL)
       SELECT o.run, CASE WHEN EXISTS (SELECT 1 FROM run r WHERE r.id = o.run) THEN 1 ELSE 0 END AS kept
       FROM o WHERE o.run IS NOT NULL LIMIT ?2`,
      after,
      limit,
    );
    for (const { run, kept } of found) if (kept === 0) gone.add(run);
    const last = found.at(-1);
    if (last && found.length === limit) next = Math.min(next ?? last.run, last.run);
  }
  const swept = yield* dropRemains([...gone], most);
  return { swept, next: swept >= most ? after : next };
}

/** Tables kept up to a number of rows, with the column that orders them. */
const numbered = {
  runs: { table: 'run', order: 'id', age: 'id' },
  ticks: { table: 'tick', order: 'due', age: 'due' },
  skips: { table: 'tick_skip', order: 'first_due', age: 'first_due' },
  keys: { table: 'idempotency', order: 'created_at', age: 'created_at' },
  audit: { table: 'audit', order: 'id', age: 'created_at' },
  jobs: { table: 'job_history', order: 'id', age: 'at' },
} as const;

/** A kind of thing kept up to a number. */
export type Numbered = keyof typeof numbered;

/**
 * The oldest of the newest `limit` rows before a place, their number, and where to continue: large numbers
 * are counted in steps. For runs the age is the id. Rows of the same moment as a step's last are not counted:
 * they are kept.
 */
export function* rowsBack(input: {
  readonly of: Numbered;
  readonly before?: number;
  readonly limit: number;
}): Operation<{ readonly place: number | null; readonly oldest: number | null; readonly count: number }> {
  const { table, order, age } = numbered[input.of];
  const found = yield* row<{ place: number | null; oldest: number | null; count: number }>(
    `SELECT min(place) AS place, min(age) AS oldest, count(*) AS count FROM (
       SELECT ${order} AS place, ${age} AS age FROM ${table} WHERE ${order} < ?1 ORDER BY ${order} DESC LIMIT ?2) newest`,
    input.before ?? Number.MAX_SAFE_INTEGER,
    input.limit,
  );
  return found ?? { place: null, oldest: null, count: 0 };
}

/** Deletes a bounded number of rows of deleted runs; returns how many. */
function* dropRemains(runs: readonly number[], most: number): Operation<number> {
  let left = runs.length === 0 ? 0 : most;
  for (const [table, key] of remains) {
    if (left <= 0) break;
    left -= yield* change(
      {
        sqlite: `DELETE FROM ${table} WHERE (${key}) IN (
          SELECT ${key} FROM ${table} WHERE run IN (SELECT value FROM json_each(?1)) LIMIT ?2)`,
        postgres: `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${table} WHERE run = ANY (
          ARRAY(SELECT v::int8 FROM json_array_elements_text(?1::json) v)) LIMIT ?2))`,
      },
      JSON.stringify(runs),
      left,
    );
  }
  return runs.length === 0 ? 0 : most - left;
}
