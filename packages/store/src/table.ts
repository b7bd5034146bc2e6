/** Tables as data: their columns, and the statements that insert many rows of them. */
import { batch, type ColumnType, type Operation, type Value } from './operation.ts';

/** A table's name and its columns, in row order. */
export interface Table<Columns extends string> {
  readonly name: string;
  readonly columns: Readonly<Record<Columns, ColumnType>>;
}

/** Values in column order. */
export type Row = readonly Value[];

/** Defines a table; a test checks the columns against the database. */
export function table<Columns extends string>(
  name: string,
  columns: Readonly<Record<Columns, ColumnType>>,
): Table<Columns> {
  return { name, columns };
}

/** Inserts rows; `conflict` is what follows `ON CONFLICT`. */
export function* insert<Columns extends string>(
  into: Table<Columns>,
  list: readonly Readonly<Record<Columns, Value>>[],
  conflict?: string,
): Operation<number> {
  return yield* insertRows(
    into,
    list.map((entry) => rowOf(into, entry)),
    conflict,
  );
}

/** Inserts rows made by `rowOf`. */
export function* insertRows(into: Table<string>, rows: readonly Row[], conflict?: string): Operation<number> {
  if (rows.length === 0) return 0;
  const { text, types } = insertion(into, conflict);
  return (yield* batch(text, types, rows)).changed;
}

/** A row of a table. */
export function rowOf<Columns extends string>(
  { columns }: Table<Columns>,
  entry: Readonly<Record<Columns, Value>>,
): Row {
  const row: Value[] = [];
  for (const column in columns) row.push(entry[column]);
  return row;
}

/** Index of a column in a table's rows. */
export function placeOf<Columns extends string>({ columns }: Table<Columns>, column: Columns): number {
  return Object.keys(columns).indexOf(column);
}

/** The rows of a batch as a table expression of PostgreSQL. */
export function unnest(types: readonly ColumnType[]): string {
  return `unnest(${types.map((type, k) => `?${k + 1}::${arrays[type]}`).join(', ')})`;
}

const arrays: Record<ColumnType, string> = { int: 'int8[]', text: 'text[]' };

interface Insertion {
  readonly text: { readonly sqlite: string; readonly postgres: string };
  readonly types: readonly ColumnType[];
}

const insertions = new Map<string, Insertion>();

/** The insert statement of a table, cached: there are few, and every commit uses them. */
function insertion({ name, columns }: Table<string>, conflict: string | undefined): Insertion {
  const key = `${name} ${conflict}`;
  let found = insertions.get(key);
  if (!found) {
    const names = Object.keys(columns);
    const types = Object.values(columns);
    const into = `INSERT INTO ${name} (${names.join(', ')})`;
    const tail = conflict ? ` ON CONFLICT ${conflict}` : '';
    const text = {
      sqlite: `${into} VALUES (${names.map((_, k) => `?${k + 1}`).join(', ')})${tail}`,
      postgres: `${into} SELECT * FROM ${unnest(types)}${tail}`,
    };
    found = { text, types };
    insertions.set(key, found);
  }
  return found;
}
