/** Rows that do not move while in use: they are updated in place. Pure. */

/** The drawn rows, and the count of waiting ones. */
export interface CalmRows<Row> {
  readonly rows: readonly Row[];
  /** Rows that came since and are not drawn yet. */
  readonly waiting: number;
}

/** The newest rows in the drawn order: removed rows disappear, new rows wait. */
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
 * The drawn ids of a paged list: those drawn before, and after a further page the ids behind the last of
 * them. Ids in between are new and wait. The same set if there is no addition.
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
