/** "Did you mean …?": finds the known word nearest to an unknown one. */
import { english, type Said, said } from '../texts/index.ts';

/** Limit of comparisons for one list; beyond it no word is suggested, so that checks stay linear. */
const BUDGET = 1_000_000;

/**
 * Makes a function that returns `; did you mean "x"?` for an unknown word, to append to a message; empty if
 * no known word is near.
 */
export function suggestFrom(words: readonly string[]): (unknown: string) => Said | '' {
  let left = BUDGET;
  return (unknown) => {
    left -= words.length;
    return left < 0 ? '' : hintFor(unknown, words);
  };
}

/** The same for a list used once. */
export function didYouMean(unknown: string, words: readonly string[]): string {
  return english(hintFor(unknown, words));
}

/** The same as a text to append. */
export function hintFor(unknown: string, words: readonly string[]): Said | '' {
  const name = words.length > BUDGET ? undefined : nearest(unknown, words);
  return name === undefined ? '' : said('hint.meant', { name });
}

function nearest(unknown: string, words: readonly string[]): string | undefined {
  const wanted = plain(unknown);
  let best = mostEdits(wanted.length) + 1;
  let found: string | undefined;
  for (const word of words) {
    const far =
      plain(word).startsWith(wanted) && wanted.length >= 3 ? 1 : distance(wanted, plain(word), best);
    if (far < best) {
      best = far;
      found = word;
    }
  }
  return found;
}

/**
 * Allowed edits: a third of the word, or one letter of a short one. A single letter resembles no other;
 * beyond 40 letters it is a sentence, not a name.
 */
function mostEdits(length: number): number {
  if (length > 40) return -1;
  return length < 2 ? 0 : Math.max(1, Math.floor(length / 3));
}

/** Removes what people mix up without noticing: case, and separators between words. */
function plain(word: string): string {
  return word.toLowerCase().replace(/[-_. ]/g, '');
}

/** Edits between two words (change, insert, delete, swap neighbours); `limit` means "or more". */
function distance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = a[i - 1] === b[j - 1] ? 0 : 1;
      row[j] = Math.min(previous[j] + 1, row[j - 1] + 1, previous[j - 1] + change);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        row[j] = Math.min(row[j], before[j - 2] + 1);
    }
    before = previous;
    previous = row;
  }
  return Math.min(previous[b.length], limit);
}
