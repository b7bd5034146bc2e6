/**
 * The wait lists of limits: the waiters, the next one to admit, and the waiters that must not be overtaken.
 */
import { fairOrder } from '@orrery/core/admit';
import { batch, change, type Operation, rows } from '../../operation.ts';
import { readOr } from '../../stored.ts';
import { unnest } from '../../table.ts';
import {
  type AttemptRef,
  inKeyOrder,
  isAmong,
  isKey,
  keyColumns,
  keyText,
  keyTypes,
  keyValues,
} from '../runs/attempt-key.ts';
import { type InboxMessage, tell } from '../runs/inbox.ts';
import { newNumbers } from '../runs/numbers.ts';
import type { ReadyRow } from '../runs/ready.ts';
import type { LimitNeed } from './limit-book.ts';
import { weightsOf } from './run-caps.ts';

/** A row of a wait list. */
export interface WaitRow extends AttemptRef {
  readonly name: string;
  readonly owner: string;
  readonly priority: number;
  readonly seq: number;
  /** The workflow, for a run: runs of one workflow are admitted in id order. */
  readonly workflow: number | null;
  /** JSON of a `WaitBody`. */
  readonly body: string;
}

/**
 * The needs of a waiter, and an attempt's token, or the message to a run; by default the message says that it
 * is admitted.
 */
export interface WaitBody {
  readonly needs: readonly LimitNeed[];
  readonly ready?: ReadyRow;
  readonly message?: InboxMessage;
}

/** The columns of a `WaitRow`. */
export const waitColumns = `name, owner, priority, seq, workflow, ${keyColumns}, body`;

/** A waiter's body; undefined if its row cannot be read. */
export function bodyOf({ body }: Pick<WaitRow, 'body'>): WaitBody | undefined {
  const read = readOr<Partial<WaitBody>>(body, {});
  return Array.isArray(read.needs) ? { ...read, needs: read.needs } : undefined;
}

/** The limit whose list to check after this run leaves its workflow's line: its first limit, or none. */
export function lineOf(waiter: Pick<WaitRow, 'name' | 'workflow' | 'body'>): string[] {
  if (waiter.workflow === null) return [];
  const [first] = bodyOf(waiter)?.needs ?? [waiter];
  return first ? [first.name] : [];
}

/** Removes an unreadable row from its list; its run gets a message and will be set aside. */
export function* setWaiterAside(waiter: WaitRow, now: number): Operation<void> {
  const gone = yield* change(`DELETE FROM limit_wait WHERE ${isKey}`, ...keyValues(waiter));
  if (gone === 0) return;
  const reason = `what it needs of ${waiter.name} cannot be read`;
  yield* tell([{ run: waiter.run, message: { type: 'unreadable', reason } }], now);
}

/** The earliest run of each workflow that still waits or is unclaimed; no entry if there is none. */
export function* firstInLine(workflows: readonly number[]): Operation<ReadonlyMap<number, number>> {
  const types = ['int'] as const;
  const first = (workflow: string) =>
    `SELECT ${workflow} AS workflow, min(f.seq) AS seq FROM (
       SELECT min(seq) AS seq FROM limit_wait WHERE workflow = ${workflow} AND paused = 0
       UNION ALL SELECT min(seq) FROM command WHERE workflow = ${workflow} AND limited = 1) f`;
  const { rows: found } = yield* batch<{ workflow: number; seq: number | null }>(
    {
      sqlite: first('?1'),
      postgres: `SELECT x.* FROM ${unnest(types)} AS k(workflow) CROSS JOIN LATERAL (${first('k.workflow')}) x`,
    },
    types,
    [...new Set(workflows)].map((workflow) => [workflow]),
  );
  return new Map(found.flatMap(({ workflow, seq }) => (seq === null ? [] : [[workflow, seq]])));
}

/** The next waiters of a list, in fair order between accounts; `passed` ones are left out. */
export function* firstWaiters(
  name: string,
  count: number,
  passed: ReadonlySet<string>,
): Operation<WaitRow[]> {
  // Steps from account to account by the index, however many wait for each.
  const owners = yield* rows<{ owner: string }>(
    `WITH RECURSIVE o(owner) AS (
       SELECT min(owner) FROM limit_wait WHERE name = ?1
       UNION ALL SELECT (SELECT min(w.owner) FROM limit_wait w WHERE w.name = ?1 AND w.owner > o.owner) FROM o
         WHERE o.owner IS NOT NULL)
     SELECT owner FROM o WHERE owner IS NOT NULL`,
    name,
  );
  const waiters: WaitRow[] = [];
  for (const { owner } of owners) {
    const first = yield* rows<WaitRow>(
      `SELECT ${waitColumns} FROM limit_wait WHERE name = ?1 AND owner = ?2 AND paused = 0
       ORDER BY priority, seq LIMIT ?3`,
      name,
      owner,
      count + passed.size,
    );
    waiters.push(...first.filter((waiter) => !passed.has(keyText(waiter))));
  }
  const held = new Map<string, number>();
  if (owners.length > 1) {
    const counts = yield* rows<{ owner: string; held: number }>(
      'SELECT owner, count(*) AS held FROM limit_slot WHERE name = ?1 GROUP BY owner',
      name,
    );
    for (const { owner, held: many } of counts) held.set(owner, many);
  }
  if (owners.length < 2) return fairOrder(waiters, { held }, count);
  const weights = yield* weightsOf(name);
  return fairOrder(waiters, { held, weights, turns: yield* turnsOf(name) }, count);
}

function* turnsOf(name: string): Operation<ReadonlyMap<string, number>> {
  const found = yield* rows<{ owner: string; turn: number }>(
    'SELECT owner, turn FROM limit_turn WHERE name = ?1',
    name,
  );
  return new Map(found.map(({ owner, turn }) => [owner, turn]));
}

/** Records that the accounts of these needs had their turn. */
export function* hadTurn(needs: readonly LimitNeed[]): Operation<void> {
  const shared = needs.filter(({ owner = '' }) => owner !== '');
  const turns = yield* newNumbers(shared.length);
  for (const [k, { name, owner = '' }] of shared.entries())
    yield* change(
      `INSERT INTO limit_turn (name, owner, turn) VALUES (?1, ?2, ?3)
       ON CONFLICT (name, owner) DO UPDATE SET turn = excluded.turn`,
      name,
      owner,
      turns[k],
    );
}

/** Removes tokens from their wait lists; returns those that were waiting. */
export function* withdrawWaiting(list: readonly AttemptRef[]): Operation<readonly AttemptRef[]> {
  const { rows: taken } = yield* batch<AttemptRef>(
    {
      sqlite: `DELETE FROM limit_wait WHERE ${isKey} RETURNING ${keyColumns}`,
      postgres: `DELETE FROM limit_wait WHERE ${isAmong('limit_wait')} RETURNING ${keyColumns}`,
    },
    keyTypes,
    inKeyOrder(list).map(keyValues),
  );
  return taken;
}
