/**
 * Whether a node may be drained: compares the capacity of the remaining nodes with the total load. A drained
 * node finishes its work, so the question is only whether new work has a place.
 */
import type { Verdict } from './decide.ts';
import { mayDrain } from './drain.ts';
import type { ClaimView } from './limit.ts';

/** A live master. */
export interface MasterRoom {
  readonly id: string;
  /** Limit of its runs; undefined if it reports none. */
  readonly room?: number;
  /** Number of its runs. */
  readonly held: number;
  /** Whether it takes work: it acts and is not draining. */
  readonly takes: boolean;
}

/**
 * Whether a master may be drained. `claims` has the limits of claim mode; a draining master counts as such
 * until it holds neither schedules nor runs.
 */
export function mayDrainMaster(
  masters: readonly MasterRoom[],
  id: string,
  claims: ClaimView,
  options: { readonly together?: boolean } = {},
): Verdict {
  const others = masters.filter((master) => master.id !== id && master.takes);
  if (others.length === 0) return { yes: false, reason: `no other master takes work` };
  const rooms = new Map(masters.map((master) => [master.id, master]));
  const view = {
    ...claims,
    masters: claims.masters.map((load) => {
      const room = rooms.get(load.name);
      return { ...load, held: load.held + (room?.held ?? 0), offline: !room?.takes && load.name !== id };
    }),
  };
  const claim = mayDrain(view, id, options);
  if (!claim.yes) return claim;
  const held = masters.reduce((sum, master) => sum + master.held, 0);
  const room = others.reduce((sum, master) => sum + (master.room ?? Number.POSITIVE_INFINITY), 0);
  const has = Number.isFinite(room) ? `room for ${room} runs` : 'room for any number of runs';
  const sum = `${named(others)} ${others.length === 1 ? 'has' : 'have'} ${has}; all masters hold ${held}`;
  return { yes: room >= held, reason: `${sum}; ${claim.reason}` };
}

/** A live worker. */
export interface WorkerRoom {
  readonly id: string;
  readonly groups: readonly string[];
  readonly slots: number;
  /** Number of its attempts. */
  readonly used: number;
  readonly takes: boolean;
}

/** Whether a worker may be drained: another worker must serve each of its groups. */
export function mayDrainWorker(workers: readonly WorkerRoom[], id: string): Verdict {
  const groups = workers.find((worker) => worker.id === id)?.groups ?? [];
  const sums = groups.map((group) => {
    const others = workers.filter((one) => one.id !== id && one.takes && one.groups.includes(group));
    const slots = others.reduce((sum, one) => sum + one.slots, 0);
    const used = others.reduce((sum, one) => sum + one.used, 0);
    return { group, others, slots, used };
  });
  const alone = sums.filter(({ others }) => others.length === 0).map(({ group }) => group);
  if (alone.length > 0) return { yes: false, reason: `no other worker serves group ${alone.join(', ')}` };
  const reason = sums.map(
    ({ group, others, slots, used }) =>
      `${named(others)} serve group ${group} with ${slots} slots, ${used} in use`,
  );
  return { yes: true, reason: reason.join('; ') };
}

function named(list: readonly { readonly id: string }[]): string {
  const [first, second, third, ...more] = list.map(({ id }) => id);
  const shown = [first, second, third].filter((id) => id !== undefined).join(', ');
  return more.length === 0 ? shown : `${shown} and ${more.length} more`;
}
