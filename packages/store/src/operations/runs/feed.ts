/**
 * The feed: what changed, for those who watch. Each writer counts its own events in the transaction that makes them
 * true, so its numbers are its order of commits, without gaps; a position is the last number seen of every writer.
 * A node that joins again is a new writer, and nothing of the one before is committed after that: a position that has
 * all of the one before names the later one alone, so that it does not grow with every restart.
 * The README lists what events there are.
 */
import { batch, change, dialect, type Operation, row, rows } from '../../operation.ts';
import { insert, unnest } from '../../table.ts';
import { eventTable } from '../../tables.ts';
import type { Self } from '../cluster/self.ts';
import { expandTicks, TICKS } from '../ticks/ticks-event.ts';

/** Something that changed. `revision` grows with each change of a thing: of two events the larger is the newer. */
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
    | typeof TICKS;
  /** The thing's id; 0 where it has a name instead, which is in the body. */
  readonly subject: number;
  readonly revision: number;
  /** JSON. */
  readonly body: string;
}

/** Something that changed, as a reader gets it. */
export interface ReadEvent extends FeedEvent {
  readonly createdAt: number;
}

/** How far a reader has come: the last number of each writer, by a name for the writer. */
export type FeedPosition = Readonly<Record<string, number>>;

interface Writer {
  readonly node: string;
  readonly epoch: number;
  readonly newest: number;
}

const nameOf = ({ node, epoch }: { node: string; epoch: number }) => `${epoch}@${node}`;

/** Who appends: a node, or nobody in particular (`null`): an api or a person's command, which has no epoch. */
export type FeedWriter = Self | null;

/** The name under which those without an epoch are counted; no node has it. */
const ANYONE = '';

/**
 * Counters for those without an epoch, chosen by connection: whoever counts holds its counter until the commit, so
 * one counter for all would make every api of a cluster wait for the others.
 */
const COUNTERS = 16;

/**
 * What the name of a writer ends with that is the second connection of a node: a counter of its own, so that neither
 * connection waits for the commit of the other. No node has such a name.
 */
export const SECOND_LINE = '#2';

const count =
  'ON CONFLICT (node, epoch) DO UPDATE SET newest = feed_writer.newest + excluded.newest RETURNING node, epoch, newest';

/** Appends events of this writer, in the order of commits: its counter is locked until then. */
export function* appendEvents(
  writer: FeedWriter,
  events: readonly FeedEvent[],
  now: number,
): Operation<void> {
  if (events.length === 0) return;
  if ((yield* dialect()) === 'postgres') return yield* appendAtOnce(writer, events, now);
  const counted = yield* row<Writer>(
    `INSERT INTO feed_writer (node, epoch, newest) VALUES (?1, ?2, ?3) ${count}`,
    writer?.node ?? ANYONE,
    writer?.epoch ?? 0,
    events.length,
  );
  if (!counted) return;
  const { node, epoch, newest } = counted;
  yield* insert(
    eventTable,
    events.map(({ topic, subject, revision, body }, k) => ({
      node,
      epoch,
      n: newest - events.length + 1 + k,
      topic,
      subject,
      revision,
      body,
      created_at: now,
    })),
  );
}

/** Counts and appends in one statement: a tenth of a small commit is saved. */
function* appendAtOnce(writer: FeedWriter, events: readonly FeedEvent[], now: number): Operation<void> {
  const types = ['text', 'int', 'text', 'int', 'int', 'text', 'int'] as const;
  const length = 'cardinality(?1::text[])';
  yield* batch(
    {
      sqlite: '',
      postgres: `WITH counted AS (
          INSERT INTO feed_writer (node, epoch, newest)
          VALUES ((?1::text[])[1] || current_setting('orrery.line'), COALESCE((?2::int8[])[1], pg_backend_pid() % ${COUNTERS}), ${length}) ${count})
        INSERT INTO event (node, epoch, n, topic, subject, revision, body, created_at)
        SELECT c.node, c.epoch, c.newest - ${length} + k.place, k.topic, k.subject, k.revision, k.body, k.at
        FROM counted c, ${unnest(types)} WITH ORDINALITY AS k(node, epoch, topic, subject, revision, body, at, place)`,
    },
    types,
    events.map(({ topic, subject, revision, body }) => [
      writer?.node ?? ANYONE,
      writer?.epoch ?? null,
      topic,
      subject,
      revision,
      body,
      now,
    ]),
  );
}

/**
 * The events after a position, in order per writer, and the position after them; without one, where the feed stands
 * now. `resync`: the position is older than what is kept, so the reader must read afresh what it shows.
 */
export function* readFeed(input: {
  readonly position?: FeedPosition;
  /** Events of one writer at most. */
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
  const { rows: events } = yield* batch<ReadEvent & { node: string; epoch: number; n: number }>(
    {
      sqlite: `SELECT ${columns} FROM event e WHERE node = ?1 AND epoch = ?2 AND n > ?3 ORDER BY n LIMIT ?4`,
      postgres: `SELECT ${columns} FROM ${unnest(types)} AS k(node, epoch, n, most), LATERAL (
        SELECT * FROM event WHERE node = k.node AND epoch = k.epoch AND n > k.n ORDER BY n LIMIT k.most) e`,
    },
    types,
    behind.map((writer) => [writer.node, writer.epoch, position[nameOf(writer)] ?? 0, limit]),
  );
  const reached: Record<string, number> = { ...position };
  let gap = Object.keys(position).some((name) => !known.has(name));
  for (const event of events) {
    const name = nameOf(event);
    gap ||= event.n !== (reached[name] ?? 0) + 1;
    reached[name] = event.n;
  }
  gap ||= behind.some((writer) => (reached[nameOf(writer)] ?? 0) === (position[nameOf(writer)] ?? 0));
  if (gap) return { events: [], position: positionOf(writers), resync: true };
  return {
    events: events.flatMap(({ node, epoch, n, ...event }) =>
      event.topic === TICKS
        ? expandTicks(event.body).map((one) => ({ ...one, createdAt: event.createdAt }))
        : [event],
    ),
    position: withoutSucceeded(reached, writers),
    resync: false,
  };
}

/** Drops events older than `before`, and all but the newest `most` of each writer, a little of each; how many went. */
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
    // The first by number are the oldest, so no index by age is needed, which every event would pay for.
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
  // A writer that is over goes with its last event. The shared ones are never over: a counter must not begin again.
  yield* change(
    `DELETE FROM feed_writer WHERE node <> '${ANYONE}' AND NOT EXISTS (
         SELECT 1 FROM event e WHERE e.node = feed_writer.node AND e.epoch = feed_writer.epoch)
       AND NOT EXISTS (SELECT 1 FROM node WHERE node.epoch = feed_writer.epoch AND node.fenced = 0
         AND feed_writer.node IN (node.id, node.id || '${SECOND_LINE}'))`,
  );
  return swept;
}

/** The position after everything. */
function positionOf(writers: readonly Writer[]): FeedPosition {
  return withoutSucceeded(
    Object.fromEntries(writers.map((writer) => [nameOf(writer), writer.newest])),
    writers,
  );
}

/** A position without the writers that were read to their end and have a later one of their node in it. */
function withoutSucceeded(position: FeedPosition, writers: readonly Writer[]): FeedPosition {
  const isSucceeded = successionIn(position);
  const over = writers.filter(
    (writer) => isSucceeded(writer) && (position[nameOf(writer)] ?? 0) >= writer.newest,
  );
  const names = new Set(over.map(nameOf));
  return Object.fromEntries(Object.entries(position).filter(([name]) => !names.has(name)));
}

/** Tells whether a position has a later writer of the same node. The counters that are shared succeed nobody. */
function successionIn(position: FeedPosition): (writer: Writer) => boolean {
  const last = new Map<string, number>();
  for (const name of Object.keys(position)) {
    const at = name.indexOf('@');
    const [epoch, node] = [Number(name.slice(0, at)), name.slice(at + 1)];
    if (node !== ANYONE) last.set(node, Math.max(epoch, last.get(node) ?? 0));
  }
  return ({ node, epoch }) => (last.get(node) ?? 0) > epoch;
}
