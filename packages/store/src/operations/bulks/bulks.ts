/**
 * Bulks: one change of many runs, as something that is stored. Which runs are meant is written down first, each with
 * a row; then each is told or refused, a bounded number in one transaction with its outcome (bulk-steps.ts). So a bulk
 * goes on whoever dies, whichever master is alive carries it on, and no run is told twice.
 *
 * running (gathering, then telling) -> done; running -> aborted
 */
import { change, type Operation, row, rows } from '../../operation.ts';
import { insert } from '../../table.ts';
import { bulkRunTable, bulkTable } from '../../tables.ts';
import { audit } from '../access/audit.ts';
import { remember } from '../lists/history.ts';
import type { RunList } from '../lists/run-list.ts';
import { appendEvents, type FeedWriter } from '../runs/feed.ts';
import { newNumbers } from '../runs/numbers.ts';
import type { BulkAction, BulkAsking, BulkRunRow } from './bulk-runs.ts';

/** A bulk. */
export interface BulkRow extends BulkAsking {
  readonly id: number;
  readonly state: 'running' | 'done' | 'aborted';
  /** Of `tag` and `untag`: which. */
  readonly tags: readonly string[] | null;
  /** JSON: the filter as it was asked for; null where the runs were given. */
  readonly asked: string | null;
  /** Which runs it means is still being found out: `total` grows. */
  readonly gathering: boolean;
  readonly by: string;
  readonly reason: string | null;
  readonly total: number;
  readonly told: number;
  readonly refused: number;
  /** How many were refused for each reason. */
  readonly refusals: Readonly<Record<string, number>>;
  readonly revision: number;
  readonly createdAt: number;
  readonly endedAt: number | null;
  /** Who aborted it. */
  readonly endedBy: string | null;
}

/** Runs of a bulk: given, or what a list has at that moment; `asked` is its filter as people know it. */
type BulkChoice = { readonly ids: readonly number[] } | { readonly list: RunList; readonly asked: object };

/** Writes a bulk down; with a key, a second request with the same key answers with the first one. */
export function* createBulk(input: {
  readonly action: BulkAction;
  /** Of `tag` and `untag`: which. */
  readonly tags?: readonly string[];
  readonly choice: BulkChoice;
  /** The only project whose runs may be told; null: all. */
  readonly project: string | null;
  readonly by: string;
  readonly reason?: string;
  readonly key?: string;
  readonly now: number;
}): Operation<{ readonly id: number; readonly repeated: boolean }> {
  const { action, tags, choice, project, by, reason, key, now } = input;
  const [id] = yield* newNumbers(1);
  if (key !== undefined) {
    const added = yield* change(
      'INSERT INTO idempotency (key, answer, created_at) VALUES (?1, ?2, ?3) ON CONFLICT (key) DO NOTHING',
      key,
      String(id),
      now,
    );
    if (added === 0) {
      const earlier = yield* row<{ answer: string }>('SELECT answer FROM idempotency WHERE key = ?1', key);
      return { id: Number(earlier?.answer), repeated: true };
    }
  }
  const given = 'ids' in choice ? [...new Set(choice.ids)] : [];
  yield* insert(bulkTable, [
    {
      id,
      action,
      tags: tags === undefined ? null : JSON.stringify(tags),
      state: 'running',
      list: 'ids' in choice ? null : JSON.stringify(choice.list),
      asked: 'ids' in choice ? null : JSON.stringify(choice.asked),
      // Numbers only grow: runs that come later have larger ones, and are not meant.
      below: 'ids' in choice ? null : id,
      project,
      actor: by,
      reason: reason ?? null,
      total: given.length,
      told: 0,
      refused: 0,
      refusals: '{}',
      revision: 1,
      created_at: now,
      ended_at: null,
      ended_by: null,
    },
  ]);
  yield* addBulkRuns(id, given);
  yield* tellBulk(null, { id, revision: 1 }, now);
  yield* remember([{ actor: by, kind: 'bulk', subject: String(id), action, body: { reason } }], now);
  const meant = 'ids' in choice ? { runs: given.length } : { filter: choice.asked };
  yield* audit(by, 'bulk.create', String(id), { action, ...meant, reason: reason ?? null }, now);
  return { id, repeated: false };
}

/** Writes down that a bulk means these runs. */
export function* addBulkRuns(bulk: number, runs: readonly number[]): Operation<void> {
  yield* insert(
    bulkRunTable,
    runs.map((run) => ({ bulk, run, outcome: 'left', reason: null })),
  );
}

/** Tells those who watch that a bulk has changed. */
export function* tellBulk(
  writer: FeedWriter,
  { id, revision }: Pick<BulkRow, 'id' | 'revision'>,
  now: number,
): Operation<void> {
  yield* appendEvents(writer, [{ topic: 'bulk', subject: id, revision, body: '{}' }], now);
}

/** Ends a bulk before it has come to all its runs; false when it has ended before. What was told stays told. */
export function* abortBulk(input: {
  readonly id: number;
  readonly by: string;
  readonly reason?: string;
  readonly now: number;
}): Operation<boolean> {
  const { id, by, reason, now } = input;
  const ended = yield* row<{ revision: number }>(
    `UPDATE bulk SET state = 'aborted', below = NULL, ended_at = ?2, ended_by = ?3, revision = revision + 1
     WHERE id = ?1 AND state = 'running' RETURNING revision`,
    id,
    now,
    by,
  );
  if (!ended) return false;
  yield* tellBulk(null, { id, ...ended }, now);
  yield* remember([{ actor: by, kind: 'bulk', subject: String(id), action: 'abort', body: { reason } }], now);
  yield* audit(by, 'bulk.abort', String(id), { reason: reason ?? null }, now);
  return true;
}

const columns = `id, action, tags, state, asked, CASE WHEN below IS NULL THEN 0 ELSE 1 END AS gathering, project, actor AS "by",
  reason, total, told, refused, refusals, revision, created_at AS "createdAt", ended_at AS "endedAt", ended_by AS "endedBy"`;

type Found = Omit<BulkRow, 'tags' | 'gathering' | 'refusals'> & {
  readonly tags: string | null;
  readonly gathering: number;
  readonly refusals: string;
};

function shown({ tags, gathering, refusals, ...bulk }: Found): BulkRow {
  return {
    ...bulk,
    tags: tags === null ? null : JSON.parse(tags),
    gathering: gathering === 1,
    refusals: JSON.parse(refusals),
  };
}

/** Bulks by their ids, in no particular order; those that are not kept are left out. */
export function* readBulks({ ids }: { readonly ids: readonly number[] }): Operation<readonly BulkRow[]> {
  const found: Found[] = [];
  for (const id of ids) found.push(...(yield* rows<Found>(`SELECT ${columns} FROM bulk WHERE id = ?1`, id)));
  return found.map(shown);
}

/** Bulks, newest first, of all projects or of one; `before` is the last of the page before. */
export function* listBulks(input: {
  readonly project?: string;
  readonly before?: number;
  readonly limit: number;
}): Operation<readonly BulkRow[]> {
  const { project, before = Number.MAX_SAFE_INTEGER, limit } = input;
  const found = yield* rows<Found>(
    `SELECT ${columns} FROM bulk WHERE id < ?1 ${project === undefined ? '' : 'AND project = ?3'} ORDER BY id DESC LIMIT ?2`,
    ...[before, limit, ...(project === undefined ? [] : [project])],
  );
  return found.map(shown);
}

/** What became of the runs of a bulk, by their numbers; `after` is the last of the page before. */
export function* listBulkRuns(input: {
  readonly bulk: number;
  readonly outcome?: BulkRunRow['outcome'];
  readonly after?: number;
  readonly limit: number;
}): Operation<readonly BulkRunRow[]> {
  const { bulk, outcome, after = 0, limit } = input;
  return yield* rows<BulkRunRow>(
    `SELECT run, outcome, reason FROM bulk_run WHERE bulk = ?1 AND run > ?2 ${outcome === undefined ? '' : 'AND outcome = ?4'}
     ORDER BY run LIMIT ?3`,
    ...[bulk, after, limit, ...(outcome === undefined ? [] : [outcome])],
  );
}

/** Bulks that are looked at in one step of retention. */
const SWEPT = 10;

/** Forgets bulks that ended before a time, first what became of their runs, a little at a time; how many rows went. */
export function* sweepBulks({
  before,
  limit,
}: {
  readonly before: number;
  readonly limit: number;
}): Operation<number> {
  const old = `SELECT id FROM bulk WHERE ended_at < ?1 ORDER BY ended_at LIMIT ${SWEPT}`;
  const swept = yield* change(
    `DELETE FROM bulk_run WHERE (bulk, run) IN (SELECT bulk, run FROM bulk_run WHERE bulk IN (${old}) LIMIT ?2)`,
    before,
    limit,
  );
  if (swept === limit) return swept;
  return swept + (yield* change(`DELETE FROM bulk WHERE id IN (${old})`, before));
}
