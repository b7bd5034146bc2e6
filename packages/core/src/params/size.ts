/** How large the parameters of a run may be: they go to each worker with the settings of the task, in one message. */
import type { Parameters } from '../model/types.ts';

/** A message holds 900,000 bytes. */
const MOST_BYTES = 800_000;
/** What a character takes at most, escaped as JSON. */
const WIDEST = 6;

/** Why parameters are refused for their size; undefined where they are not. */
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
