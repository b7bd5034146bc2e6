/** One HTTP request to a channel, and what its answer means. */
import { type IncomingMessage, request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { InvalidInput } from '@orrery/core/errors';
import { checkHost, lookupAllowed } from './address.ts';
import type { SendAnswer, SendTools } from './channel.ts';

/** Bytes of an answer that are read; the rest is dropped. */
const MOST_READ = 16_384;
/** The longest wait that a receiver can ask for. */
const MOST_WAIT = 86_400_000;

/** The request. */
export interface ChannelRequest {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

interface Answered {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly text: string;
}

/** A request without an answer. */
class NoAnswer extends Error {
  /** Whether a connection was open, so that the message may have arrived. */
  readonly unsure: boolean;

  constructor(message: string, unsure: boolean) {
    super(message);
    this.unsure = unsure;
  }
}

/**
 * Posts JSON. If a channel's answers contain more than their status, `read` interprets the body; undefined if
 * the status is enough.
 */
export async function postJson(
  request: ChannelRequest,
  { now, timeout }: SendTools,
  read?: (body: Readonly<Record<string, unknown>>) => SendAnswer | undefined,
): Promise<SendAnswer> {
  let answered: Answered;
  try {
    answered = await exchange(request, timeout);
  } catch (error) {
    if (error instanceof NoAnswer) return { state: 'again', answer: error.message, unsure: error.unsure };
    // The request itself is wrong: its address is not allowed, or a header has characters that none may have.
    return { state: 'refused', answer: (error as Error).message };
  }
  const { status, text } = answered;
  const answer = `${status} ${text}`.trim();
  if (status >= 200 && status < 300) return read?.(bodyOf(text)) ?? { state: 'sent', answer };
  if (status === 404 || status === 410) return { state: 'refused', answer, gone: true };
  if (status === 408 || status === 429 || status >= 500)
    return { state: 'again', answer, after: waitOf(answered, now()) };
  return { state: 'refused', answer };
}

async function exchange({ url, headers, body }: ChannelRequest, timeout: number): Promise<Answered> {
  const target = new URL(url);
  checkHost(target.hostname);
  const isSecure = target.protocol === 'https:';
  const { promise, resolve, reject } = Promise.withResolvers<Answered>();
  const signal = AbortSignal.timeout(timeout);
  let isOpen = false;
  const asked = (isSecure ? tlsRequest : plainRequest)(target, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': 'orrery', ...headers },
    lookup: lookupAllowed,
    signal,
  });
  asked.on('socket', (socket) => {
    const open = () => {
      isOpen = true;
    };
    if (asked.reusedSocket) open();
    else socket.once(isSecure ? 'secureConnect' : 'connect', open);
  });
  asked.on('error', (error) => {
    if (error instanceof InvalidInput) return reject(error);
    reject(new NoAnswer(signal.aborted ? `no answer within ${timeout} ms` : error.message, isOpen));
  });
  asked.on('response', (response) => {
    const { statusCode: status = 0, headers: given } = response;
    void readStart(response).then((text) => resolve({ status, retryAfter: given['retry-after'], text }));
  });
  asked.end(typeof body === 'string' ? body : JSON.stringify(body));
  return await promise;
}

/** The start of an answer. One that breaks off is cut there: its status has arrived. */
async function readStart(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of response) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= MOST_READ) break;
    }
  } catch {
    // The status is enough.
  }
  return Buffer.concat(chunks).subarray(0, MOST_READ).toString();
}

/** An answer as JSON; empty where it is none. */
function bodyOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const found: unknown = JSON.parse(text);
    return typeof found === 'object' && found !== null ? (found as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** How long the receiver asks to wait, in milliseconds: a header of seconds or a date, or a number of seconds in the body. */
function waitOf({ retryAfter, text }: Answered, now: number): number | undefined {
  const { retry_after: direct, parameters } = bodyOf(text) as {
    retry_after?: unknown;
    parameters?: { retry_after?: unknown };
  };
  const waits = [
    Number(retryAfter) * 1_000,
    Date.parse(retryAfter ?? '') - now,
    Number(direct ?? parameters?.retry_after) * 1_000,
  ];
  const wait = waits.find((one) => one > 0);
  return wait === undefined ? undefined : Math.min(Math.ceil(wait), MOST_WAIT);
}
