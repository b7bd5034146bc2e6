/** Questions to a store of objects over the protocol of S3. */
import { exchange, type Gate } from '@orrery/worker/http';
import { TaskFailure } from '@orrery/worker/plugin';
import { objectPath, type S3Key, signedHeaders } from './signature.ts';

/** The settings of an `s3` connection. */
export interface S3Settings extends S3Key {
  readonly endpoint: string;
  readonly bucket: string;
}

/** What holds for a question. */
interface Means {
  readonly gate: Gate;
  readonly signal: AbortSignal;
}

const CONNECT_WITHIN = 10_000;
const LARGEST_ANSWER = 1_048_576;

/** The size of an object in bytes; undefined where there is none. */
export async function sizeOf(settings: S3Settings, key: string, means: Means): Promise<number | undefined> {
  const { status, headers } = await ask(settings, 'HEAD', objectPath(settings.bucket, key), {}, means);
  if (status === 404) return undefined;
  if (status !== 200) throw refusal(settings, status, '');
  return Number(headers['content-length'] ?? 0);
}

/** The first object whose name starts with the prefix; undefined if there is none. */
export async function firstOf(
  settings: S3Settings,
  prefix: string,
  means: Means,
): Promise<string | undefined> {
  const query = { 'list-type': '2', 'max-keys': '1', prefix };
  const { status, body } = await ask(settings, 'GET', `/${settings.bucket}`, query, means);
  if (status !== 200) throw refusal(settings, status, body.toString());
  const [, key] = /<Key>([^<]*)<\/Key>/.exec(body.toString()) ?? [];
  return key === undefined ? undefined : plain(key);
}

function ask(
  settings: S3Settings,
  method: string,
  path: string,
  query: Readonly<Record<string, string>>,
  { gate, signal }: Means,
) {
  const url = new URL(settings.endpoint);
  url.pathname = path;
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  const headers = signedHeaders(settings, { method, url, time: Date.now() });
  return exchange(
    { url, method, headers, body: undefined },
    { connectTimeout: CONNECT_WITHIN, maxResponse: LARGEST_ANSWER, signal, gate },
  );
}

/**
 * The store's error. A wrong key or bucket does not resolve by itself, so it is a failure and not a "not
 * yet".
 */
function refusal({ endpoint, bucket }: S3Settings, status: number, body: string): TaskFailure {
  const [, code] = /<Code>([^<]*)<\/Code>/.exec(body) ?? [];
  const why = code ?? ({ 400: 'bad request', 403: 'access denied' } as Record<number, string>)[status];
  const said = `${new URL(endpoint).host} refused bucket "${bucket}" with ${status}${why ? ` (${why})` : ''}`;
  return new TaskFailure(said, { fatal: status >= 400 && status < 500 && status !== 429 });
}

function plain(xml: string): string {
  const signs: Record<string, string> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };
  return xml.replace(/&(lt|gt|quot|apos|amp);/g, (_, name: string) => signs[name]);
}
