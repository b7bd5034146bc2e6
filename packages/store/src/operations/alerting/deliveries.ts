/**
 * Deliveries: messages on their way to channels. A master leases one, sends it and records the answer. If the
 * lease ends without an answer, the delivery is retried and marked as a possible duplicate.
 *
 * waiting -> (leased -> waiting again) -> sent | failed
 */
import { batch, change, type Operation, rows } from '../../operation.ts';
import { readOr } from '../../stored.ts';
import { unnest } from '../../table.ts';
import { audit } from '../access/audit.ts';
import { readStoreId } from '../cluster/plans.ts';
import { checkSelf, type Self } from '../cluster/self.ts';
import { raise } from './alerts.ts';
import { type AlertMessage, writeDeliveries } from './groups.ts';
import { EVERYWHERE, listAlertChannels, type StoredChannel } from './settings.ts';

/** A delivery to try now. */
export interface LeasedDelivery {
  readonly id: number;
  /** Start of the database's id: ids of messages are unique among all clusters that share a receiver. */
  readonly origin: string;
  readonly project: string;
  readonly channel: string;
  /** Settings of the channel; undefined if it was deleted. */
  readonly to: StoredChannel | undefined;
  readonly message: AlertMessage;
  /** Number of this try. */
  readonly tries: number;
  /** Whether an earlier try may have arrived. */
  readonly doubled: boolean;
}

/** Result of a try. */
export interface TryResult {
  readonly id: number;
  readonly number: number;
  readonly state: 'sent' | 'failed' | 'again';
  /** The receiver's answer. */
  readonly answer: string;
  readonly took: number;
  /** When to retry; absent if there is no retry. */
  readonly nextTry?: number;
  /** Whether the answer was lost, so that the message may have arrived. */
  readonly unsure?: boolean;
  /** Name of the channel, for metrics. */
  readonly channel?: string;
  /** Why the channel is permanently gone and gets disabled. */
  readonly disable?: string;
}

/** A delivery as shown to people. */
export interface DeliveryRow {
  readonly id: number;
  readonly group: number | null;
  readonly project: string;
  readonly channel: string;
  readonly message: AlertMessage;
  readonly state: 'waiting' | 'sent' | 'failed';
  readonly createdAt: number;
  readonly tries: number;
  readonly nextTry: number | null;
  readonly doubled: number;
  readonly endedAt: number | null;
  readonly answer: string | null;
}

/** A try as shown to people. */
export interface TryRow {
  readonly number: number;
  readonly at: number;
  readonly node: string;
  readonly took: number | null;
  readonly state: string;
  readonly answer: string | null;
}

/** Due deliveries considered for one lease call. */
const MOST_LOOKED_AT = 500;

/**
 * Leases due deliveries until a time. With `perChannel`, no channel has more than that many in flight,
 * including those in `sending`: otherwise one unresponsive channel would delay all others.
 */
export function* leaseDeliveries(input: {
  readonly self: Self;
  readonly limit: number;
  readonly perChannel?: number;
  readonly sending?: Readonly<Record<string, number>>;
  readonly until: number;
  readonly now: number;
}): Operation<LeasedDelivery[]> {
  const { self, until, now } = input;
  yield* checkSelf(self);
  const chosen = yield* chooseDue(input);
  if (chosen.length === 0) return [];
  const lease = `UPDATE delivery SET tries = tries + 1, next_try = ?2, lease_by = ?3,
    doubled = CASE WHEN lease_by IS NULL THEN doubled ELSE 1 END
    WHERE id IN (SELECT CAST(value AS BIGINT) FROM `;
  const returned = 'RETURNING id, project, channel, body, tries, doubled';
  const found = yield* rows<{
    id: number;
    project: string;
    channel: string;
    body: string;
    tries: number;
    doubled: number;
  }>(
    {
      sqlite: `${lease} json_each(?1)) ${returned}`,
      postgres: `${lease} jsonb_array_elements_text(CAST(?1 AS jsonb))) ${returned}`,
    },
    JSON.stringify(chosen),
    until,
    self.node,
  );
  yield* batch(
    {
      sqlite: `INSERT INTO delivery_try (delivery, number, at, node, state) VALUES (?1, ?2, ?3, ?4, 'sending')`,
      postgres: `INSERT INTO delivery_try (delivery, number, at, node, state)
        SELECT d, n, a, s, 'sending' FROM ${unnest(tryTypes)} AS k(d, n, a, s)`,
    },
    tryTypes,
    found.map(({ id, tries }) => [id, tries, now, self.node]),
  );
  const channels = yield* listAlertChannels();
  const origin = (yield* readStoreId()).slice(0, 8);
  const find = (project: string, name: string) =>
    channels.find((one) => one.name === name && one.project === project) ??
    channels.find((one) => one.name === name && one.project === EVERYWHERE);
  return found
    .map(({ body, doubled, ...rest }) => ({
      ...rest,
      origin,
      doubled: doubled === 1,
      message: readOr(body, {} as AlertMessage),
      to: find(rest.project, rest.channel),
    }))
    .sort((a, b) => a.id - b.id);
}

/** Chooses the deliveries to lease: the longest due, of channels with room. */
function* chooseDue(input: Parameters<typeof leaseDeliveries>[0]): Operation<number[]> {
  const { limit, perChannel = limit, sending = {}, now } = input;
  const full = Object.keys(sending).filter((channel) => sending[channel] >= perChannel);
  const places = full.map((_, k) => `?${k + 3}`).join(', ');
  const due = `SELECT id, channel FROM delivery WHERE next_try <= ?1
    ${full.length === 0 ? '' : `AND channel NOT IN (${places})`} ORDER BY next_try, id LIMIT ?2`;
  const found = yield* rows<{ id: number; channel: string }>(
    { sqlite: due, postgres: `${due} FOR UPDATE SKIP LOCKED` },
    now,
    Math.max(limit, MOST_LOOKED_AT),
    ...full,
  );
  const taken = new Map(Object.entries(sending));
  const chosen: number[] = [];
  for (const { id, channel } of found) {
    const count = taken.get(channel) ?? 0;
    if (count >= perChannel || chosen.length >= limit) continue;
    taken.set(channel, count + 1);
    chosen.push(id);
  }
  return chosen;
}

const tryTypes = ['int', 'int', 'int', 'text'] as const;

/** Records the results of tries. If a delivery was leased again since, only the try itself is recorded. */
export function* recordTries(input: {
  readonly self: Self;
  readonly results: readonly TryResult[];
  readonly now: number;
}): Operation<void> {
  const { self, results, now } = input;
  yield* checkSelf(self);
  for (const { id, number, state, answer, took, nextTry, unsure, disable } of results) {
    yield* change(
      'UPDATE delivery_try SET took = ?3, state = ?4, answer = ?5 WHERE delivery = ?1 AND number = ?2',
      id,
      number,
      took,
      state,
      answer,
    );
    const found = yield* rows<{ project: string; channel: string; group: number | null }>(
      `UPDATE delivery SET state = ?3, next_try = ?4, lease_by = NULL, answer = ?5, ended_at = ?6,
         doubled = CASE WHEN ?7 = 1 THEN 1 ELSE doubled END
       WHERE id = ?1 AND tries = ?2 AND state = 'waiting' RETURNING project, channel, group_id AS "group"`,
      id,
      number,
      state === 'again' ? 'waiting' : state,
      state === 'again' ? (nextTry ?? now) : null,
      answer,
      state === 'again' ? null : now,
      unsure ? 1 : 0,
    );
    if (found.length === 0) continue;
    const [{ project, channel, group }] = found;
    if (disable !== undefined)
      yield* change(
        // The channel in use: a project's own takes precedence over one of all projects.
        `UPDATE alert_channel SET disabled = ?3 WHERE name = ?2 AND project = CASE WHEN EXISTS (
           SELECT 1 FROM alert_channel c WHERE c.name = ?2 AND c.project = ?1) THEN ?1 ELSE '${EVERYWHERE}' END`,
        project,
        channel,
        disable,
      );
    // The failure of a message raises one message; the failure of that one raises none.
    if (state === 'failed' && group !== null && !(yield* isAboutDelivery(group)))
      yield* raise(self, [undelivered(project, channel, answer)], now);
  }
}

function undelivered(project: string, channel: string, answer: string) {
  const text = `a message to channel ${channel} could not be delivered: ${answer}`;
  const of = project === EVERYWHERE ? '' : project;
  return {
    kind: 'undelivered',
    workflow: 0,
    project: of,
    name: channel,
    run: null,
    text,
    from: null,
    to: null,
  } as const;
}

function* isAboutDelivery(group: number): Operation<boolean> {
  const found = yield* rows(
    `SELECT 1 FROM alert_subject WHERE group_id = ?1 AND kind = 'undelivered'`,
    group,
  );
  return found.length > 0;
}

/** Writes a test message to a channel; returns the delivery's id. */
export function* testAlertChannel(input: {
  readonly project: string;
  readonly channel: string;
  readonly message: AlertMessage;
  readonly now: number;
}): Operation<number> {
  const { project, channel, message, now } = input;
  const [id] = yield* writeDeliveries([{ project, channel, message }], now);
  yield* audit('system', 'alert-channel.test', `${project}/${channel}`, { delivery: id }, now);
  return id;
}

/** Retries a failed delivery; false if it has not failed. */
export function* retryDelivery(input: { readonly id: number; readonly now: number }): Operation<boolean> {
  const changed = yield* change(
    `UPDATE delivery SET state = 'waiting', next_try = ?2, ended_at = NULL WHERE id = ?1 AND state = 'failed'`,
    input.id,
    input.now,
  );
  if (changed > 0) yield* audit('system', 'delivery.retry', String(input.id), {}, input.now);
  return changed > 0;
}

const columns = `id, group_id AS "group", project, channel, body, state, created_at AS "createdAt", tries,
  next_try AS "nextTry", doubled, ended_at AS "endedAt", answer`;

/** Deliveries, newest first: all, those of a group, or those in a state. */
export function* listDeliveries(input: {
  readonly project?: string;
  readonly group?: number;
  readonly state?: DeliveryRow['state'];
  readonly before?: number;
  readonly limit: number;
}): Operation<DeliveryRow[]> {
  const { project, group, state, before = Number.MAX_SAFE_INTEGER, limit } = input;
  const found = yield* rows<Omit<DeliveryRow, 'message'> & { body: string }>(
    `SELECT ${columns} FROM delivery WHERE id < ?1 AND (CAST(?3 AS BIGINT) IS NULL OR group_id = ?3)
       AND (CAST(?4 AS TEXT) IS NULL OR state = ?4) AND (CAST(?5 AS TEXT) IS NULL OR project = ?5) ORDER BY id DESC LIMIT ?2`,
    before,
    limit,
    group ?? null,
    state ?? null,
    project ?? null,
  );
  return found.map(({ body, ...rest }) => ({ ...rest, message: readOr(body, {} as AlertMessage) }));
}

/** Undelivered messages: given up since a time, or still waiting. */
export interface Undelivered {
  readonly failed: number;
  readonly firstFailed: number | null;
  readonly lastFailed: number | null;
  /** Channel of the last one given up. */
  readonly channel: string | null;
  readonly answer: string | null;
  /** Since when the oldest waiting one waits; null if none waits. */
  readonly waitingSince: number | null;
}

/** Counts undelivered messages of all projects or one. */
export function* readUndelivered(input: {
  readonly since: number;
  readonly project?: string;
}): Operation<Undelivered> {
  const { since, project = null } = input;
  const of = '(CAST(?2 AS TEXT) IS NULL OR project = ?2)';
  const failed = `FROM delivery WHERE created_at >= ?1 AND state = 'failed' AND ${of}`;
  const last = (column: string) => `(SELECT ${column} ${failed} ORDER BY created_at DESC, id DESC LIMIT 1)`;
  const [found] = yield* rows<Undelivered>(
    `SELECT (SELECT count(*) ${failed}) AS failed, (SELECT min(ended_at) ${failed}) AS "firstFailed",
       (SELECT max(ended_at) ${failed}) AS "lastFailed", ${last('channel')} AS channel, ${last('answer')} AS answer,
       (SELECT min(created_at) FROM delivery WHERE next_try IS NOT NULL AND ${of}) AS "waitingSince"`,
    since,
    project,
  );
  return found;
}

/** The tries of a delivery, in order. */
export function* listTries({ delivery }: { readonly delivery: number }): Operation<readonly TryRow[]> {
  return yield* rows<TryRow>(
    'SELECT number, at, node, took, state, answer FROM delivery_try WHERE delivery = ?1 ORDER BY number',
    delivery,
  );
}
