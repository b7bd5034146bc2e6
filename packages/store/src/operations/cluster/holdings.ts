/**
 * Which master holds which schedule in claim mode: one row per enabled schedule, free while it has no holder.
 * A separate table, because a tick rewrites its schedule's row and would pay for the indexes on holders.
 */
import {
  type ClaimView,
  claimantOf,
  claimRoom,
  limitOf,
  type MasterLoad,
  type OwnershipSettings,
  shedCount,
  shouldAlarm,
  shouldClaim,
} from '@orrery/core/balance';
import { change, type Operation, rows, together } from '../../operation.ts';
import { asker, audit } from '../access/audit.ts';
import { clusterAlert, raise } from '../alerting/alerts.ts';
import { readOwnership } from './ownership.ts';
import { checkSelf, type Self } from './self.ts';

/** The holdings of masters, and their limits. */
export interface Holdings {
  readonly settings: OwnershipSettings;
  readonly revision: number;
  /** The live masters with their holdings; masters that claim nothing now are offline. */
  readonly view: ClaimView;
  /** Number of schedules without a holder. */
  readonly free: number;
}

/** Counts the holdings of each master. */
export function* readHoldings(): Operation<Holdings> {
  const [setting, nodes, counts] = yield* together(
    readOwnership(),
    rows<{ id: string; roles: string; draining: number; state: string }>(
      'SELECT id, roles, draining, state FROM node WHERE fenced = 0 ORDER BY id',
    ),
    rows<{ holder: string | null; count: number }>(
      'SELECT holder, count(*) AS count FROM holding GROUP BY holder',
    ),
  );
  const held = new Map(counts.map(({ holder, count }) => [holder, count]));
  const masters = nodes
    .filter(({ roles }) => roles.split(',').includes('master'))
    .map(({ id, draining, state }): MasterLoad => {
      const offline = draining === 1 || state !== 'acting';
      return { name: id, ...claimantOf(setting.value, id), held: held.get(id) ?? 0, offline };
    });
  const schedules = counts.reduce((sum, { count }) => sum + count, 0);
  return {
    settings: setting.value,
    revision: setting.revision,
    view: { schedules, masters },
    free: held.get(null) ?? 0,
  };
}

/** Result of a claim. */
export interface ClaimAnswer {
  /** Schedules claimed now. */
  readonly claimed: readonly number[];
  /** The master's holdings after the claim, its limit, and its alarm threshold. */
  readonly held: number;
  readonly limit: number;
  readonly alarmAbove: number;
  /** Schedules without a holder after the claim. */
  readonly free: number;
  /** Why it claimed none although some were free. */
  readonly refused: string | undefined;
}

/**
 * Advisory locks: a master's claims run one at a time, since two would count on the same room. Sheds count on
 * the room of others.
 */
const CLAIMS = 7_071_949;
const SHEDS = 7_071_950;

const NOT_CLAIMING = { yes: false, reason: 'masters claim nothing: ownership is by scope' };

const free = `SELECT schedule FROM holding WHERE holder IS NULL ORDER BY schedule LIMIT ?4`;

/**
 * Claims at most `most` free schedules, up to the master's even share or its limit, counted in the same
 * transaction. A claim that ends above the master's alarm threshold raises an alert.
 */
export function* claimSchedules(input: {
  readonly self: Self;
  readonly upTo: 'share' | 'limit';
  readonly most: number;
  readonly now: number;
}): Operation<ClaimAnswer> {
  const { self, upTo, most, now } = input;
  yield* checkSelf(self);
  yield* oneAtATime(CLAIMS, self.node);
  const { settings, view, free: unheld } = yield* readHoldings();
  const { alarmAbove } = claimantOf(settings, self.node);
  const verdict = settings.mode === 'claim' ? shouldClaim(view, self.node) : NOT_CLAIMING;
  const room = verdict.yes ? Math.min(most, unheld, claimRoom(view, self.node, upTo)) : 0;
  const claimed =
    room === 0
      ? []
      : yield* rows<{ schedule: number }>(
          {
            sqlite: `UPDATE holding SET holder = ?1, epoch = ?2, since = ?3 WHERE schedule IN (${free}) RETURNING schedule`,
            // Without MATERIALIZED the planner may run the list again for each row, with other rows each
            // time.
            postgres: `WITH free AS MATERIALIZED (${free} FOR UPDATE SKIP LOCKED)
              UPDATE holding h SET holder = ?1, epoch = ?2, since = ?3 FROM free WHERE h.schedule = free.schedule
              RETURNING h.schedule`,
          },
          self.node,
          self.epoch,
          now,
          room,
        );
  const masters = view.masters.map((one) =>
    one.name === self.node ? { ...one, held: one.held + claimed.length } : one,
  );
  const after = { ...view, masters };
  const alarm = shouldAlarm(after, self.node);
  if (claimed.length > 0 && alarm.yes) {
    const text = `${alarm.reason}: add a master, or raise its threshold`;
    yield* raise(self, [clusterAlert('claim-alarm', self.node, text)], now);
  }
  return {
    claimed: claimed.map(({ schedule }) => schedule),
    held: masters.find(({ name }) => name === self.node)?.held ?? 0,
    limit: limitOf(after, self.node),
    alarmAbove,
    free: unheld - claimed.length,
    refused: claimed.length > 0 || unheld === 0 ? undefined : verdict.reason,
  };
}

/**
 * Sheds schedules above the master's limit while another master would be less loaded with them: those due
 * last, and none due now. Sheds nothing while a schedule is free or no master could take it.
 */
export function* shedSchedules(input: {
  readonly self: Self;
  readonly most: number;
  readonly now: number;
}): Operation<{ readonly shed: readonly number[] }> {
  const { self, most, now } = input;
  yield* checkSelf(self);
  yield* oneAtATime(SHEDS, '');
  const { settings, view, free: unheld } = yield* readHoldings();
  if (settings.mode !== 'claim' || unheld > 0) return { shed: [] };
  const count = shedCount(view, self.node, most);
  if (count === 0) return { shed: [] };
  const shed = yield* rows<{ schedule: number }>(
    `UPDATE holding SET holder = NULL, epoch = NULL, since = ?3 WHERE schedule IN (
       SELECT h.schedule FROM holding h JOIN schedule s ON s.id = h.schedule
       WHERE h.holder = ?1 AND h.epoch = ?2 AND (s.next_due IS NULL OR s.next_due > ?3)
       ORDER BY COALESCE(s.next_due, ${Number.MAX_SAFE_INTEGER}) DESC, h.schedule LIMIT ?4) RETURNING schedule`,
    self.node,
    self.epoch,
    now,
    count,
  );
  return { shed: shed.map(({ schedule }) => schedule) };
}

/**
 * Repairs what no event reported: adds a free row for each enabled schedule without one, deletes rows of
 * other schedules, and removes dead holders. Returns the number of changed rows.
 */
export function* alignHoldings({ now }: { readonly now: number }): Operation<number> {
  const gone = yield* change(
    'DELETE FROM holding WHERE schedule IN (SELECT h.schedule FROM holding h LEFT JOIN schedule s ON s.id = h.schedule AND s.enabled = 1 WHERE s.id IS NULL)',
  );
  const missing = yield* change(
    `INSERT INTO holding (schedule, since) SELECT s.id, ?1 FROM schedule s LEFT JOIN holding h ON h.schedule = s.id
     WHERE s.enabled = 1 AND h.schedule IS NULL ON CONFLICT DO NOTHING`,
    now,
  );
  const orphaned = yield* change(
    `UPDATE holding SET holder = NULL, epoch = NULL, since = ?1 WHERE holder IS NOT NULL AND NOT EXISTS (
       SELECT 1 FROM node n WHERE n.id = holding.holder AND n.epoch = holding.epoch AND n.fenced = 0)`,
    now,
  );
  const repaired = gone + missing + orphaned;
  // Audited only on request: masters repair by themselves regularly.
  if (yield* asker()) yield* audit('system', 'ownership.claim', 'schedules', { repaired }, now);
  return repaired;
}

/** A schedule by name and its holder; null while it is free. */
export interface HoldingRow {
  readonly schedule: number;
  readonly project: string;
  readonly workflow: string;
  readonly name: string;
  readonly holder: string | null;
  /** Since when it has this holder, or none. */
  readonly since: number;
}

/** Schedules held by one master, or all, by id; `after` is the last of the previous page. */
export function* listHoldings(input: {
  readonly holder?: string;
  readonly after?: number;
  readonly limit: number;
}): Operation<readonly HoldingRow[]> {
  const { holder, after = 0, limit } = input;
  return yield* rows<HoldingRow>(
    `SELECT h.schedule, w.project, w.name AS workflow, s.name, h.holder, h.since
     FROM holding h JOIN schedule s ON s.id = h.schedule JOIN workflow w ON w.id = s.workflow
     WHERE h.schedule > ?1 ${holder === undefined ? '' : 'AND h.holder = ?3'} ORDER BY h.schedule LIMIT ?2`,
    after,
    limit,
    ...(holder === undefined ? [] : [holder]),
  );
}

/** Ids of a master's own holdings, in pages. */
export function* readHeld(input: {
  readonly holder: string;
  readonly after: number;
  readonly limit: number;
}): Operation<readonly number[]> {
  const found = yield* rows<{ schedule: number }>(
    'SELECT schedule FROM holding WHERE holder = ?1 AND schedule > ?2 ORDER BY schedule LIMIT ?3',
    input.holder,
    input.after,
    input.limit,
  );
  return found.map(({ schedule }) => schedule);
}

/** Frees a node's holdings up to an epoch, in the transaction that ends or drains it; returns how many. */
export function* freeHoldings({ node, epoch }: Self, now: number): Operation<number> {
  return yield* change(
    'UPDATE holding SET holder = NULL, epoch = NULL, since = ?3 WHERE holder = ?1 AND epoch <= ?2',
    node,
    epoch,
    now,
  );
}

/** Aligns the row of a changed schedule: an enabled one has a row and keeps its holder, others have none. */
export function* alignHolding(schedule: number, enabled: boolean, now: number): Operation<void> {
  if (enabled)
    yield* change(
      'INSERT INTO holding (schedule, since) VALUES (?1, ?2) ON CONFLICT DO NOTHING',
      schedule,
      now,
    );
  else yield* change('DELETE FROM holding WHERE schedule = ?1', schedule);
}

/** PostgreSQL only: SQLite has a single writer. */
function* oneAtATime(what: number, who: string): Operation<void> {
  yield* rows(
    {
      sqlite: 'SELECT ?1, ?2',
      postgres: 'SELECT pg_advisory_xact_lock(?1::int4, hashtext(?2::text))',
    },
    what,
    who,
  );
}
