/** A call that failed, as one line and an exit code. Knows errors by their tags: nothing is loaded for it. */
import { printed } from './printed.ts';

/** What the client of the API throws. */
interface CallError extends Error {
  readonly tag?: string;
  readonly status?: number;
  readonly requestId?: string;
}

/** Statuses that mean: ask differently. */
const badInput = [400, 404, 413, 415, 422];

/** What to say, and whether the input was at fault; undefined for an error that no call threw. */
export function tellCall(
  error: CallError,
): { readonly line: string; readonly badInput: boolean } | undefined {
  const { tag, status = 0, message, requestId } = error;
  if (tag === 'unreachable')
    return {
      line: `${message}; start one with "${printed('dev')}", or name another with --url or ORRERY_URL`,
      badInput: false,
    };
  if (tag !== 'api-problem') return undefined;
  if (status === 401) return { line: `${message}; give one with --token or ORRERY_TOKEN`, badInput: false };
  if (status >= 500) return { line: `${message} (request ${requestId})`, badInput: false };
  return { line: message, badInput: badInput.includes(status) };
}
