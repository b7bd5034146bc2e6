/** What no part of a request may hold: the one character that texts in a database cannot have, and nesting without end. */
import type { InputProblem } from './problem.ts';

/** Deeper than anything that is meant; what reads it is recursive. */
const MOST_LEVELS = 100;

/** Limit of keys shown of a path. */
const SHOWN_KEYS = 5;

/** The first such value, with its path. A large body is walked once, without allocations for valid parts. */
export function findUnkept(value: unknown): InputProblem | undefined {
  const found = find(value, 0);
  return found && { path: found.path.reverse().slice(0, SHOWN_KEYS), message: found.message };
}

/** The path is put together from its end. */
function find(value: unknown, depth: number): { path: string[]; message: string } | undefined {
  if (typeof value === 'string') return hasNul(value);
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth >= MOST_LEVELS)
    return { path: [], message: `is nested deeper than the ${MOST_LEVELS} levels accepted` };
  for (const key of Object.keys(value)) {
    const named = hasNul(key);
    if (named) return named;
    const found = find((value as Record<string, unknown>)[key], depth + 1);
    if (!found) continue;
    found.path.push(key);
    return found;
  }
  return undefined;
}

function hasNul(text: string): { path: string[]; message: string } | undefined {
  return text.includes('\0')
    ? { path: [], message: 'contains the character NUL, which is not accepted' }
    : undefined;
}
