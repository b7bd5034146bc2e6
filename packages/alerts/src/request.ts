/** One HTTP request to a channel, and what its answer means. */
import type { SendAnswer, SendTools } from './channel.ts';

/** As much of an answer as is read and kept. */
const MOST_ANSWER = 500;

/** Errors of a connection that was open: the message may have arrived, and only the answer is lost. */
const BROKEN: ReadonlySet<string | undefined> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

/** The request. */
export interface ChannelRequest {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/**
 * Posts JSON. If a channel's answers contain more than their status, `read` interprets the body; undefined if
 * the status is enough.
 */
export async function postJson(
  { url, headers, body }: ChannelRequest,
  { timeout }: SendTools,
  read?: (body: Readonly<Record<string, unknown>>) => SendAnswer | undefined,
): Promise<SendAnswer> {
  const signal = AbortSignal.timeout(timeout);
  let response: Response;
  try {
    response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
      redirect: 'manual',
      signal,
    });
  } catch (error) {
    const isTimeout = signal.aborted;
    const unsure = isTimeout || BROKEN.has(codeOf(error));
    return { state: 'again', answer: whyOf(error, timeout, isTimeout), unsure };
  }
  const text = await response.text().catch(() => '');
  const answer = `${response.status} ${text.slice(0, MOST_ANSWER)}`.trim();
  if (response.ok) return read?.(bodyOf(text)) ?? { state: 'sent', answer };
  if (response.status === 404 || response.status === 410) return { state: 'refused', answer, gone: true };
  if (response.status === 408 || response.status === 429 || response.status >= 500)
    return { state: 'again', answer, after: waitOf(response, text) };
  return { state: 'refused', answer };
}

function codeOf(error: unknown): string | undefined {
  return (error as { cause?: { code?: string } }).cause?.code;
}

function whyOf(error: unknown, timeout: number, isTimeout: boolean): string {
  if (isTimeout) return `no answer within ${timeout} ms`;
  const { message, cause } = error as Error & { cause?: Error };
  return cause?.message ?? message;
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

/** How long the receiver asks to wait, in milliseconds. */
function waitOf(response: Response, text: string): number | undefined {
  const header = Number(response.headers.get('retry-after'));
  if (header > 0) return header * 1_000;
  const { retry_after: direct, parameters } = bodyOf(text) as {
    retry_after?: number;
    parameters?: { retry_after?: number };
  };
  const seconds = direct ?? parameters?.retry_after;
  return typeof seconds === 'number' && seconds > 0 ? seconds * 1_000 : undefined;
}
