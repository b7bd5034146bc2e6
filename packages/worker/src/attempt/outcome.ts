/** The outcome of an attempt whose task threw. */
import type { Outcome } from '@orrery/core/run';
import { maskText } from '../log/mask.ts';
import { plainText } from '../log/tail.ts';

const LONGEST_ERROR = 4_000;

/** A failure with the message of the thrown error, secrets masked. */
export function failedOutcome(worker: string, thrown: unknown, secrets: readonly string[]): Outcome {
  const { message, tag, fatal } = (thrown ?? {}) as { message?: unknown; tag?: unknown; fatal?: unknown };
  const text = plainText(maskText(String(message ?? thrown), secrets));
  const error = text.length > LONGEST_ERROR ? `${text.slice(0, LONGEST_ERROR)}…` : text;
  // Compared by tag: a plugin may bring its own copy of the class.
  return { state: 'failed', worker, error, fatal: (tag === 'task-failure' && fatal === true) || undefined };
}
