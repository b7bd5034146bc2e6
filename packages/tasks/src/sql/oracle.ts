/** Oracle over `oracledb` in its thin mode, which needs no client libraries; a cancel is a break of the call. */
import type { SqlValue } from '@orrery/core/params';
import { loadDriver } from '../connections/driver.ts';
import { cancelUntilOver } from './cancel.ts';
import type { CallArgument, RowSink, SqlSession } from './session.ts';

/** The settings of a connection of this kind. */
export interface OracleSettings {
  readonly host: string;
  readonly port: number;
  readonly service: string;
  readonly user?: string;
  readonly password?: string;
  readonly tls: 'off' | 'verify';
  readonly ca?: string;
}

/** The used part of the driver. */
interface Result {
  readonly resultSet?: {
    readonly metaData: readonly { readonly name: string }[];
    getRows(most: number): Promise<readonly (readonly unknown[])[]>;
    close(): Promise<void>;
  };
  readonly rowsAffected?: number;
  readonly outBinds?: readonly unknown[];
}
interface Connection {
  execute(text: string, values: readonly (SqlValue | object)[], options: object): Promise<Result>;
  break(): Promise<void>;
  isHealthy(): boolean;
  close(): Promise<void>;
}
interface OracleDriver {
  readonly default: {
    getConnection(config: object): Promise<Connection>;
    readonly STRING: unknown;
    readonly BIND_OUT: unknown;
    readonly BIND_INOUT: unknown;
    readonly BUFFER: unknown;
    readonly DB_TYPE_NUMBER: unknown;
    readonly DB_TYPE_CLOB: unknown;
    readonly DB_TYPE_NCLOB: unknown;
    readonly DB_TYPE_BLOB: unknown;
  };
}

const CONNECT_WITHIN_SECONDS = 10;
const ROWS = 500;
/** What PL/SQL puts into a text. */
const LONGEST_OUT = 32_767;
const BEGIN = 'SET TRANSACTION READ WRITE';

/** Opens one. */
export async function openOracle(settings: OracleSettings, codeFolder: string): Promise<SqlSession> {
  const { default: driver } = await loadDriver<OracleDriver>('oracledb', codeFolder);
  const { host, port, service, user, password, tls, ca } = settings;
  const connection = await driver.getConnection({
    user,
    password,
    connectString: `${tls === 'off' ? 'tcp' : 'tcps'}://${host}:${port}/${service}`,
    transportConnectTimeout: CONNECT_WITHIN_SECONDS,
    ...(ca !== undefined && { walletContent: ca }),
  });
  const kept = { fetchTypeHandler: fetchedAs(driver), resultSet: true, fetchArraySize: ROWS };
  let usable = true;
  let inTransaction = false;
  let running: Promise<unknown> = Promise.resolve();
  const run: SqlSession['run'] = (text, values, sink) => {
    if (text === BEGIN) inTransaction = true;
    const result = execute(connection, { text, values }, { ...kept, autoCommit: !inTransaction }, sink);
    running = result.catch(() => {});
    return result;
  };
  return {
    name: 'Oracle',
    transaction: { begin: BEGIN, commit: 'COMMIT', rollback: 'ROLLBACK' },
    get usable() {
      return usable && connection.isHealthy();
    },
    run,
    async explain(text, values, sink) {
      const nothing: RowSink = { columns() {}, row: () => true, ready: async () => {} };
      await run(`EXPLAIN PLAN FOR ${text}`, values, nothing);
      await run('SELECT plan_table_output FROM TABLE(DBMS_XPLAN.DISPLAY())', [], sink);
    },
    async call(procedure, given) {
      const text = `BEGIN ${procedure}(${given.map((_, k) => `:${k + 1}`).join(', ')}); END;`;
      const result = connection.execute(text, given.map(bindOf(driver)), { autoCommit: true });
      running = result.catch(() => {});
      return (await result.catch(fault(text))).outBinds ?? [];
    },
    // What ALTER SESSION and packages have set cannot be undone.
    reset: async () => false,
    async cancel() {
      usable = false;
      const isOver = await cancelUntilOver(running, () => connection.break().catch(() => {}));
      if (!isOver) await connection.close().catch(() => {});
    },
    close: () => connection.close().catch(() => {}),
  };
}

async function execute(
  connection: Connection,
  { text, values }: { readonly text: string; readonly values: readonly SqlValue[] },
  options: object,
  sink: RowSink,
): Promise<number | undefined> {
  const given = values.map(plain);
  const { resultSet, rowsAffected } = await connection.execute(text, given, options).catch(fault(text));
  if (!resultSet) return rowsAffected ?? 0;
  try {
    sink.columns(resultSet.metaData.map(({ name }) => name));
    for (;;) {
      const rows = await resultSet.getRows(ROWS).catch(fault(text));
      for (const row of rows) if (!sink.row(row)) await sink.ready();
      if (rows.length < ROWS) return undefined;
    }
  } finally {
    await resultSet.close().catch(() => {});
  }
}

/** Versions before 23 have no booleans in SQL. */
function plain(value: SqlValue): SqlValue {
  return typeof value === 'boolean' ? Number(value) : value;
}

/** How an argument of a procedure is bound; what comes out is text. */
function bindOf({ BIND_OUT, BIND_INOUT, STRING }: OracleDriver['default']) {
  return ({ value, out }: CallArgument): SqlValue | object => {
    if (out === undefined) return plain(value);
    const text = { type: STRING, maxSize: LONGEST_OUT };
    return value === null
      ? { dir: BIND_OUT, ...text }
      : { dir: BIND_INOUT, val: String(plain(value)), ...text };
  };
}

/** The database tells at which character it stopped. */
function fault(text: string): (error: Error & { offset?: number }) => never {
  return ({ message, offset }) => {
    const line = offset === undefined ? undefined : text.slice(0, offset).split('\n').length - 1;
    throw { message: message.split('\n')[0], line };
  };
}

/** Numbers that a double cannot hold stay text; large objects are fetched with their row. */
function fetchedAs(driver: OracleDriver['default']) {
  return ({ dbType }: { dbType: unknown }): object | undefined => {
    if (dbType === driver.DB_TYPE_NUMBER) return { type: driver.STRING, converter: exact };
    if (dbType === driver.DB_TYPE_CLOB || dbType === driver.DB_TYPE_NCLOB) return { type: driver.STRING };
    return dbType === driver.DB_TYPE_BLOB ? { type: driver.BUFFER } : undefined;
  };
}

function exact(text: string | null): string | number | null {
  return text !== null && String(Number(text)) === text ? Number(text) : text;
}
