/** PostgreSQL over `pg`: rows are taken as they arrive, a cancel is a request to the server. */
import type { SqlValue } from '@orrery/core/params';
import type { Client } from 'pg';
import { settles } from './cancel.ts';
import {
  type DatabaseSettings,
  type RowSink,
  type SqlSession,
  type StatementFault,
  TRANSACTION,
} from './session.ts';

const CONNECT_WITHIN = 10_000;
/** How long the server may take to end a statement before the session is cut. */
const CANCEL_WITHIN = 3_000;

/** Opens one. */
export async function openPostgres(settings: DatabaseSettings): Promise<SqlSession> {
  const { default: pg } = await import('pg');
  const { tls, ca, password = '', ...rest } = settings;
  const config = {
    ...rest,
    // Given as a text that is empty, the driver would look for one in the environment and the files of the worker.
    password: () => password,
    application_name: 'orrery',
    connectionTimeoutMillis: CONNECT_WITHIN,
    keepAlive: true,
    ssl: tls === 'off' ? undefined : { rejectUnauthorized: tls === 'verify', ca },
  };
  const client = new pg.Client(config);
  let usable = true;
  // Without a listener, a lost server would crash the worker.
  client.on('error', () => {
    usable = false;
  });
  client.on('end', () => {
    usable = false;
  });
  await client.connect();
  await prepared(client);
  let running: Promise<unknown> = Promise.resolve();
  return {
    name: 'PostgreSQL',
    transaction: TRANSACTION,
    get usable() {
      return usable;
    },
    run(text, values, sink) {
      const result = query(pg.Query, client, text, values, sink);
      running = result.catch(() => {});
      return result;
    },
    async reset() {
      try {
        await client.query('DISCARD ALL');
        await prepared(client);
        streamOf(client).unref();
        return usable;
      } catch {
        return false;
      }
    },
    async cancel() {
      usable = false;
      await ask(pg.Client, config, 'pg_cancel_backend', client);
      if (await settles(running, CANCEL_WITHIN)) return;
      await ask(pg.Client, config, 'pg_terminate_backend', client);
      streamOf(client).destroy();
      await running;
    },
    close: () => client.end().catch(() => {}),
  };
}

/** The server ends a statement by itself when its client is gone: nothing runs on after a worker that was killed. */
async function prepared(client: Client): Promise<void> {
  await client.query("SET client_connection_check_interval = '1s'").catch(() => {});
}

type PgModule = typeof import('pg');

async function ask(
  ClientClass: PgModule['Client'],
  config: ConstructorParameters<PgModule['Client']>[0],
  what: string,
  of: Client,
): Promise<void> {
  const second = new ClientClass(config);
  second.on('error', () => {});
  try {
    await second.connect();
    await second.query(`SELECT ${what}($1)`, [(of as Client & { processID: number }).processID]);
  } catch {
    // The server cannot be reached: then the session is cut.
  } finally {
    await second.end().catch(() => {});
  }
}

function query(
  QueryClass: PgModule['Query'],
  client: Client,
  text: string,
  values: readonly SqlValue[],
  sink: RowSink,
): Promise<number | undefined> {
  const stream = streamOf(client);
  stream.ref();
  return new Promise((resolve, reject) => {
    let described = false;
    let thrown: unknown;
    const describe = (fields: readonly { readonly name: string }[]): void => {
      if (!described) sink.columns(fields.map(({ name }) => name));
      described = true;
    };
    const one = new QueryClass({
      text,
      values: [...values],
      rowMode: 'array',
      types: { getTypeParser: (type: number) => parser(type) },
    } as ConstructorParameters<typeof QueryClass>[0]);
    one.on('row', (row, result) => {
      if (thrown !== undefined || !result) return;
      try {
        describe(result.fields);
        if (sink.row(row as unknown as unknown[]) || stream.isPaused()) return;
        stream.pause();
        void sink.ready().then(() => stream.resume());
      } catch (error) {
        thrown = error;
      }
    });
    one.on('error', (error) => reject(faultOf(error, text)));
    one.on('end', (result) => {
      if (thrown !== undefined) return reject(thrown);
      if (result.fields.length > 0) describe(result.fields);
      resolve(described ? undefined : (result.rowCount ?? 0));
    });
    client.query(one);
  });
}

function streamOf(client: Client): import('node:net').Socket {
  return (client as Client & { connection: { stream: import('node:net').Socket } }).connection.stream;
}

/** Parses numbers, booleans and JSON; everything else stays as the server writes it. */
function parser(type: number): (text: string) => unknown {
  if (type === 16) return (text) => text === 't';
  if (type === 20) return (text) => BigInt(text);
  if ([21, 23, 26, 700, 701].includes(type)) return Number;
  if (type === 114 || type === 3802) return (text) => JSON.parse(text);
  return (text) => text;
}

function faultOf(error: Error, text: string): StatementFault {
  const { code, detail, hint, position } = error as Error & Record<string, string | undefined>;
  const more = [detail, hint].filter(Boolean).join('; ');
  const line = position === undefined ? undefined : text.slice(0, Number(position)).split('\n').length - 1;
  return { message: `${error.message}${more && ` (${more})`}${code ? ` [${code}]` : ''}`, line };
}
