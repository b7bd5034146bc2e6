/** A server whose answers and faults a test scripts: the outside of the client. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request as it came. */
interface Asked {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Answers a request. */
export type Reply = (answer: ServerResponse, asked: Asked) => void;

/** A server that sends these replies in turn and repeats the last. */
export interface ScriptedServer extends AsyncDisposable {
  readonly url: string;
  readonly asked: Asked[];
}

/** Starts one on a free port. */
export async function scriptedServer(...replies: Reply[]): Promise<ScriptedServer> {
  const asked: Asked[] = [];
  const server = createServer(async (request, answer) => {
    let body = '';
    for await (const piece of request.setEncoding('utf8')) body += piece;
    const { method, url, headers } = request;
    asked.push({ method, url, headers, body });
    replies[Math.min(asked.length, replies.length) - 1](answer, asked[asked.length - 1]);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

/** Answers JSON. */
export function json(content: unknown, headers: Record<string, string> = {}): Reply {
  return (answer) =>
    answer.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(content));
}

/** Refuses as the API does. */
export function problem(
  status: number,
  kind: string,
  more: object = {},
  headers: Record<string, string> = {},
): Reply {
  const body = {
    type: `urn:orrery:problem:${kind}`,
    title: kind,
    status,
    detail: `it is ${kind}`,
    requestId: 'r1',
  };
  return (answer) =>
    answer
      .writeHead(status, { 'content-type': 'application/problem+json', ...headers })
      .end(JSON.stringify({ ...body, ...more }));
}

/** Breaks the connection, before or in the middle of an answer. */
export const breakOff: Reply = (answer) => answer.destroy();
