/** Signs a request to S3, or to a store that speaks its protocol: AWS Signature Version 4. Pure. */
import { createHash, createHmac } from 'node:crypto';

/** The credentials and the endpoint of a request. */
export interface S3Key {
  readonly accessKey: string;
  readonly secretKey: string;
  readonly region: string;
}

/** The hash of a body that is empty. */
const NO_BODY = sha256('');

/** The headers that a request is sent with; `time` is when it is asked, in milliseconds of the epoch. */
export function signedHeaders(
  { accessKey, secretKey, region }: S3Key,
  { method, url, time }: { readonly method: string; readonly url: URL; readonly time: number },
): Record<string, string> {
  const stamp = new Date(time).toISOString().replace(/[-:]|\.\d+/g, '');
  const day = stamp.slice(0, 8);
  const headers: Record<string, string> = {
    host: url.host,
    'x-amz-content-sha256': NO_BODY,
    'x-amz-date': stamp,
  };
  const names = Object.keys(headers).sort();
  const query = [...url.searchParams]
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .sort()
    .join('&');
  const canonical = [
    method,
    url.pathname,
    query,
    ...names.map((name) => `${name}:${headers[name]}`),
    '',
    names.join(';'),
    NO_BODY,
  ].join('\n');
  const scope = `${day}/${region}/s3/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', stamp, scope, sha256(canonical)].join('\n');
  const key = [day, region, 's3', 'aws4_request'].reduce<Buffer | string>(hmac, `AWS4${secretKey}`);
  const signature = hmac(key, text).toString('hex');
  return {
    ...headers,
    authorization: `AWS4-HMAC-SHA256 Credential=${accessKey}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`,
  };
}

/** The path of an object, each part encoded as the signature wants it. */
export function objectPath(bucket: string, key: string): string {
  return `/${[bucket, ...key.split('/')].map(encoded).join('/')}`;
}

function encoded(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function hmac(key: Buffer | string, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
