/** Size limit of a run's parameters: each worker receives them in one message with the task's settings. */
import type { Parameters } from '../model/types.ts';

/** A message holds 900,000 bytes. */
const MOST_BYTES = 800_000;
/** Maximum bytes of a character, escaped as JSON. */
const WIDEST = 6;

/** Why parameters are too large; undefined if they are not. */
export function sizeRefusal(params: Parameters): string | undefined {
  const letters = Object.entries(params).reduce(
    (sum, [name, value]) => sum + name.length + value.length + 6,
    2,
  );
  if (WIDEST * letters <= MOST_BYTES) return undefined;
  const bytes = new TextEncoder().encode(JSON.stringify(params)).length;
  if (bytes <= MOST_BYTES) return undefined;
  return `the parameters take ${bytes} bytes; at most ${MOST_BYTES} can be sent to a worker`;
}
