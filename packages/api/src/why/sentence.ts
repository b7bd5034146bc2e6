/** Small parts of the sentences that say why. */
import type { Answer } from '@orrery/core/contract';
import { timeText } from '../time.ts';

/** The part of an answer that says why. */
export type Reason = Pick<Answer<'explain'>, 'why' | 'frees'> & { readonly waitsFor?: readonly string[] };

const SHOWN = 5;

/** `a, b and c`; long lists are cut with a count of the rest. */
export function listed(items: readonly string[]): string {
  const shown =
    items.length > SHOWN ? [...items.slice(0, SHOWN - 1), `${items.length - SHOWN + 1} more`] : items;
  if (shown.length < 2) return shown.join('');
  return `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`;
}

/** `1 worker`, `3 workers`. */
export function count(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? '' : 's'}`;
}

/** A time of day in a sentence. */
export function moment(at: number | undefined): string {
  return at === undefined ? 'a time not yet known' : timeText(at);
}
