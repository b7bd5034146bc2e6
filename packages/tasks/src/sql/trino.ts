/** Trino over `trino-client`: a statement is a chain of HTTP answers; a cancel deletes the query. */
import type { SqlValue } from '@orrery/core/params';
import { loadDriver } from '../connections/driver.ts';
import type { RowSink, SqlSession } from './session.ts';

/** The settings of a connection of this kind. */
export interface TrinoSettings {
  readonly host: string;
  readonly port: number;
  readonly catalog?: string;
  readonly schema?: string;
  readonly user?: string;
  readonly password?: string;
  readonly tls: 'off' | 'on' | 'verify';
  readonly ca?: string;
}

/** The used part of the driver. */
interface Answer {
  readonly id: string;
  readonly columns?: readonly { readonly name: string }[];
  readonly data?: readonly (readonly unknown[])[];
  readonly updateType?: string;
  readonly updateCount?: number;
  readonly error?: {
    readonly message: string;
    readonly errorName: string;
    readonly errorLocation?: { readonly lineNumber: number };
  };
}
interface Client {
  query(text: string): Promise<AsyncIterable<Answer>>;
  cancel(id: string): Promise<unknown>;
}
interface TrinoDriver {
  readonly default: {
    readonly Trino: { create(options: object): Client };
    readonly BasicAuth: new (user: string, password?: string) => object;
  };
}

/** The statement that runs: its id comes with the first answer. */
interface Running {
  id?: string;
  cancelled: boolean;
}

/** Opens one. */
export async function openTrino(settings: TrinoSettings, codeFolder: string): Promise<SqlSession> {
  const { default: driver } = await loadDriver<TrinoDriver>('trino-client', codeFolder);
  const { host, port, catalog, schema, user = 'orrery', password, tls, ca } = settings;
  const client = driver.Trino.create({
    server: `${tls === 'off' ? 'http' : 'https'}://${host}:${port}`,
    source: 'orrery',
    catalog,
    schema,
    auth: new driver.BasicAuth(user, password),
    ssl: { rejectUnauthorized: tls === 'verify', ca },
  });
  const nothing: RowSink = { columns() {}, row: () => true, ready: async () => {} };
  await execute(client, 'SELECT 1', nothing, { cancelled: false });
  const current: Running = { cancelled: false };
  let running: Promise<unknown> = Promise.resolve();
  return {
    name: 'Trino',
    transaction: undefined,
    get usable() {
      return !current.cancelled;
    },
    run(text, values, sink) {
      current.id = undefined;
      const result = execute(client, bound(text, values), sink, current);
      running = result.catch(() => {});
      return result;
    },
    // The driver keeps the effects of SET SESSION and USE.
    reset: async () => false,
    async cancel() {
      current.cancelled = true;
      if (current.id !== undefined) await client.cancel(current.id).catch(() => {});
      await running;
    },
    close: async () => {},
  };
}

async function execute(
  client: Client,
  text: string,
  sink: RowSink,
  current: Running,
): Promise<number | undefined> {
  let described = false;
  let changed: number | undefined;
  for await (const { id, columns, data = [], updateType, updateCount, error } of await client.query(text)) {
    current.id = id;
    if (error)
      throw {
        message: `${error.message} [${error.errorName}]`,
        line: error.errorLocation && error.errorLocation.lineNumber - 1,
      };
    if (current.cancelled) {
      await client.cancel(id);
      throw new Error('cancelled');
    }
    if (updateType !== undefined) {
      changed = updateCount ?? changed ?? 0;
      continue;
    }
    if (columns && !described) sink.columns(columns.map(({ name }) => name));
    described ||= columns !== undefined;
    for (const row of data) if (!sink.row(row)) await sink.ready();
  }
  return described ? undefined : (changed ?? 0);
}

/**
 * Binds like Trino's drivers: values follow the statement as literals, whose only special character is the
 * quote.
 */
function bound(text: string, values: readonly SqlValue[]): string {
  if (values.length === 0) return text;
  const literals = values.map((value) => (typeof value === 'string' ? quoted(value) : String(value)));
  return `EXECUTE IMMEDIATE ${quoted(text)} USING ${literals.join(', ')}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
