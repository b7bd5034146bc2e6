/** Rows that hold still while someone is at them: changed in place, never moved. Pure. */

/** Rows as they are drawn, and how many wait. */
export interface CalmRows<Row> {
  readonly rows: readonly Row[];
  /** Rows that came since and are not drawn yet. */
  readonly waiting: number;
}

/** The newest rows in the order that is drawn; what is gone goes, what is new waits. */
export function inOrder<Row>(
  drawn: readonly string[],
  newest: readonly Row[],
  idOf: (row: Row) => string,
): CalmRows<Row> {
  const byId = new Map(newest.map((row) => [idOf(row), row]));
  const rows = drawn.flatMap((id) => byId.get(id) ?? []);
  return { rows, waiting: byId.size - rows.length };
}

/**
 * The ids that are drawn of a list which comes page by page: those drawn before, and with another page those behind the
 * last of them. What comes in between is new and waits. The same set where nothing comes to it.
 */
export function drawnIds(
  drawn: ReadonlySet<string>,
  ids: readonly string[],
  anotherPage: boolean,
): ReadonlySet<string> {
  const last = ids.findLastIndex((id) => drawn.has(id));
  // Where nothing is drawn there is nothing that could move.
  const added = last < 0 ? ids : anotherPage ? ids.slice(last + 1) : [];
  return added.length === 0 ? drawn : new Set([...drawn, ...added]);
}
