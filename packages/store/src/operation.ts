/**
 * An operation on the store: a generator that yields statements and receives their rows. It is written once;
 * on SQLite it runs synchronously inside one transaction, on PostgreSQL each statement is awaited. No
 * transaction handle leaves the package, and no statement reads a clock.
 */

/** A column value. Times are epoch milliseconds, booleans 0 and 1, JSON is text. */
export type Value = string | number | null;

/** A statement, with one text per dialect where they differ. Parameters are written ?1, ?2, … */
export type Text = string | { readonly sqlite: string; readonly postgres: string };

/** A request of an operation to its driver. */
export type Step =
  | { readonly kind: 'query'; readonly text: Text; readonly params: readonly Value[] }
  /**
   * One statement for many rows: executed once per row on SQLite, with one array per column on PostgreSQL.
   */
  | {
      readonly kind: 'batch';
      readonly sqlite: string;
      readonly postgres: string;
      readonly types: readonly ColumnType[];
      readonly rows: readonly (readonly Value[])[];
    }
  /** Several statements in this order, pipelined where that saves round trips. */
  | { readonly kind: 'many'; readonly steps: readonly Step[] }
  /** No statement: returns the dialect as its only row. */
  | { readonly kind: 'dialect' }
  /**
   * No statement: returns the `Asker` of the operation as its only row; undefined if nobody outside asked.
   */
  | { readonly kind: 'asker' };

/** The supported databases. */
export type Dialect = 'sqlite' | 'postgres';

/**
 * A driver's answer: the rows of a statement, or the number of changed rows; for many steps, one answer each.
 */
export interface Answer {
  readonly rows: readonly unknown[];
  readonly changed: number;
  readonly parts?: readonly Answer[];
}

/** A column's type in both dialects. */
export type ColumnType = 'int' | 'text';

/** An operation that returns a `T`. */
export type Operation<T> = Generator<Step, T, Answer>;

/** The rows of a statement. */
export function* rows<T>(text: Text, ...params: Value[]): Operation<readonly T[]> {
  const answer = yield { kind: 'query', text, params };
  return answer.rows as readonly T[];
}

/** The first row of a statement. */
export function* row<T>(text: Text, ...params: Value[]): Operation<T | undefined> {
  const found = yield* rows<T>(text, ...params);
  return found[0];
}

/** Runs a statement; returns the number of changed rows. */
export function* change(text: Text, ...params: Value[]): Operation<number> {
  const answer = yield { kind: 'query', text, params };
  return answer.changed;
}

/** Runs a statement for many rows; returns all resulting rows in no particular order. */
export function* batch<T>(
  text: { readonly sqlite: string; readonly postgres: string },
  types: readonly ColumnType[],
  list: readonly (readonly Value[])[],
): Operation<{ readonly rows: readonly T[]; readonly changed: number }> {
  if (list.length === 0) return { rows: [], changed: 0 };
  const answer = yield { kind: 'batch', ...text, types, rows: list };
  return { rows: answer.rows as readonly T[], changed: answer.changed };
}

/**
 * The dialect, for the few operations that need different statements on each database, not only different
 * texts.
 */
export function* dialect(): Operation<Dialect> {
  const answer = yield { kind: 'dialect' };
  return answer.rows[0] as Dialect;
}

/**
 * Runs operations side by side: the first statement of each, in order, then the second of each, and so on.
 * Only for operations that do not depend on each other: over a network it takes as many round trips as the
 * longest alone.
 */
export function* together<T extends readonly unknown[]>(
  ...operations: { readonly [K in keyof T]: Operation<T[K]> }
): Operation<T> {
  const results: unknown[] = [];
  let open = operations.map(
    (operation: Operation<unknown>, place) => ({ operation, place, answer: undefined }) as Side,
  );
  while (true) {
    const steps: Step[] = [];
    const waiting: Side[] = [];
    for (const side of open) {
      let next = side.answer ? side.operation.next(side.answer) : side.operation.next();
      // Answered without a statement, so that the next statement joins the current batch.
      while (!next.done && (next.value.kind === 'dialect' || next.value.kind === 'asker'))
        next = side.operation.next(yield next.value);
      if (next.done) results[side.place] = next.value;
      else {
        steps.push(next.value);
        waiting.push(side);
      }
    }
    if (steps.length === 0) return results as unknown as T;
    const { parts } = yield { kind: 'many', steps };
    open = waiting.map((side, k) => ({ ...side, answer: parts?.[k] }));
  }
}

interface Side {
  readonly operation: Operation<unknown>;
  readonly place: number;
  readonly answer: Answer | undefined;
}
