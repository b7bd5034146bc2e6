/** Inboxes: messages of others to a run's owner, in order. */
import type { Parameters } from '@orrery/core/model';
import type { Control, Outcome } from '@orrery/core/run';
import { batch, type Operation, rows } from '../../operation.ts';
import { readJson } from '../../stored.ts';
import { insert } from '../../table.ts';
import { inboxTable } from '../../tables.ts';
import type { Self } from '../cluster/self.ts';

/** The previous owner of a run, and how and when its ownership ended. */
export interface LostOwner {
  readonly node: string;
  readonly epoch: number;
  readonly how: 'fenced' | 'joined-again' | 'left' | 'handed-over';
  readonly at: number;
}

/** A message to a run's owner. */
export type InboxMessage =
  | { readonly type: 'owner-lost'; readonly reason: string; readonly lost: LostOwner }
  | {
      readonly type: 'control';
      readonly control: Control;
      readonly by: string;
      /** It reopens a run that has ended, and holds the slots for that. */
      readonly admitted?: boolean;
      /** It is a stop that withdrew a rerun or a recovery of a run that has ended. */
      readonly tookBack?: boolean;
    }
  | {
      readonly type: 'outcome';
      readonly attempt: { readonly task: number; readonly shard: number; readonly number: number };
      readonly outcome: Outcome;
    }
  /** A worker executes it; sent only to a run without an owner. */
  | {
      readonly type: 'begun';
      readonly attempt: { readonly task: number; readonly shard: number; readonly number: number };
      readonly worker: string;
    }
  | {
      readonly type: 'child';
      readonly task: number;
      readonly round: number;
      readonly element: number;
      readonly run: number;
      readonly state: 'running' | 'paused' | 'success' | 'failed' | 'stopped';
      readonly outputs?: Parameters;
      /** Why it could not be started. */
      readonly reason?: string;
    }
  /** The run now holds the slots it waited for. */
  | { readonly type: 'admitted' }
  /** Something that a dependent task waits for may have happened. */
  | { readonly type: 'look'; readonly task: number; readonly round: number }
  /** Part of the run cannot be read or stored: it is set aside. */
  | { readonly type: 'unreadable'; readonly reason: string };

/** Parses a stored message. */
export function messageOf(body: string): InboxMessage {
  try {
    return readJson(body, 'something that it was told');
  } catch (error) {
    return { type: 'unreadable', reason: (error as Error).message };
  }
}

/** A run and its owner, who should get a hint about the inbox. */
export interface RunOwner {
  readonly run: number;
  readonly owner: string | null;
}

/** Appends messages, in the transaction that makes them true. */
export function* tell(
  messages: readonly { readonly run: number; readonly message: InboxMessage }[],
  now: number,
): Operation<void> {
  yield* insert(
    inboxTable,
    messages.map(({ run, message }) => ({ run, body: JSON.stringify(message), created_at: now })),
  );
}

/** Current owners of these runs; runs that do not exist are left out. */
export function* ownersOf(runs: readonly number[]): Operation<readonly RunOwner[]> {
  const { rows: found } = yield* batch<RunOwner>(
    {
      sqlite: 'SELECT id AS run, owner FROM run WHERE id = ?1',
      postgres: `SELECT id AS run, owner FROM run WHERE id = ANY (?1::int8[])`,
    },
    ['int'],
    [...new Set(runs)].map((run) => [run]),
  );
  return found;
}

/** Those of the runs that have messages in their inboxes. */
export function* toldAmong(runs: readonly number[]): Operation<readonly number[]> {
  const { rows: found } = yield* batch<{ run: number }>(
    {
      sqlite: 'SELECT run FROM inbox WHERE run = ?1 LIMIT 1',
      postgres: 'SELECT DISTINCT run FROM inbox WHERE run = ANY (?1::int8[])',
    },
    ['int'],
    runs.map((run) => [run]),
  );
  return found.map(({ run }) => run);
}

/** Deletes handled messages. */
export function* consume(list: readonly number[]): Operation<void> {
  yield* batch(
    {
      sqlite: 'DELETE FROM inbox WHERE seq = ?1',
      postgres: 'DELETE FROM inbox WHERE seq = ANY (?1::int8[])',
    },
    ['int'],
    list.map((seq) => [seq]),
  );
}

/** A message of a run's inbox. */
export interface ToldMessage {
  readonly run: number;
  readonly seq: number;
  readonly message: InboxMessage;
}

/**
 * Claims runs without an owner whose inbox has messages: those with the oldest messages, in any order. Each
 * run is looked up from its inbox: as a join, PostgreSQL started at all runs that ever ended.
 */
export function* claimInboxes({ node, epoch }: Self, limit: number): Operation<readonly number[]> {
  const told = 'SELECT run, min(seq) AS seq FROM inbox GROUP BY run';
  const claim = (chosen: string) =>
    `UPDATE run SET owner = ?1, owner_epoch = ?2, revision = revision + 1 WHERE id ${chosen} RETURNING id`;
  const claimed = yield* rows<{ id: number }>(
    {
      sqlite: claim(`IN (SELECT r.id FROM (${told}) i JOIN run r ON r.id = i.run WHERE r.owner IS NULL
        ORDER BY i.seq LIMIT ?3)`),
      postgres: claim(`= ANY (ARRAY(SELECT x.id FROM (${told} ORDER BY 2 OFFSET 0) i CROSS JOIN LATERAL (
        SELECT r.id FROM run r WHERE r.id = i.run AND r.owner IS NULL FOR UPDATE SKIP LOCKED) x LIMIT ?3))`),
    },
    node,
    epoch,
    limit,
  );
  return claimed.map(({ id }) => id);
}

/** Messages of the runs that a master owns, in order. */
export function* readInboxes({ node, epoch }: Self): Operation<ToldMessage[]> {
  const found = yield* rows<{ run: number; seq: number; body: string }>(
    `SELECT i.run, i.seq, i.body FROM inbox i
     WHERE (SELECT r.owner = ?1 AND r.owner_epoch = ?2 FROM run r WHERE r.id = i.run) ORDER BY i.seq LIMIT 1000`,
    node,
    epoch,
  );
  return found.map(({ run, seq, body }) => ({ run, seq, message: messageOf(body) }));
}
