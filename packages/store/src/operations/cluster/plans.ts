/** Ownership plans: the data a leader needs to make one, and the plans made so far. */
import { batch, change, type Operation, row, rows } from '../../operation.ts';
import { unnest } from '../../table.ts';
import { clusterAlert, raise } from '../alerting/alerts.ts';
import { checkSelf, type Self } from './self.ts';

/** Number of plans kept. */
const KEPT = 500;

/** A stored plan. */
export interface PlanRow {
  readonly number: number;
  readonly mode: string;
  readonly strategy: string | null;
  readonly hash: string;
  readonly leader: string;
  readonly reason: string;
  /** JSON: the plan itself. */
  readonly body: string;
  /** Number of schedules, and how many of them changed hands. */
  readonly schedules: number;
  readonly moved: number;
  readonly writtenAt: number;
  /** When all masters had adopted it; null until then. */
  readonly adoptedAt: number | null;
}

const columns = `number, mode, strategy, hash, leader, reason, body, schedules, moved, written_at AS "writtenAt",
  adopted_at AS "adoptedAt"`;

/** The id of this database. */
export function* readStoreId(): Operation<string> {
  return (yield* row<{ id: string }>('SELECT id FROM store_identity'))?.id ?? '';
}

/** Number of enabled schedules. */
export function* countEnabled(): Operation<number> {
  return (
    (yield* row<{ count: number }>('SELECT count(*) AS count FROM schedule WHERE enabled = 1'))?.count ?? 0
  );
}

/** Ids of the enabled schedules at these ranks, counted from 1 by id; fewer if there are fewer schedules. */
export function* idsAtRanks({ ranks }: { readonly ranks: readonly number[] }): Operation<readonly number[]> {
  if (ranks.length === 0) return [];
  const ranked = 'SELECT id, row_number() OVER (ORDER BY id) AS rank FROM schedule WHERE enabled = 1';
  const found = yield* rows<{ id: number }>(
    {
      sqlite: `SELECT id FROM (${ranked}) WHERE rank IN (SELECT value FROM json_each(?1)) ORDER BY id`,
      postgres: `SELECT id FROM (${ranked}) r WHERE rank IN (SELECT value::int8 FROM json_array_elements_text(?1::json)) ORDER BY id`,
    },
    JSON.stringify(ranks),
  );
  return found.map(({ id }) => id);
}

/**
 * Number of enabled schedules with an id up to each of these ascending cuts. Rejected: one pass with a sum over
 * schedules and cuts in order, which sorts all of them (on PostgreSQL, 100,000 schedules and 200 cuts: 150 to 240 ms
 * beside 70 to 117).
 */
export function* countUpTo({ cuts }: { readonly cuts: readonly number[] }): Operation<readonly number[]> {
  if (cuts.length === 0) return [];
  const types = ['int', 'int'] as const;
  const between = (above: string, upTo: string) =>
    `SELECT ${upTo} AS cut, count(*) AS count FROM schedule WHERE enabled = 1 AND id > ${above} AND id <= ${upTo}`;
  const { rows: found } = yield* batch<{ cut: number; count: number }>(
    {
      sqlite: between('?1', '?2'),
      postgres: `SELECT x.* FROM ${unnest(types)} AS k(above, upto) CROSS JOIN LATERAL (${between('k.above', 'k.upto')}) x`,
    },
    types,
    cuts.map((cut, k) => [cuts[k - 1] ?? Number.MIN_SAFE_INTEGER, cut]),
  );
  const counts = new Map(found.map(({ cut, count }) => [cut, count]));
  let sum = 0;
  return cuts.map((cut) => {
    sum += counts.get(cut) ?? 0;
    return sum;
  });
}

/** Ids of enabled schedules in order, one page. */
export function* enabledIds(input: {
  readonly after: number;
  readonly limit: number;
}): Operation<readonly number[]> {
  const found = yield* rows<{ id: number }>(
    'SELECT id FROM schedule WHERE enabled = 1 AND id > ?1 ORDER BY id LIMIT ?2',
    input.after,
    input.limit,
  );
  return found.map(({ id }) => id);
}

/** Records a plan, unless it is recorded already: a new leader records its predecessor's plan again. */
export function* recordPlan(input: {
  readonly self: Self;
  readonly plan: Omit<PlanRow, 'adoptedAt'>;
}): Operation<void> {
  const { self, plan } = input;
  yield* checkSelf(self);
  const before = yield* row<{ leader: string }>(
    'SELECT leader FROM plan WHERE number < ?1 ORDER BY number DESC LIMIT 1',
    plan.number,
  );
  const recorded = yield* change(
    `INSERT INTO plan (number, mode, strategy, hash, leader, reason, body, schedules, moved, written_at)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) ON CONFLICT (number) DO NOTHING`,
    plan.number,
    plan.mode,
    plan.strategy,
    plan.hash,
    plan.leader,
    plan.reason,
    plan.body,
    plan.schedules,
    plan.moved,
    plan.writtenAt,
  );
  if (recorded > 0 && before && before.leader !== plan.leader) {
    const text = `${plan.leader} leads after ${before.leader}: ${plan.reason}`;
    yield* raise(self, [clusterAlert('leader-changed', plan.leader, text)], plan.writtenAt);
  }
  yield* rows('DELETE FROM plan WHERE number <= ?1', plan.number - KEPT);
}

/** Records that all masters have adopted a plan. */
export function* endReshard(input: {
  readonly self: Self;
  readonly number: number;
  readonly now: number;
}): Operation<void> {
  yield* checkSelf(input.self);
  yield* rows(
    'UPDATE plan SET adopted_at = ?2 WHERE number = ?1 AND adopted_at IS NULL',
    input.number,
    input.now,
  );
}

/** Plans, newest first; `before` is the last of the previous page. */
export function* listPlans(input: {
  readonly before?: number;
  readonly limit: number;
}): Operation<readonly PlanRow[]> {
  return yield* rows<PlanRow>(
    `SELECT ${columns} FROM plan WHERE number < ?1 ORDER BY number DESC LIMIT ?2`,
    input.before ?? Number.MAX_SAFE_INTEGER,
    input.limit,
  );
}
