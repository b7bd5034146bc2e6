/**
 * The entries of the palette for a typed text. Pure: local matches are ranked here; server results are
 * appended later and never move existing entries.
 */
import type { Key } from '../../i18n/en.ts';

/** One line of the palette. */
export interface Entry {
  /** Stays the same while one types, so that the chosen line stays chosen. */
  readonly id: string;
  /** What kind of thing it is: the key of its word. */
  readonly kind: Key;
  readonly label: string;
  readonly detail?: string;
  readonly keys?: string;
  /** Why it cannot be done now; it is listed all the same. */
  readonly refused?: string;
  /** Goes there; actions have `run` instead. */
  readonly to?: string;
  readonly run?: () => void;
}

/** What a beginning narrows the palette to. */
export interface Query {
  readonly scope: 'all' | 'actions' | 'nodes' | 'ids' | 'why';
  readonly text: string;
}

/** Reads what was typed: `>` actions, `@` nodes, `#` ids, `why 12.load` asks why. */
export function readQuery(typed: string): Query {
  const text = typed.trim();
  if (text.startsWith('>')) return { scope: 'actions', text: text.slice(1).trim() };
  if (text.startsWith('@')) return { scope: 'nodes', text: text.slice(1).trim() };
  if (text.startsWith('#')) return { scope: 'ids', text: text.slice(1).trim() };
  const why = /^why\s+(\S+)$/i.exec(text);
  return why ? { scope: 'why', text: why[1] } : { scope: 'all', text };
}

/** How well a name fits what was typed; null where it does not. Whole, then start of a word, then letters in order. */
export function fit(name: string, typed: string): number | null {
  const [text, query] = [name.toLowerCase(), typed.toLowerCase()];
  if (query === '') return 0;
  const at = text.indexOf(query);
  if (at === 0) return 1;
  if (at > 0) return /[\s/_.-]/.test(text[at - 1]) ? 2 : 3;
  let from = -1;
  let spread = 0;
  for (const letter of query) {
    const next = text.indexOf(letter, from + 1);
    if (next < 0) return null;
    if (from >= 0) spread += next - from - 1;
    from = next;
  }
  return 10 + spread;
}

/** The entries that fit, best first; equals keep their order. */
export function ranked(entries: readonly Entry[], text: string, most: number): readonly Entry[] {
  return entries
    .map((entry) => ({ entry, score: fit(entry.label, text) }))
    .filter((scored): scored is { entry: Entry; score: number } => scored.score !== null)
    .sort((one, other) => one.score - other.score)
    .slice(0, most)
    .map(({ entry }) => entry);
}

/** What was there first, then what came later and is not there yet. */
export function joined(first: readonly Entry[], later: readonly Entry[]): readonly Entry[] {
  const known = new Set(first.map(({ to, id }) => to ?? id));
  return [...first, ...later.filter(({ to, id }) => !known.has(to ?? id))];
}
