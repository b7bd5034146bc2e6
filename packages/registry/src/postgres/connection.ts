/** Connections of the PostgreSQL registry: opening, breaking, and the meaning of errors. */
import { Socket } from 'node:net';
import pg from 'pg';
import { RegistryError, type RegistryReason } from '../errors.ts';
import type { Operation } from '../registry.ts';
import { REFUSED } from './schema.ts';

/** Connection settings. */
export interface PostgresTarget {
  readonly url: string;
  readonly name: string;
  readonly ssl: pg.ClientConfig['ssl'];
  readonly connectTimeout: number;
}

/** A connection and a way to break it when it is silent. */
export interface PostgresConnection {
  readonly client: pg.Client;
  destroy(): void;
}

const types: pg.CustomTypesConfig = {
  getTypeParser: ((id: number, format?: 'text') =>
    id === pg.types.builtins.INT8
      ? Number
      : pg.types.getTypeParser(id, format)) as typeof pg.types.getTypeParser,
};

/** Connects once. `closed` is called when the connection ends, but not if connecting fails. */
export async function connect(target: PostgresTarget, closed: () => void): Promise<PostgresConnection> {
  const socket = new Socket();
  const client = new pg.Client({
    connectionString: target.url,
    application_name: target.name,
    ...(target.ssl && { ssl: target.ssl }),
    connectionTimeoutMillis: target.connectTimeout,
    pipeline: true,
    stream: () => socket,
    types,
  });
  client.on('error', () => {});
  const destroy = () => socket.destroy();
  try {
    await client.connect();
  } catch (error) {
    destroy();
    throw error;
  }
  client.once('end', closed);
  return { client, destroy };
}

/**
 * Refuses a pooler that runs statements of one connection in different sessions. A pooler reports a process
 * number that differs from the backend's. The check then listens on a channel: either a second connection
 * lands in the listening session, or, while the second one is busy, the first lands in a session that does
 * not listen.
 */
export async function refuseTransactionPooling(
  { client }: PostgresConnection,
  target: PostgresTarget,
): Promise<void> {
  const { processID } = client as unknown as { processID: number | null };
  const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
  if (rows[0].pid === processID) return;
  // A pooler invents process numbers, some of them negative.
  const channel = `orrery_probe_${Math.abs(processID ?? 0)}`;
  const listens = `SELECT '${channel}' IN (SELECT pg_listening_channels()) AS listens`;
  await client.query(`LISTEN ${channel}`);
  const second = await connect(target, () => {});
  try {
    await second.client.query('BEGIN');
    const [other] = (await second.client.query(listens)).rows;
    const own = other.listens ? undefined : (await client.query(listens)).rows[0];
    await second.client.query('ROLLBACK');
    if (other.listens || !own?.listens)
      throw new Error(
        'the registry needs its own session in PostgreSQL, and this is a pooler in transaction mode: ' +
          'connect to PostgreSQL directly, or set pool_mode = session',
      );
  } finally {
    await second.client.end().catch(() => undefined);
    await client.query(`UNLISTEN ${channel}`).catch(() => undefined);
  }
}

/** Whether connecting again may succeed. */
export function isPassing(error: unknown): boolean {
  const { code, message } = error as { code?: string; message?: string };
  if (code === undefined) return /connection|terminated|timeout|closed|not queryable/i.test(message ?? '');
  return /^(08(?!P01)|57P|53|58|55P03|57014|E[A-Z]+$)/.test(code);
}

/** Whether the server refused a statement although it works: another one on the same session may succeed. */
export function isRefusal(error: unknown): boolean {
  if (error instanceof RegistryError || isPassing(error)) return false;
  const { code, message } = error as { code?: string; message: string };
  return code !== undefined && message !== ('session-lost' satisfies RegistryReason);
}

/** Converts an error to the registry's own. */
export function asRegistryError(error: unknown, write: boolean, operations?: readonly Operation[]): unknown {
  if (error instanceof RegistryError) return error;
  const { code = '', message, detail } = error as { code?: string; message: string; detail?: string };
  if (code === REFUSED) {
    const step = detail === undefined ? undefined : Number(detail);
    const path = step === undefined ? undefined : operations?.[step]?.path;
    return new RegistryError(message as RegistryReason, { step, path });
  }
  if (isPassing(error)) return new RegistryError('away', { unknown: write, detail: message, cause: error });
  if (/^(28|42501)/.test(code)) return new RegistryError('denied', { detail: message, cause: error });
  return error;
}
