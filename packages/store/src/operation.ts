/**
 * An operation on the store: a generator that yields statements and gets their rows back. It is written once; on
 * SQLite it runs synchronously inside one transaction, on PostgreSQL each statement is awaited. No transaction
 * handle leaves the package, and no statement reads a clock.
 */

/** What a column can hold. Times are epoch milliseconds, booleans 0 and 1, JSON is text. */
export type Value = string | number | null;

/** A statement; where the dialects differ, one text for each. Parameters are written ?1, ?2, … */
export type Text = string | { readonly sqlite: string; readonly postgres: string };

/** What an operation asks of its driver. */
export type Step =
  | { readonly kind: 'query'; readonly text: Text; readonly params: readonly Value[] }
  /** One statement for many rows: run once a row on SQLite, with one array per column on PostgreSQL. */
  | {
      readonly kind: 'batch';
      readonly sqlite: string;
      readonly postgres: string;
      readonly types: readonly ColumnType[];
      readonly rows: readonly (readonly Value[])[];
    }
  /** Several statements in this order, sent at once where that saves waiting. */
  | { readonly kind: 'many'; readonly steps: readonly Step[] }
  /** No statement: which database this is, as its only row. */
  | { readonly kind: 'dialect' }
  /** No statement: who asked for the operation (`Asker`), as its only row; undefined where nobody outside did. */
  | { readonly kind: 'asker' };

/** The databases there are. */
export type Dialect = 'sqlite' | 'postgres';

/** What a driver answers: the rows a statement gave, or how many it changed; of many steps, an answer for each. */
export interface Answer {
  readonly rows: readonly unknown[];
  readonly changed: number;
  readonly parts?: readonly Answer[];
}

/** A column's type in both dialects. */
export type ColumnType = 'int' | 'text';

/** An operation that gives a `T`. */
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

/** Runs a statement; how many rows it changed. */
export function* change(text: Text, ...params: Value[]): Operation<number> {
  const answer = yield { kind: 'query', text, params };
  return answer.changed;
}

/** Runs a statement for many rows; the rows that all of them gave, in no particular order. */
export function* batch<T>(
  text: { readonly sqlite: string; readonly postgres: string },
  types: readonly ColumnType[],
  list: readonly (readonly Value[])[],
): Operation<{ readonly rows: readonly T[]; readonly changed: number }> {
  if (list.length === 0) return { rows: [], changed: 0 };
  const answer = yield { kind: 'batch', ...text, types, rows: list };
  return { rows: answer.rows as readonly T[], changed: answer.changed };
}

/** Which database this runs on, for the few operations that need other statements on each, not only other texts. */
export function* dialect(): Operation<Dialect> {
  const answer = yield { kind: 'dialect' };
  return answer.rows[0] as Dialect;
}

/**
 * Runs operations side by side: first the first statement of each, in order, then the second, and so on. Only for
 * those that do not need each other's results: over a network it waits as often as the longest of them alone.
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
      // Answered without a statement: the one that follows goes with the others.
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
