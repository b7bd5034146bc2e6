/** ClickHouse over `@clickhouse/client`: a session over HTTP. A cancel kills the query by its id. */
import { randomUUID } from 'node:crypto';
import { Agent } from 'node:https';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { loadDriver } from '../connections/driver.ts';
import { cancelUntilOver } from './cancel.ts';
import type { DatabaseSettings, RowSink, SqlSession } from './session.ts';

/** The used part of the driver. */
interface ClickhouseClient {
  exec(statement: {
    query: string;
    query_id: string;
    query_params: Record<string, unknown>;
  }): Promise<{ stream: Readable; summary?: { written_rows: string } }>;
  command(statement: { query: string; query_params?: Record<string, unknown> }): Promise<unknown>;
  close(): Promise<void>;
}
interface ClickhouseDriver {
  readonly default: { createClient(config: object): ClickhouseClient };
}

/** Longer than any attempt: the timeout of the task is what counts. */
const LONGEST = 2_147_483_647;
/** It would write statements with their parameters to the log of the worker. */
const SILENT = 127;
/** Names in the first line, types in the second; whole numbers of 64 bits as text, which JSON would round. */
const RESULT = {
  default_format: 'JSONCompactEachRowWithNamesAndTypes',
  output_format_json_quote_64bit_integers: 1,
};

/** Opens one. */
export async function openClickhouse(settings: DatabaseSettings, codeFolder: string): Promise<SqlSession> {
  const { default: driver } = await loadDriver<ClickhouseDriver>('@clickhouse/client', codeFolder);
  const { host, port, database, user, password, tls, ca } = settings;
  const config = {
    url: `${tls === 'off' ? 'http' : 'https'}://${host}:${port}`,
    database,
    username: user,
    password,
    application: 'orrery',
    request_timeout: LONGEST,
    log: { level: SILENT },
    ...(ca !== undefined && { tls: { ca_cert: Buffer.from(ca) } }),
    ...(tls === 'on' && { http_agent: new Agent({ rejectUnauthorized: false }) }),
  };
  const client = driver.createClient({ ...config, session_id: randomUUID(), clickhouse_settings: RESULT });
  await client.command({ query: 'SELECT 1' });
  let usable = true;
  let id = '';
  let running: Promise<unknown> = Promise.resolve();
  return {
    name: 'ClickHouse',
    transaction: undefined,
    get usable() {
      return usable;
    },
    run(text, values, sink) {
      id = randomUUID();
      const query_params = Object.fromEntries(values.map((value, k) => [`p${k + 1}`, value]));
      const result = execute(client, { query: text, query_id: id, query_params }, sink);
      running = result.catch(() => {});
      return result;
    },
    // Settings and temporary tables of a session cannot be undone.
    reset: async () => false,
    async cancel() {
      usable = false;
      // The session is busy with the statement: this needs a client without one.
      const second = driver.createClient(config);
      const kill = { query: 'KILL QUERY WHERE query_id = {id:String} SYNC', query_params: { id } };
      const isOver = await cancelUntilOver(running, () => second.command(kill).catch(() => {}));
      await second.close();
      if (!isOver) await client.close();
    },
    close: () => client.close(),
  };
}

async function execute(
  client: ClickhouseClient,
  statement: Parameters<ClickhouseClient['exec']>[0],
  sink: RowSink,
): Promise<number | undefined> {
  try {
    const { stream, summary } = await client.exec(statement);
    let names: unknown[] | undefined;
    let large: boolean[] | undefined;
    for await (const line of createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY })) {
      if (line === '') continue;
      // A query that fails after its first rows sends the error in place of a row.
      if (!line.startsWith('[')) throw new Error(line);
      const values = JSON.parse(line) as unknown[];
      if (!names) {
        names = values;
        sink.columns(names.map(String));
      } else if (!large) large = values.map((type) => /^(Nullable\()?U?Int64\)?$/.test(String(type)));
      else if (
        !sink.row(values.map((value, k) => (large?.[k] && value !== null ? BigInt(String(value)) : value)))
      )
        await sink.ready();
    }
    return names ? undefined : Number(summary?.written_rows ?? 0);
  } catch (error) {
    const { message, type } = error as Error & { type?: string };
    throw Object.assign(new Error(`${message}${type ? ` [${type}]` : ''}`), { cause: error });
  }
}
