/**
 * The feed of changes, for live clients. Each writer numbers its own events in the transaction that makes
 * them true, so numbers follow its commit order without gaps; a position is the last number seen of every
 * writer. The events of one commit are one row, under the number of its last event (`packed-events.ts`). A
 * node that joins again is a new writer, and the previous one commits nothing after that. So a position that
 * covers all of the previous writer names only the later one, and does not grow with every restart. The
 * README lists the events.
 */
import { batch, change, dialect, type Operation, row, rows } from '../../operation.ts';
import { insert, unnest } from '../../table.ts';
import { eventTable } from '../../tables.ts';
import type { Self } from '../cluster/self.ts';
import { expandTicks, TICKS } from '../ticks/ticks-event.ts';
import { expandEvents, MOST_PACKED, type PackedEvent, packEvents, type SEVERAL } from './packed-events.ts';

/** A change. `revision` increases with each change of a thing: of two events the larger is newer. */
export interface FeedEvent {
  readonly topic:
    | 'run'
    | 'workflow'
    | 'draft'
    | 'schedule'
    | 'project'
    | 'limit'
    | 'node'
    | 'worker'
    | 'alert'
    | 'bulk'
    | 'access'
    /** The ticks of one commit; readers get them expanded. */
    | typeof TICKS
    /** Several events of one commit; readers get them expanded. */
    | typeof SEVERAL;
  /** Id of the thing; 0 if it has a name instead, which is in the body. */
  readonly subject: number;
  readonly revision: number;
  /** JSON. */
  readonly body: string;
}

/** A change as readers get it. */
export interface ReadEvent extends FeedEvent {
  readonly createdAt: number;
}

interface StoredEvent extends ReadEvent {
  readonly node: string;
  readonly epoch: number;
  readonly n: number;
}

/** A reader's position: the last number of each writer, by writer name. */
export type FeedPosition = Readonly<Record<string, number>>;

interface Writer {
  readonly node: string;
  readonly epoch: number;
  readonly newest: number;
}

const nameOf = ({ node, epoch }: { node: string; epoch: number }) => `${epoch}@${node}`;

/** The appending writer: a node, or `null` for an API or a person's command, which has no epoch. */
export type FeedWriter = Self | null;

/** Writer name of those without an epoch; no node has it. */
const ANYONE = '';

/**
 * Number of counters for writers without an epoch, chosen by connection. A writer locks its counter until the
 * commit, so a single counter would make all APIs of a cluster wait for each other.
 */
const COUNTERS = 16;

/**
 * Suffix of the writer name of a node's second connection. With a counter of its own, neither connection
 * waits for the other's commit. No node name ends like this.
 */
export const SECOND_LINE = '#2';

const count =
  'ON CONFLICT (node, epoch) DO UPDATE SET newest = feed_writer.newest + excluded.newest RETURNING node, epoch, newest';

/** Appends events of this writer in commit order: its counter is locked until the commit. */
export function* appendEvents(
  writer: FeedWriter,
  events: readonly FeedEvent[],
  now: number,
): Operation<void> {
  if (events.length === 0) return;
  const packed = packEvents(events);
  if ((yield* dialect()) === 'postgres') return yield* appendAtOnce(writer, packed, events.length, now);
  const counted = yield* row<Writer>(
    `INSERT INTO feed_writer (node, epoch, newest) VALUES (?1, ?2, ?3) ${count}`,
    writer?.node ?? ANYONE,
    writer?.epoch ?? 0,
    events.length,
  );
  if (!counted) return;
  const { node, epoch, newest } = counted;
  const before = newest - events.length;
  yield* insert(
    eventTable,
    packed.map(({ last, ...event }) => ({ node, epoch, n: before + last, ...event, created_at: now })),
  );
}

/** Numbers and appends in one statement, which saves a tenth of a small commit. */
function* appendAtOnce(
  writer: FeedWriter,
  packed: readonly PackedEvent[],
  events: number,
  now: number,
): Operation<void> {
  const types = ['text', 'int', 'int', 'int', 'text', 'int', 'int', 'text', 'int'] as const;
  yield* batch(
    {
      sqlite: '',
      postgres: `WITH counted AS (
          INSERT INTO feed_writer (node, epoch, newest)
          VALUES ((?1::text[])[1] || current_setting('orrery.line'), COALESCE((?2::int8[])[1], pg_backend_pid() % ${COUNTERS}), (?3::int8[])[1]) ${count})
        INSERT INTO event (node, epoch, n, topic, subject, revision, body, created_at)
        SELECT c.node, c.epoch, c.newest - k.events + k.last, k.topic, k.subject, k.revision, k.body, k.at
        FROM counted c, ${unnest(types)} AS k(node, epoch, events, last, topic, subject, revision, body, at)`,
    },
    types,
    packed.map(({ last, topic, subject, revision, body }) => [
      writer?.node ?? ANYONE,
      writer?.epoch ?? null,
      events,
      last,
      topic,
      subject,
      revision,
      body,
      now,
    ]),
  );
}

/**
 * Events after a position, in order per writer, and the position after them; without a position, the current
 * end of the feed. `resync`: the position is older than the stored feed, so the reader must read again
 * everything it shows.
 */
export function* readFeed(input: {
  readonly position?: FeedPosition;
  /**
   * Limit of events per writer, plus those of the same commit. A total below it means that there are no more.
   */
  readonly limit: number;
}): Operation<{ events: readonly ReadEvent[]; position: FeedPosition; resync: boolean }> {
  const writers = yield* rows<Writer>('SELECT node, epoch, newest FROM feed_writer ORDER BY node, epoch');
  const { position = positionOf(writers), limit } = input;
  const known = new Set(writers.map(nameOf));
  const isSucceeded = successionIn(position);
  const behind = writers.filter((writer) => {
    const seen = position[nameOf(writer)] ?? (isSucceeded(writer) ? writer.newest : 0);
    return writer.newest > seen;
  });
  const types = ['text', 'int', 'int', 'int'] as const;
  const columns = 'e.node, e.epoch, e.n, e.topic, e.subject, e.revision, e.body, e.created_at AS "createdAt"';
  // No row has more events than this, so the range includes at least the next row.
  const reach = limit + MOST_PACKED;
  const { rows: stored } = yield* batch<StoredEvent>(
    {
      sqlite: `SELECT ${columns} FROM event e WHERE node = ?1 AND epoch = ?2 AND n > ?3 AND n < ?3 + ?4 ORDER BY n`,
      postgres: `SELECT ${columns} FROM ${unnest(types)} AS k(node, epoch, n, reach), LATERAL (
        SELECT * FROM event WHERE node = k.node AND epoch = k.epoch AND n > k.n AND n < k.n + k.reach ORDER BY n) e`,
    },
    types,
    behind.map((writer) => [writer.node, writer.epoch, position[nameOf(writer)] ?? 0, reach]),
  );
  const reached: Record<string, number> = { ...position };
  const events: ReadEvent[] = [];
  let gap = Object.keys(position).some((name) => !known.has(name));
  for (const { node, epoch, n, createdAt, ...event } of stored) {
    const name = nameOf({ node, epoch });
    if ((reached[name] ?? 0) - (position[name] ?? 0) >= limit) continue;
    const expanded = expandEvents(event);
    gap ||= n - expanded.length !== (reached[name] ?? 0);
    reached[name] = n;
    for (const one of expanded) {
      if (one.topic !== TICKS) events.push({ ...one, createdAt });
      else events.push(...expandTicks(one.body).map((tick) => ({ ...tick, createdAt })));
    }
  }
  gap ||= behind.some((writer) => (reached[nameOf(writer)] ?? 0) === (position[nameOf(writer)] ?? 0));
  if (gap) return { events: [], position: positionOf(writers), resync: true };
  return { events, position: withoutSucceeded(reached, writers), resync: false };
}

/**
 * Deletes events older than `before`, and all but the newest `most` of each writer, a few per writer; returns
 * how many.
 */
export function* sweepEvents({
  before,
  most = Number.MAX_SAFE_INTEGER,
  limit,
}: {
  readonly before: number;
  readonly most?: number;
  readonly limit: number;
}): Operation<number> {
  const writers = yield* rows<Writer>('SELECT node, epoch, newest FROM feed_writer');
  let swept = 0;
  for (const { node, epoch, newest } of writers) {
    // The lowest numbers are the oldest. An index by age would be paid for by every event.
    swept += yield* change(
      `DELETE FROM event WHERE (node, epoch, n) IN (SELECT node, epoch, n FROM (
         SELECT node, epoch, n, created_at FROM event WHERE node = ?1 AND epoch = ?2 ORDER BY n LIMIT ?4) first
         WHERE created_at < ?3 OR n <= ?5)`,
      node,
      epoch,
      before,
      limit,
      newest - most,
    );
  }
  // A finished writer is deleted with its last event. Shared writers are never finished: a counter must not
  // restart.
  yield* change(
    `DELETE FROM feed_writer WHERE node <> '${ANYONE}' AND NOT EXISTS (
         SELECT 1 FROM event e WHERE e.node = feed_writer.node AND e.epoch = feed_writer.epoch)
       AND NOT EXISTS (SELECT 1 FROM node WHERE node.epoch = feed_writer.epoch AND node.fenced = 0
         AND feed_writer.node IN (node.id, node.id || '${SECOND_LINE}'))`,
  );
  return swept;
}

/** The position after all events. */
function positionOf(writers: readonly Writer[]): FeedPosition {
  return withoutSucceeded(
    Object.fromEntries(writers.map((writer) => [nameOf(writer), writer.newest])),
    writers,
  );
}

/**
 * Drops writers from a position that were read to their end and have a later writer of the same node in it.
 */
function withoutSucceeded(position: FeedPosition, writers: readonly Writer[]): FeedPosition {
  const isSucceeded = successionIn(position);
  const over = writers.filter(
    (writer) => isSucceeded(writer) && (position[nameOf(writer)] ?? 0) >= writer.newest,
  );
  const names = new Set(over.map(nameOf));
  return Object.fromEntries(Object.entries(position).filter(([name]) => !names.has(name)));
}

/** Whether a position has a later writer of the same node. Shared counters succeed nobody. */
function successionIn(position: FeedPosition): (writer: Writer) => boolean {
  const last = new Map<string, number>();
  for (const name of Object.keys(position)) {
    const at = name.indexOf('@');
    const [epoch, node] = [Number(name.slice(0, at)), name.slice(at + 1)];
    if (node !== ANYONE) last.set(node, Math.max(epoch, last.get(node) ?? 0));
  }
  return ({ node, epoch }) => (last.get(node) ?? 0) > epoch;
}
