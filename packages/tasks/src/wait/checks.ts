/** What can be waited for: each look answers whether it is there, and what was seen. A fault outside is only "not yet". */
import { stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { resolve } from 'node:path';
import { InvalidInput } from '@orrery/core/errors';
import { exchange, type Gate } from '@orrery/worker/http';
import { type TaskContext, TaskFailure } from '@orrery/worker/plugin';
import { givenConnection } from '../connections/given.ts';
import { firstOf, type S3Settings, sizeOf } from '../s3/client.ts';
import { prepare } from '../sql/job.ts';
import { SERVERS, serverKind } from '../sql/servers.ts';
import type { Sessions } from '../sql/sessions.ts';
import type { WaitSettings } from './task.ts';

/** What a look found. */
interface Seen {
  readonly met: boolean;
  readonly seen: string;
}

/** Looks once. */
export type Checks = (context: TaskContext<WaitSettings>) => Promise<Seen>;

/** What they use. */
interface Means {
  readonly codeFolder: string;
  readonly gate: Gate;
  readonly sessions: Sessions;
}

const CONNECT_WITHIN = 10_000;
const LARGEST_ANSWER = 1_048_576;

/** All of them behind one function. */
export function waitChecks(means: Means): Checks {
  return async (context) => {
    const { file, url, port, sql, object } = context.with;
    try {
      if (file !== undefined) return await lookAtFile(resolve(means.codeFolder, context.hostPath(file)));
      if (url !== undefined) return await lookAtUrl(context, new URL(url), means.gate);
      if (port !== undefined) return await lookAtPort(context, port, means.gate);
      if (sql !== undefined) return await lookForRow(context, sql, means.sessions);
      if (object !== undefined) return await lookForObject(context, object, means.gate);
      return lookAtTime(context.with.until ?? '');
    } catch (error) {
      // A refusal of the gate or of the settings stays one; everything else may pass.
      if (context.signal.aborted || (error as { fatal?: boolean }).fatal) throw error;
      if (error instanceof InvalidInput) throw new TaskFailure(error.message, { fatal: true });
      const { message, code } = error as NodeJS.ErrnoException;
      return { met: false, seen: message || code || String(error) };
    }
  };
}

async function lookAtFile(path: string): Promise<Seen> {
  try {
    const { size } = await stat(path);
    return { met: true, seen: `${path} is there, ${size} bytes` };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return { met: false, seen: `${path} is not there` };
  }
}

async function lookAtUrl(
  { with: settings, signal }: TaskContext<WaitSettings>,
  url: URL,
  gate: Gate,
): Promise<Seen> {
  const { status, contains } = settings;
  const asked = { url, method: 'GET', headers: { 'user-agent': 'orrery' }, body: undefined };
  const limits = { connectTimeout: CONNECT_WITHIN, maxResponse: LARGEST_ANSWER, signal, gate };
  const answer = await exchange(asked, limits);
  if (answer.status !== status)
    return { met: false, seen: `${url.host} answered with ${answer.status}; expected ${status}` };
  const has = contains === undefined || answer.body.toString().includes(contains);
  return { met: has, seen: `${url.host} answered with ${status}${has ? '' : ' without the text'}` };
}

function lookAtPort(
  { with: { host }, signal }: TaskContext<WaitSettings>,
  port: number,
  gate: Gate,
): Promise<Seen> {
  gate.check(host);
  return new Promise((resolvePromise, reject) => {
    const socket = connect({ host, port, lookup: gate.lookup, timeout: CONNECT_WITHIN });
    const end = (settle: () => void) => () => {
      signal.removeEventListener('abort', stop);
      socket.destroy();
      settle();
    };
    const stop = end(() => reject(signal.reason));
    signal.addEventListener('abort', stop, { once: true });
    socket.once(
      'connect',
      end(() => resolvePromise({ met: true, seen: `${host}:${port} accepts connections` })),
    );
    socket.once(
      'timeout',
      end(() => resolvePromise({ met: false, seen: `${host}:${port} does not answer` })),
    );
    socket.once('error', (error) => end(() => reject(error))());
  });
}

async function lookForRow(
  context: TaskContext<WaitSettings>,
  sql: string,
  sessions: Sessions,
): Promise<Seen> {
  const { with: settings, params } = context;
  const name = settings.connection ?? '';
  const { kind, settings: given } = givenConnection(context, name, SERVERS);
  const [statement] = prepare(sql, 'sql', { params, markers: serverKind(kind).markers });
  let rows = 0;
  const sink = { columns() {}, row: () => ++rows > 0, ready: async () => {} };
  await sessions.use(context, { name, kind, settings: given }, (session) =>
    session.run(statement.text, statement.values, sink).catch((error: { message: string }) => {
      throw new TaskFailure(error.message);
    }),
  );
  return { met: rows > 0, seen: rows > 0 ? 'the query returned a row' : 'the query returned no row' };
}

async function lookForObject(context: TaskContext<WaitSettings>, object: string, gate: Gate): Promise<Seen> {
  const { settings } = givenConnection(context, context.with.connection ?? '', ['s3']);
  const store = settings as unknown as S3Settings;
  const means = { gate, signal: context.signal };
  if (object.endsWith('*')) {
    const found = await firstOf(store, object.slice(0, -1), means);
    return found === undefined
      ? { met: false, seen: `no object ${object} in ${store.bucket}` }
      : { met: true, seen: `${found} is in ${store.bucket}` };
  }
  const size = await sizeOf(store, object, means);
  return size === undefined
    ? { met: false, seen: `${object} is not in ${store.bucket}` }
    : { met: true, seen: `${object} is in ${store.bucket}, ${size} bytes` };
}

function lookAtTime(until: string): Seen {
  const met = Date.now() >= Date.parse(until);
  return { met, seen: met ? `${until} is past` : `waiting until ${until}` };
}
