/** The list one came from, in this tab: a run leads to the one before and the one after it there. */

const KEY = 'orrery.trail';
const MOST = 1_000;

/** Remembers the ids of a list, in its order. */
export function keepTrail(ids: readonly number[]): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(ids.slice(0, MOST)));
  } catch {
    // Without storage there is no list to go back and forth in.
  }
}

/** The neighbour of an id in the list one came from; undefined where there is none. */
export function besideOnTrail(id: number, by: 1 | -1): number | undefined {
  try {
    const ids: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? '[]');
    if (!Array.isArray(ids)) return undefined;
    const at = ids.indexOf(id);
    const found: unknown = at < 0 ? undefined : ids[at + by];
    return typeof found === 'number' ? found : undefined;
  } catch {
    return undefined;
  }
}
