/**
 * The `http` task: one request that succeeds or fails by the status of the response. It runs inside the
 * worker without a process: it only waits, and ends as soon as the attempt is to end.
 */
import {
  definePlugin,
  type OutputValue,
  type Plugin,
  type TaskContext,
  TaskFailure,
} from '../plugin/contract.ts';
import { createGate, type Gate } from './http-address.ts';
import { exchange, type Incoming, type Limits, type Outgoing } from './http-request.ts';
import { type HttpSettings, httpSettings, isExpected } from './http-settings.ts';

const MOST_REDIRECTS = 5;

/** How much of an unexpected response goes into the log. */
const SHOWN_BODY = 2_000;

/** Headers meant for one host only. */
const forOneHost = new Set(['authorization', 'cookie', 'proxy-authorization']);

/** `allowed`: private addresses it may connect to, besides the internet. */
export function httpTask(allowed: readonly string[]): Plugin {
  const gate = createGate(allowed);
  return definePlugin({
    name: 'http',
    title: 'HTTP',
    description: 'Sends a request; the status of the answer decides.',
    schema: httpSettings,
    run: (context) => run(context, gate),
  });
}

async function run(context: TaskContext<HttpSettings>, gate: Gate): Promise<void> {
  const { with: settings, signal, log, output } = context;
  const { timeout, connectTimeout, maxResponse } = settings;
  const late = AbortSignal.timeout(timeout);
  const limits = { connectTimeout, maxResponse, gate, signal: AbortSignal.any([signal, late]) };
  try {
    const answer = await follow(signedIn(outgoing(settings), context), limits, context);
    log(`answered with ${answer.status}, ${answer.body.length} bytes`);
    if (!isExpected(answer.status, settings)) throw unexpected(answer, context);
    output('status', answer.status);
    for (const [name, value] of picks(answer, settings)) output(name, value);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (late.aborted) throw new TaskFailure(`no whole answer within ${timeout} ms (timeout)`);
    throw error instanceof TaskFailure ? error : new TaskFailure(plainly(error));
  }
}

function outgoing({ url: written, method, headers, query, body, json, form }: HttpSettings): Outgoing {
  const url = new URL(written);
  for (const [name, values] of Object.entries(query))
    for (const value of [values].flat()) url.searchParams.append(name, String(value));
  const given = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]),
  );
  const [type, text] =
    json !== undefined
      ? ['application/json', JSON.stringify(json)]
      : form !== undefined
        ? ['application/x-www-form-urlencoded', new URLSearchParams(mapText(form)).toString()]
        : ['text/plain; charset=utf-8', body];
  const carried: Record<string, string> =
    text === undefined
      ? {}
      : { 'content-type': type ?? '', 'content-length': String(Buffer.byteLength(text)) };
  return { url, method, body: text, headers: { 'user-agent': 'orrery', ...carried, ...given } };
}

/**
 * The request with the credentials of its connection, which are sent only to addresses below the
 * connection's.
 */
function signedIn(
  asked: Outgoing,
  { with: { connection: name }, connection }: TaskContext<HttpSettings>,
): Outgoing {
  if (name === undefined) return asked;
  const { kind, settings } = connection(name);
  const fail = (why: string) => new TaskFailure(`connection "${name}" ${why}`, { fatal: true });
  if (kind !== 'http') throw fail(`is of kind ${kind}; this task needs http`);
  const { url, token, user, password = '' } = settings as Readonly<Record<string, string | undefined>>;
  const base = new URL(url ?? '');
  const folder = base.pathname.endsWith('/') ? base.pathname : `${base.pathname}/`;
  const isBelow = asked.url.origin === base.origin && `${asked.url.pathname}/`.startsWith(folder);
  if (!isBelow) throw fail(`is for addresses below ${base.origin}${base.pathname}`);
  const authorization =
    token !== undefined
      ? `Bearer ${token}`
      : user !== undefined
        ? `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
        : undefined;
  return authorization === undefined ? asked : { ...asked, headers: { ...asked.headers, authorization } };
}

function mapText(values: Readonly<Record<string, string | number | boolean>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
}

/** Sends the request and follows redirects, within the limits. */
async function follow(
  first: Outgoing,
  limits: Limits,
  { with: { redirects }, log }: TaskContext<HttpSettings>,
): Promise<Incoming> {
  let next = first;
  for (let count = 0; ; count++) {
    log(`${next.method} ${shown(next.url)}`);
    const answer = await exchange(next, limits);
    const { location } = answer.headers;
    if (![301, 302, 303, 307, 308].includes(answer.status) || typeof location !== 'string') return answer;
    if (redirects === 'none') return answer;
    if (count >= MOST_REDIRECTS) throw new TaskFailure(`redirected more than ${MOST_REDIRECTS} times`);
    if (!URL.canParse(location, next.url.href))
      throw new TaskFailure('redirected to something that is no address');
    const url = new URL(location, next.url);
    if (redirects === 'same-host' && !isSameHost(next.url, url))
      throw new TaskFailure(`redirected to another host, ${shown(url)}; set redirects to any to follow it`);
    next = redirected(next, url, answer.status);
  }
}

/** The same host name, including from http to https, but never back. */
function isSameHost(from: URL, to: URL): boolean {
  if (from.host === to.host && from.protocol === to.protocol) return true;
  return from.hostname === to.hostname && from.protocol === 'http:' && to.protocol === 'https:';
}

function redirected({ method, headers, body, url: from }: Outgoing, url: URL, status: number): Outgoing {
  if (!['http:', 'https:'].includes(url.protocol))
    throw new TaskFailure(`redirected to ${url.protocol}, which is neither http nor https`);
  const becomesGet = status === 303 || (status < 303 && method === 'POST');
  const kept = Object.entries(headers).filter(
    ([name]) =>
      !(becomesGet && name.startsWith('content-')) &&
      name !== 'host' &&
      (from.host === url.host || !forOneHost.has(name)),
  );
  return {
    url,
    method: becomesGet && method !== 'HEAD' ? 'GET' : method,
    headers: Object.fromEntries(kept),
    body: becomesGet ? undefined : body,
  };
}

/** An address for the log: without password and query, which often holds a key. */
function shown({ origin, pathname, search }: URL): string {
  return `${origin}${pathname}${search === '' ? '' : '?…'}`;
}

function unexpected(
  { status, body }: Incoming,
  { with: settings, log }: TaskContext<HttpSettings>,
): TaskFailure {
  if (body.length > 0) log(body.toString('utf8', 0, SHOWN_BODY));
  return new TaskFailure(`answered with ${status}; expected ${[settings.status].flat().join(', ')}`);
}

function picks({ body }: Incoming, { outputs }: HttpSettings): [string, OutputValue][] {
  const wanted = Object.entries(outputs);
  if (wanted.length === 0) return [];
  const document = parse(body);
  return wanted.map(([name, pointer]) => {
    const value = pick(document, pointer);
    if (value === undefined || value === null)
      throw new TaskFailure(`outputs.${name}: the answer has nothing at "${pointer}"`);
    return [name, value as OutputValue];
  });
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    throw new TaskFailure('outputs: the answer is not JSON');
  }
}

/** The value at a JSON pointer (RFC 6901). */
function pick(document: unknown, pointer: string): unknown {
  let value = document;
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (value === null || typeof value !== 'object' || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

/** Errors of sockets in one line; the addresses of a host fail together. */
function plainly(error: unknown): string {
  const { message, code, errors } = error as NodeJS.ErrnoException & { errors?: Error[] };
  return message || errors?.map((each) => each.message).join('; ') || code || String(error);
}
