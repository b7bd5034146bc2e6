/**
 * Bulks: one change of many runs, stored. First the bulk gathers its runs, one row each. Then it tells or
 * refuses
 * each run, a bounded number per transaction, together with the outcome (bulk-steps.ts). So a bulk survives
 * the death of
 * any master, any live master carries it on, and no run is told twice.
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
  /** The tags, for `tag` and `untag`. */
  readonly tags: readonly string[] | null;
  /** JSON: the filter as requested; null if the runs were given by id. */
  readonly asked: string | null;
  /** Whether it is still gathering its runs: `total` grows. */
  readonly gathering: boolean;
  readonly by: string;
  readonly reason: string | null;
  readonly total: number;
  readonly told: number;
  readonly refused: number;
  /** Number of refusals by reason. */
  readonly refusals: Readonly<Record<string, number>>;
  readonly revision: number;
  readonly createdAt: number;
  readonly endedAt: number | null;
  /** The person who aborted it. */
  readonly endedBy: string | null;
}

/**
 * The runs of a bulk: given ids, or the contents of a list at that moment; `asked` is the filter as people
 * wrote it.
 */
type BulkChoice = { readonly ids: readonly number[] } | { readonly list: RunList; readonly asked: object };

/** Records a bulk; with a key, a repeated request returns the first bulk. */
export function* createBulk(input: {
  readonly action: BulkAction;
  /** The tags, for `tag` and `untag`. */
  readonly tags?: readonly string[];
  readonly choice: BulkChoice;
  /** The only project whose runs it may change; null: all. */
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
      // Ids only grow: later runs have larger ids and are not included.
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

/** Records the runs of a bulk. */
export function* addBulkRuns(bulk: number, runs: readonly number[]): Operation<void> {
  yield* insert(
    bulkRunTable,
    runs.map((run) => ({ bulk, run, outcome: 'left', reason: null })),
  );
}

/** Announces in the feed that a bulk has changed. */
export function* tellBulk(
  writer: FeedWriter,
  { id, revision }: Pick<BulkRow, 'id' | 'revision'>,
  now: number,
): Operation<void> {
  yield* appendEvents(writer, [{ topic: 'bulk', subject: id, revision, body: '{}' }], now);
}

/**
 * Aborts a bulk before it has reached all its runs; false if it has already ended. Changes already requested
 * stay.
 */
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

/** Bulks by id, in no particular order; deleted ones are left out. */
export function* readBulks({ ids }: { readonly ids: readonly number[] }): Operation<readonly BulkRow[]> {
  const found: Found[] = [];
  for (const id of ids) found.push(...(yield* rows<Found>(`SELECT ${columns} FROM bulk WHERE id = ?1`, id)));
  return found.map(shown);
}

/** Bulks, newest first, of all projects or one; `before` is the last of the previous page. */
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

/** Outcomes of a bulk's runs, by run id; `after` is the last of the previous page. */
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

/** Bulks considered in one retention step. */
const SWEPT = 10;

/**
 * Deletes bulks that ended before a time, outcomes of runs first, a few at a time; returns the number of
 * deleted rows.
 */
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
