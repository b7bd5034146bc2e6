/** When this browser last showed the console, before the present visit. */

const KEY = 'orrery.visit';
/** A shorter absence belongs to the same visit. */
const PAUSE = 30 * 60_000;

interface Visit {
  /** When the console was last viewed. */
  readonly seen: number;
  /** When the visit before ended; null for the first one. */
  readonly before: number | null;
}

/** The visit that a look at this time belongs to. */
export function visitAt(now: number, known: Visit | null): Visit {
  if (known === null) return { seen: now, before: null };
  return { seen: now, before: now - known.seen < PAUSE ? known.before : known.seen };
}

function stored(): Visit | null {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(KEY) ?? 'null');
    const { seen, before = null } = (found ?? {}) as Partial<Visit>;
    return typeof seen === 'number' ? { seen, before } : null;
  } catch {
    return null;
  }
}

/** The end of the previous visit; null if there was none. Called at every view. */
export function lastVisit(now = Date.now()): number | null {
  const visit = visitAt(now, stored());
  try {
    localStorage.setItem(KEY, JSON.stringify(visit));
  } catch {
    // Without storage every visit is the first.
  }
  return visit.before;
}
