/** SQLite over `node:sqlite`, in a process of its own: a statement cannot be interrupted, but a process can be ended. */
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { type SqlSession, TRANSACTION } from './session.ts';

/** Opens a database. A missing file is created, unless it is opened for reading only. */
export async function openSqlite({
  file,
  readOnly,
}: {
  readonly file: string;
  readonly readOnly: boolean;
}): Promise<SqlSession> {
  const database = new DatabaseSync(file, { readOnly, timeout: 60_000 });
  return {
    name: 'SQLite',
    transaction: TRANSACTION,
    usable: false,
    async run(text, values, sink) {
      const statement = database.prepare(text);
      statement.setReadBigInts(true);
      statement.setReturnArrays(true);
      const given = values.map(
        (value): SQLInputValue => (typeof value === 'boolean' ? Number(value) : value),
      );
      const columns = statement.columns();
      if (columns.length === 0) return Number(statement.run(...given).changes);
      sink.columns(columns.map(({ name }) => name));
      for (const row of statement.iterate(...given) as Iterable<unknown>) {
        if (!sink.row(row as unknown[])) await sink.ready();
      }
      return undefined;
    },
    reset: async () => false,
    cancel: async () => {},
    close: async () => database.close(),
  };
}
