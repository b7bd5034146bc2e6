/**
 * Whether a node may be drained: the sum of what the others can carry against all that there is to carry. Nothing of a
 * drained node is cut, so the question is only whether what comes next has a place.
 */
import type { Verdict } from './decide.ts';
import { mayDrain } from './drain.ts';
import type { ClaimView } from './limit.ts';

/** A master that lives. */
export interface MasterRoom {
  readonly id: string;
  /** Runs that it may hold; undefined where it does not say. */
  readonly room?: number;
  /** Runs that it holds. */
  readonly held: number;
  /** It takes work: it acts and is not draining. */
  readonly takes: boolean;
}

/**
 * Whether a master may be drained. `claims` says what each may hold in claim mode; a master that drains counts as such
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

/** A worker that lives. */
export interface WorkerRoom {
  readonly id: string;
  readonly groups: readonly string[];
  readonly slots: number;
  /** Attempts that it has. */
  readonly used: number;
  readonly takes: boolean;
}

/** Whether a worker may be drained: each of its groups must have another one that takes from it. */
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
