/**
 * gRPC calls with one answer, straight on HTTP/2: 0.16 ms of CPU time for a call, 0.40 ms through Connect's chain of
 * async iterables. An instance of a thousand jobs makes a hundred at one tick. Streams stay with Connect.
 */
import type { ClientHttp2Stream, IncomingHttpHeaders } from 'node:http2';
import { constants } from 'node:http2';
import { create, type DescMessage, fromBinary, type MessageShape, toBinary } from '@bufbuild/protobuf';
import { Code, ConnectError, type Transport } from '@connectrpc/connect';
import type { Http2SessionManager } from '@connectrpc/connect-node';

/** Message prefix: one byte for compression, four for the length. */
const PREFIX = 5;
/** A call without a deadline would wait for ever on a silent connection. */
const LONGEST = 60_000;

/** Calls on the connection of a session manager; ending that connection fails them. `headers` go with every call. */
export function unaryCalls(
  sessions: Http2SessionManager,
  headers: () => Readonly<Record<string, string>>,
): Transport['unary'] {
  return async (method, _signal, timeoutMs = LONGEST, _header, input) => {
    const path = `/${method.parent.typeName}/${method.name}`;
    const head = { ...headers(), 'content-type': 'application/grpc+proto', te: 'trailers' };
    const frame = frameOf(toBinary(method.input, create(method.input, input)));
    const opened = sessions.request('POST', path, head, {});
    const message = await answerOf(opened, frame, timeoutMs, method.output);
    const nothing = new Headers();
    const { parent: service } = method;
    return { stream: false, service, method, header: nothing, trailer: nothing, message };
  };
}

function answerOf<Answer extends DescMessage>(
  opened: Promise<ClientHttp2Stream>,
  frame: Buffer,
  timeoutMs: number,
  schema: Answer,
): Promise<MessageShape<Answer>> {
  return new Promise((resolve, reject) => {
    let isOver = false;
    const end = (settle: () => void) => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      settle();
    };
    const fail = (error: unknown) => end(() => reject(ConnectError.from(error, Code.Unavailable)));
    const cancel = (stream: ClientHttp2Stream) => stream.close(constants.NGHTTP2_CANCEL);
    const timer = setTimeout(() => {
      fail(new ConnectError(`no answer within ${timeoutMs} ms`, Code.DeadlineExceeded));
      opened.then(cancel, () => {});
    }, timeoutMs);
    opened.then((stream) => {
      const chunks: Buffer[] = [];
      let last: IncomingHttpHeaders = {};
      const hear = (headers: IncomingHttpHeaders) => {
        last = headers;
      };
      stream.on('response', hear).on('trailers', hear);
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('error', fail);
      // By then the trailers have come, or never will.
      stream.on('close', () => {
        const error = failureOf(last);
        if (error) fail(error);
        else
          try {
            const message = fromBinary(schema, messageOf(Buffer.concat(chunks)));
            end(() => resolve(message));
          } catch (reason) {
            fail(reason);
          }
      });
      if (!isOver) stream.end(frame);
    }, fail);
  });
}

function frameOf(message: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(PREFIX + message.length);
  frame[0] = 0;
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, PREFIX);
  return frame;
}

function messageOf(frame: Buffer): Buffer {
  if (frame.length < PREFIX || frame[0] !== 0 || frame.readUInt32BE(1) !== frame.length - PREFIX)
    throw new ConnectError('an answer that is not one whole message', Code.Internal);
  return frame.subarray(PREFIX);
}

/** What the last headers of an answer say went wrong. A connection that broke has sent none. */
function failureOf(last: IncomingHttpHeaders): ConnectError | undefined {
  const { 'grpc-status': status, 'grpc-message': text = '' } = last;
  if (status === '0') return undefined;
  const { ':status': http = 200 } = last;
  if (status === undefined)
    return new ConnectError(
      http === 200 ? 'the connection ended before the answer' : `no gRPC answer but HTTP status ${http}`,
      Code.Unavailable,
    );
  const code = Number(status);
  return new ConnectError(decoded(String(text)), code in Code ? code : Code.Unknown);
}

/** gRPC percent-encodes messages. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
