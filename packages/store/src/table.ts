/** Tables as data: their columns, and the statements that insert many rows of them. */
import { batch, type ColumnType, type Operation, type Value } from './operation.ts';

/** A table's name and columns, in the order its rows are given. */
export interface Table<Columns extends string> {
  readonly name: string;
  readonly columns: Readonly<Record<Columns, ColumnType>>;
}

/** Names a table; the columns are checked against the database by a test. */
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
  const columns = Object.keys(into.columns) as Columns[];
  const types = columns.map((column) => into.columns[column]);
  const names = columns.join(', ');
  const tail = conflict ? ` ON CONFLICT ${conflict}` : '';
  const { changed } = yield* batch(
    {
      sqlite: `INSERT INTO ${into.name} (${names}) VALUES (${columns.map((_, k) => `?${k + 1}`).join(', ')})${tail}`,
      postgres: `INSERT INTO ${into.name} (${names}) SELECT * FROM ${unnest(types)}${tail}`,
    },
    types,
    list.map((entry) => columns.map((column) => entry[column])),
  );
  return changed;
}

/** The rows of a batch as a table expression of PostgreSQL. */
export function unnest(types: readonly ColumnType[]): string {
  return `unnest(${types.map((type, k) => `?${k + 1}::${arrays[type]}`).join(', ')})`;
}

const arrays: Record<ColumnType, string> = { int: 'int8[]', text: 'text[]' };
