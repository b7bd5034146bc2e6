/** How an attempt whose task threw is reported. */
import type { Outcome } from '@orrery/core/run';
import { maskText } from '../log/mask.ts';
import { plainText } from '../log/tail.ts';

const LONGEST_ERROR = 4_000;

/** A failure in the words of what was thrown, secrets hidden. */
export function failedOutcome(worker: string, thrown: unknown, secrets: readonly string[]): Outcome {
  const { message, tag, fatal } = (thrown ?? {}) as { message?: unknown; tag?: unknown; fatal?: unknown };
  const text = plainText(maskText(String(message ?? thrown), secrets));
  const error = text.length > LONGEST_ERROR ? `${text.slice(0, LONGEST_ERROR)}…` : text;
  // By its tag: a plugin may bring its own copy of the class.
  return { state: 'failed', worker, error, fatal: (tag === 'task-failure' && fatal === true) || undefined };
}
