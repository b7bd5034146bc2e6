/** Size limit of a run's parameters: each worker receives them in one message with the task's settings. */
import type { Parameters } from '../model/types.ts';
import { type Said, said } from '../texts/index.ts';

/** A message holds 900,000 bytes. */
const MOST_BYTES = 800_000;
/** Maximum bytes of a character, escaped as JSON. */
const WIDEST = 6;

/** Why parameters are too large; undefined if they are not. */
export function sizeRefusal(params: Parameters): Said | undefined {
  const letters = Object.entries(params).reduce(
    (sum, [name, value]) => sum + name.length + value.length + 6,
    2,
  );
  if (WIDEST * letters <= MOST_BYTES) return undefined;
  const bytes = new TextEncoder().encode(JSON.stringify(params)).length;
  if (bytes <= MOST_BYTES) return undefined;
  return said('param.tooManyBytes', { bytes, most: MOST_BYTES });
}
