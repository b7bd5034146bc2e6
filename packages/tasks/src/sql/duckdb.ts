/** DuckDB over `@duckdb/node-api`, in a process of its own: it takes what memory it needs, and may be ended at any time. */
import type { DuckDBInstance, JsonDuckDBValueConverter } from '@duckdb/node-api';
import { loadDriver } from '../connections/driver.ts';
import { type SqlSession, TRANSACTION } from './session.ts';

interface Driver {
  readonly DuckDBInstance: typeof DuckDBInstance;
  readonly JsonDuckDBValueConverter: typeof JsonDuckDBValueConverter;
}

const RETURNS_ROWS = 3;

/** Opens a database. A missing file is created, unless it is opened for reading only. */
export async function openDuckdb(
  { file, readOnly }: { readonly file: string; readonly readOnly: boolean },
  codeFolder: string,
): Promise<SqlSession> {
  const driver = await loadDriver<Driver>('@duckdb/node-api', codeFolder);
  const instance = await driver.DuckDBInstance.create(file, readOnly ? { access_mode: 'READ_ONLY' } : {});
  const connection = await instance.connect();
  return {
    name: 'DuckDB',
    transaction: TRANSACTION,
    usable: false,
    async run(text, values, sink) {
      const statement = await connection.prepare(text);
      statement.bind([...values]);
      const result = await statement.stream();
      if (result.returnType !== RETURNS_ROWS) return result.rowsChanged;
      sink.columns(result.columnNames());
      for await (const rows of result.yieldRowsJson()) {
        for (const row of rows) if (!sink.row(row)) await sink.ready();
      }
      return undefined;
    },
    reset: async () => false,
    cancel: async () => {},
    close: async () => connection.closeSync(),
  };
}
