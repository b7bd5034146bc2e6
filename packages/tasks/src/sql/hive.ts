/** Hive, Spark and Kyuubi over `hive-driver`: HiveServer2's protocol on TCP. A cancel ends the operation on the server. */
import { setTimeout as sleep } from 'node:timers/promises';
import { TaskFailure } from '@orrery/worker/plugin';
import { loadDriver } from '../connections/driver.ts';
import { cancelUntilOver } from './cancel.ts';
import type { RowSink, SqlSession } from './session.ts';

/** The settings of a connection of this kind. */
export interface HiveSettings {
  readonly url: string;
  readonly user?: string;
  readonly password?: string;
}

/** The used part of the driver. */
interface Operation {
  status(progress: boolean): Promise<{ readonly operationState?: number; readonly errorMessage?: string }>;
  fetch(): Promise<unknown>;
  flush(): void;
  hasMoreRows(): boolean;
  setMaxRows(most: number): void;
  getSchema(): {
    readonly columns: readonly { readonly columnName: string; readonly position: number }[];
  } | null;
  cancel(): Promise<unknown>;
  close(): Promise<unknown>;
}
interface Session {
  executeStatement(text: string, options: { runAsync: boolean }): Promise<Operation>;
  close(): Promise<unknown>;
}
interface Client {
  on(event: 'error' | 'close', listener: () => void): unknown;
  connect(to: { host: string; port: number }, connection: unknown, authentication: unknown): Promise<Client>;
  openSession(request: object): Promise<Session>;
  close(): void;
}
interface HiveDriver {
  readonly default: {
    readonly HiveClient: new (service: unknown, types: unknown) => Client;
    readonly HiveUtils: new (
      types: unknown,
    ) => {
      getResult(operation: Operation): { getValue(): readonly Record<string, unknown>[] };
    };
    readonly connections: { readonly TcpConnection: new () => unknown };
    readonly auth: {
      readonly NoSaslAuthentication: new () => unknown;
      readonly PlainTcpAuthentication: new (options: object) => unknown;
    };
    readonly thrift: {
      readonly TCLIService: unknown;
      readonly TCLIService_types: {
        readonly TProtocolVersion: Readonly<Record<string, number>>;
        readonly TOperationState: Readonly<Record<string, number>>;
      };
    };
  };
}

const ROWS = 500;
const LOOK_AFTER = 200;

/** Opens one. */
export async function openHive(
  { url, user, password }: HiveSettings,
  codeFolder: string,
): Promise<SqlSession> {
  const { default: driver } = await loadDriver<HiveDriver>('hive-driver', codeFolder);
  const { host, port, database, sasl } = addressOf(url);
  const { TCLIService, TCLIService_types: types } = driver.thrift;
  const client = new driver.HiveClient(TCLIService, types);
  let usable = true;
  const gone = (): void => {
    usable = false;
  };
  client.on('error', gone);
  client.on('close', gone);
  const { PlainTcpAuthentication, NoSaslAuthentication } = driver.auth;
  const authentication = sasl
    ? new PlainTcpAuthentication({ username: user ?? 'anonymous', password: password ?? 'anonymous' })
    : new NoSaslAuthentication();
  await client.connect({ host, port }, new driver.connections.TcpConnection(), authentication);
  const session = await client.openSession({
    client_protocol: types.TProtocolVersion.HIVE_CLI_SERVICE_PROTOCOL_V8,
    username: user,
    password,
    configuration: { 'use:database': database },
  });
  let operation: Operation | undefined;
  let running: Promise<unknown> = Promise.resolve();
  const execute = async (text: string, sink: RowSink): Promise<number | undefined> => {
    operation = await session.executeStatement(text, { runAsync: true }).catch(fault);
    try {
      await finished(operation, types.TOperationState);
      return await rowsOf(operation, new driver.HiveUtils(types), sink);
    } finally {
      await operation.close().catch(() => {});
      operation = undefined;
    }
  };
  return {
    name: 'Hive',
    transaction: undefined,
    get usable() {
      return usable;
    },
    run(text, _values, sink) {
      const result = execute(text, sink);
      running = result.catch(() => {});
      return result;
    },
    // The effects of SET and USE cannot be undone.
    reset: async () => false,
    async cancel() {
      usable = false;
      const isOver = await cancelUntilOver(running, async () => operation?.cancel().catch(() => {}));
      if (!isOver) client.close();
    },
    async close() {
      await session.close().catch(() => {});
      client.close();
    },
  };
}

/** Where a JDBC address leads; what only Java's driver can do is refused. */
function addressOf(url: string) {
  const [, host, port = '10000', database = 'default', more = ''] =
    /^jdbc:hive2:\/\/([^/:;,?#]+)(?::(\d+))?(?:\/([^;?#]*))?(?:;([^?#]*))?$/.exec(url) ?? [];
  const sasl = more !== 'auth=noSasl';
  if (host === undefined || (more !== '' && sasl))
    throw new TaskFailure(
      `an sql task reaches Hive at jdbc:hive2://HOST:PORT/DATABASE[;auth=noSasl] alone, not at ${url}; use a task of type hive`,
      { fatal: true },
    );
  return { host, port: Number(port), database: database || 'default', sasl };
}

async function finished(operation: Operation, states: Readonly<Record<string, number>>): Promise<void> {
  const open = [states.INITIALIZED_STATE, states.PENDING_STATE, states.RUNNING_STATE];
  for (;;) {
    const { operationState = -1, errorMessage } = await operation.status(false).catch(fault);
    if (operationState === states.FINISHED_STATE) return;
    if (!open.includes(operationState)) {
      const [name] = Object.entries(states).find(([, state]) => state === operationState) ?? ['unknown'];
      throw new Error(errorMessage ? firstLine(errorMessage) : `the operation ended as ${name}`);
    }
    await sleep(LOOK_AFTER);
  }
}

async function rowsOf(
  operation: Operation,
  utils: { getResult(operation: Operation): { getValue(): readonly Record<string, unknown>[] } },
  sink: RowSink,
): Promise<number | undefined> {
  operation.setMaxRows(ROWS);
  let names: string[] | undefined;
  do {
    await operation.fetch().catch(fault);
    const columns = operation.getSchema()?.columns;
    if (!columns) return 0;
    if (!names) {
      // The driver names a column without its table, as `getValue` does.
      names = [...columns]
        .sort((one, other) => one.position - other.position)
        .map(({ columnName }) => columnName.split('.').at(-1) ?? '');
      sink.columns(names);
    }
    for (const row of utils.getResult(operation).getValue())
      if (!sink.row(names.map((name) => row[name]))) await sink.ready();
    operation.flush();
  } while (operation.hasMoreRows());
  return undefined;
}

function fault(error: Error): never {
  throw new Error(firstLine(error.message), { cause: error });
}

/** Servers add the stack of their exception. */
function firstLine(text: string): string {
  return text.split('\n')[0];
}
