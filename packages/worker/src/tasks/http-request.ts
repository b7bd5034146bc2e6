/** One exchange of an `http` task: connects through the gate, sends, and reads the response up to a limit. */
import { type ClientRequest, request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { TaskFailure } from '../plugin/contract.ts';
import type { Gate } from './http-address.ts';

/** The request. */
export interface Outgoing {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** The response. */
export interface Incoming {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Buffer;
}

/** Limits of the exchange. */
export interface Limits {
  readonly connectTimeout: number;
  readonly maxResponse: number;
  /** Aborts the exchange: the attempt is to end, or took too long. */
  readonly signal: AbortSignal;
  readonly gate: Gate;
}

/** Sends a request and reads the response. Throws if that fails within the limits. */
export async function exchange({ url, method, headers, body }: Outgoing, limits: Limits): Promise<Incoming> {
  limits.gate.check(url.hostname);
  const send = url.protocol === 'https:' ? tlsRequest : plainRequest;
  const { promise, resolve, reject } = Promise.withResolvers<Incoming>();
  const asked = send(url, {
    method,
    headers,
    lookup: limits.gate.lookup,
    signal: limits.signal,
    // A connection of its own: a shared one would outlive the attempt.
    agent: false,
  });
  limitConnecting(asked, url, limits.connectTimeout);
  asked.on('error', reject);
  asked.on('response', async (answer) => {
    try {
      const chunks: Buffer[] = [];
      let size = 0;
      for await (const chunk of answer) {
        size += chunk.length;
        if (size > limits.maxResponse)
          throw new TaskFailure(`the answer is larger than ${limits.maxResponse} bytes (maxResponse)`);
        chunks.push(chunk);
      }
      resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks) });
    } catch (error) {
      asked.destroy();
      reject(error);
    }
  });
  asked.end(body);
  return promise;
}

function limitConnecting(asked: ClientRequest, url: URL, limit: number): void {
  const failure = new TaskFailure(`${url.host} did not accept a connection within ${limit} ms`);
  const timer = setTimeout(() => asked.destroy(failure), limit);
  const done = () => clearTimeout(timer);
  asked.on('socket', (socket) => socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', done));
  asked.on('close', done);
}
