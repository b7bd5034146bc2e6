/** SQL Server over `tedious`: rows are taken as they arrive, a cancel is an attention signal to the server. */
import type { SqlValue } from '@orrery/core/params';
import { loadDriver } from '../connections/driver.ts';
import type { DatabaseSettings, RowSink, SqlSession } from './session.ts';

interface Cell {
  readonly value: unknown;
  readonly metadata: { readonly colName: string; readonly type: { readonly name: string } };
}

/** The used part of the driver. */
interface Request {
  addParameter(name: string, type: unknown, value: unknown): void;
  on(event: 'columnMetadata', listener: (columns: readonly { readonly colName: string }[]) => void): unknown;
  on(event: 'row', listener: (cells: readonly Cell[]) => void): unknown;
  pause(): void;
  resume(): void;
}
interface Connection {
  on(event: 'end' | 'error', listener: () => void): unknown;
  connect(done: (error?: Error) => void): void;
  execSql(request: Request): void;
  execSqlBatch(request: Request): void;
  cancel(): boolean;
  reset(done: (error?: Error) => void): void;
  close(): void;
}
interface SqlserverDriver {
  readonly default: {
    readonly Connection: new (config: object) => Connection;
    readonly Request: new (
      text: string,
      done: (
        error: (Error & { number?: number; lineNumber?: number }) | null | undefined,
        rows?: number,
      ) => void,
    ) => Request;
    readonly TYPES: { readonly NVarChar: unknown };
  };
}

const CONNECT_WITHIN = 10_000;

/** Opens one. */
export async function openSqlserver(settings: DatabaseSettings, codeFolder: string): Promise<SqlSession> {
  const { default: driver } = await loadDriver<SqlserverDriver>('tedious', codeFolder);
  const { host, port, database, user, password, tls, ca } = settings;
  const connection = new driver.Connection({
    server: host,
    authentication: { type: 'default', options: { userName: user, password } },
    options: {
      port,
      database,
      appName: 'orrery',
      encrypt: tls !== 'off',
      trustServerCertificate: tls !== 'verify',
      connectTimeout: CONNECT_WITHIN,
      requestTimeout: 0,
      ...(ca !== undefined && { cryptoCredentialsDetails: { ca } }),
    },
  });
  let usable = true;
  const gone = (): void => {
    usable = false;
  };
  connection.on('error', gone);
  connection.on('end', gone);
  await new Promise<void>((resolve, reject) =>
    connection.connect((error) => (error ? reject(error) : resolve())),
  );
  let running: Promise<unknown> = Promise.resolve();
  const run: SqlSession['run'] = (text, values, sink) => {
    const result = execute(driver, connection, { text, values }, sink);
    running = result.catch(() => {});
    return result;
  };
  return {
    name: 'SQL Server',
    transaction: {
      begin: 'BEGIN TRANSACTION',
      commit: 'COMMIT',
      rollback: 'IF @@TRANCOUNT > 0 ROLLBACK',
    },
    get usable() {
      return usable;
    },
    run,
    async explain(text, values, sink) {
      const declared = values.map((_, k) => `@p${k + 1} NVARCHAR(MAX)`).join(', ');
      await run('SET SHOWPLAN_TEXT ON', [], sink);
      try {
        await run(declared === '' ? text : `DECLARE ${declared}; ${text}`, [], sink);
      } finally {
        await run('SET SHOWPLAN_TEXT OFF', [], sink);
      }
    },
    reset: () => new Promise((resolve) => connection.reset((error) => resolve(!error && usable))),
    async cancel() {
      usable = false;
      connection.cancel();
      await running;
    },
    close: async () => connection.close(),
  };
}

function execute(
  { Request, TYPES }: SqlserverDriver['default'],
  connection: Connection,
  { text, values }: { readonly text: string; readonly values: readonly SqlValue[] },
  sink: RowSink,
): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    let described = false;
    let thrown: unknown;
    const request = new Request(text, (error, changed) => {
      if (thrown !== undefined) return reject(thrown);
      if (!error) return resolve(described ? undefined : (changed ?? 0));
      const { message, number, lineNumber } = error;
      const line = lineNumber === undefined ? undefined : lineNumber - 1;
      reject({ message: `${message}${number === undefined ? '' : ` [${number}]`}`, line });
    });
    for (const [k, value] of values.entries())
      request.addParameter(`p${k + 1}`, TYPES.NVarChar, value === null ? null : String(value));
    request.on('columnMetadata', (columns) => {
      if (!described) sink.columns(columns.map(({ colName }) => colName));
      described = true;
    });
    request.on('row', (cells) => {
      if (thrown !== undefined) return;
      try {
        if (sink.row(cells.map(shown))) return;
        request.pause();
        void sink.ready().then(() => request.resume());
      } catch (error) {
        thrown = error;
      }
    });
    // What a batch sets or declares holds for the session; a statement with parameters is one of its own.
    if (values.length === 0) connection.execSqlBatch(request);
    else connection.execSql(request);
  });
}

/** The driver makes dates of everything that has to do with time. */
function shown({ value, metadata }: Cell): unknown {
  if (!(value instanceof Date)) return value;
  const text = value.toISOString();
  if (metadata.type.name === 'Date') return text.slice(0, 10);
  if (metadata.type.name === 'Time') return text.slice(11, 23);
  return metadata.type.name === 'DateTimeOffset' ? text : text.slice(0, 23).replace('T', ' ');
}
