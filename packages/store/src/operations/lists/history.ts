/**
 * History: actions of people and nodes on things, in order. Runs record their own steps elsewhere; this
 * records who asked.
 */
import { batch, change, type Operation, rows, type Value } from '../../operation.ts';
import { insert, unnest } from '../../table.ts';
import { historyTable } from '../../tables.ts';
import { sweepAlerts } from '../alerting/sweep.ts';

/** Kinds of things with a history. */
export type HistoryKind = 'run' | 'workflow' | 'schedule' | 'node' | 'worker' | 'need' | 'bulk';

/** An action; `actor` is a person, a token or a node. */
export interface HistoryEntry {
  readonly actor: string;
  readonly kind: HistoryKind;
  /** Id or name of the thing. */
  readonly subject: string;
  /** The action in one word, such as `pause`. */
  readonly action: string;
  readonly body?: object;
}

/** A stored entry. */
export interface HistoryRow {
  readonly seq: number;
  readonly at: number;
  readonly actor: string;
  readonly kind: HistoryKind;
  readonly subject: string;
  readonly action: string;
  /** JSON. */
  readonly body: string;
}

/** Appends entries, in the transaction that makes them true. */
export function* remember(entries: readonly HistoryEntry[], now: number): Operation<void> {
  yield* insert(
    historyTable,
    entries.map(({ actor, kind, subject, action, body = {} }) => ({
      at: now,
      actor,
      kind,
      subject,
      action,
      body: JSON.stringify(body),
    })),
  );
}

/** Entries, newest first, of everything or one thing; `before` is the last number of the previous page. */
export function* listHistory(input: {
  readonly of?: { readonly kind: HistoryKind; readonly subject: string };
  readonly before?: number;
  readonly limit: number;
}): Operation<readonly HistoryRow[]> {
  const { of, before = Number.MAX_SAFE_INTEGER, limit } = input;
  const params: Value[] = [before, limit];
  const filter = of ? `AND kind = ?${params.push(of.kind)} AND subject = ?${params.push(of.subject)}` : '';
  return yield* rows<HistoryRow>(
    `SELECT seq, at, actor, kind, subject, action, body FROM history WHERE seq < ?1 ${filter} ORDER BY seq DESC LIMIT ?2`,
    ...params,
  );
}

/** History of masters and workers, newest first; `before` is the last number of the previous page. */
export function* listNodeHistory(input: {
  readonly node?: string;
  readonly before?: number;
  readonly limit: number;
}): Operation<readonly HistoryRow[]> {
  const { node, before = Number.MAX_SAFE_INTEGER, limit } = input;
  return yield* rows<HistoryRow>(
    `SELECT seq, at, actor, kind, subject, action, body FROM history WHERE kind IN ('node', 'worker') AND seq < ?1
     ${node === undefined ? '' : 'AND subject = ?3'} ORDER BY seq DESC LIMIT ?2`,
    before,
    limit,
    ...(node === undefined ? [] : [node]),
  );
}

/** The last entry of each of several things; things without entries are left out. */
export function* lastEntries(input: {
  readonly of: readonly { readonly kind: HistoryKind; readonly subject: string }[];
}): Operation<readonly HistoryRow[]> {
  const types = ['text', 'text'] as const;
  const last = (kind: string, subject: string) =>
    `SELECT seq, at, actor, kind, subject, action, body FROM history WHERE kind = ${kind} AND subject = ${subject}
     ORDER BY seq DESC LIMIT 1`;
  const { rows: found } = yield* batch<HistoryRow>(
    {
      sqlite: last('?1', '?2'),
      postgres: `SELECT x.* FROM ${unnest(types)} AS k(kind, subject) CROSS JOIN LATERAL (${last('k.kind', 'k.subject')}) x`,
    },
    types,
    input.of.map(({ kind, subject }) => [kind, subject]),
  );
  return found;
}

/**
 * Deletes entries and alerts older than `before`, with what belongs to the alerts, and all but the newest
 * `most`, a few at a time; returns how many.
 */
export function* sweepHistory({
  before,
  most = Number.MAX_SAFE_INTEGER,
  limit,
}: {
  readonly before: number;
  readonly most?: number;
  readonly limit: number;
}): Operation<number> {
  yield* change(
    'DELETE FROM alert WHERE id IN (SELECT id FROM alert WHERE at < ?1 ORDER BY at LIMIT ?2)',
    before,
    limit,
  );
  yield* sweepAlerts(before, limit);
  return yield* change(
    `DELETE FROM history WHERE seq IN (
       SELECT seq FROM (SELECT seq, at FROM history ORDER BY seq LIMIT ?3) first
       WHERE at < ?1 OR seq <= (SELECT max(seq) FROM history) - ?2)`,
    before,
    most,
    limit,
  );
}
