/** MySQL and MariaDB over `mysql2`, which is installed where it is needed. */
import type { SqlValue } from '@orrery/core/params';
import type { Connection } from 'mysql2';
import { loadDriver } from '../connections/driver.ts';
import { cancelUntilOver } from './cancel.ts';
import { type DatabaseSettings, type RowSink, type SqlSession, TRANSACTION } from './session.ts';

type Driver = { readonly default: Pick<typeof import('mysql2'), 'createConnection'> };

const CONNECT_WITHIN = 10_000;
/** The server cannot prepare this statement. */
const NOT_PREPARED = 1295;

/** Opens one. */
export async function openMysql(settings: DatabaseSettings, codeFolder: string): Promise<SqlSession> {
  const { default: driver } = await loadDriver<Driver>('mysql2', codeFolder);
  const { tls, ca, ...rest } = settings;
  const config = {
    ...rest,
    connectTimeout: CONNECT_WITHIN,
    dateStrings: true,
    supportBigNumbers: true,
    ssl: tls === 'off' ? undefined : { rejectUnauthorized: tls === 'verify', ca },
  };
  const connect = async (): Promise<Connection> => {
    const made = driver.createConnection(config);
    made.on('error', () => {});
    await new Promise<void>((resolve, reject) =>
      made.connect((error) => (error ? reject(error) : resolve())),
    );
    return made;
  };
  const connection = await connect();
  let usable = true;
  connection.on('error', () => {
    usable = false;
  });
  let running: Promise<unknown> = Promise.resolve();
  return {
    name: 'MySQL',
    transaction: TRANSACTION,
    get usable() {
      return usable;
    },
    run(text, values, sink) {
      const result = execute(connection, text, values, sink);
      running = result.catch(() => {});
      return result;
    },
    reset: () => new Promise((resolve) => connection.changeUser({}, (error) => resolve(!error && usable))),
    async cancel() {
      usable = false;
      try {
        const second = await connect();
        const kill = () =>
          new Promise((resolve) => second.query(`KILL QUERY ${connection.threadId}`, resolve));
        await cancelUntilOver(running, kill);
        second.destroy();
      } catch {
        connection.destroy();
      }
      await running;
    },
    close: async () => connection.destroy(),
  };
}

function execute(
  connection: Connection,
  text: string,
  values: readonly SqlValue[],
  sink: RowSink,
): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    let changed: number | undefined;
    let thrown: unknown;
    const how = { sql: text, values: [...values], rowsAsArray: true };
    const command = values.length === 0 ? connection.query(how) : connection.execute(how);
    command.on('fields', (fields: readonly { name: string }[] | undefined) => {
      if (fields) sink.columns(fields.map(({ name }) => name));
    });
    command.on('result', (row: unknown) => {
      if (!Array.isArray(row)) {
        changed = (row as { affectedRows?: number }).affectedRows ?? 0;
        return;
      }
      try {
        if (thrown !== undefined || sink.row(row)) return;
        connection.pause();
        void sink.ready().then(() => connection.resume());
      } catch (error) {
        thrown = error;
      }
    });
    command.on('error', (error: Error & { errno?: number; code?: string }) => {
      const why = error.errno === NOT_PREPARED ? ' (write it without parameters)' : '';
      reject({ message: `${error.message}${why}${error.code ? ` [${error.code}]` : ''}` });
    });
    command.on('end', () => (thrown === undefined ? resolve(changed) : reject(thrown)));
  });
}
