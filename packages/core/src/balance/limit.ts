/**
 * The claim limit: how many schedules a master may hold, so that work spreads and n masters can die at once
 * while every schedule still has a possible holder.
 *
 *   N = 1 + floor(K / max(S - n, 1))      K schedules, S live masters, n deaths tolerated (at least 1)
 */
import { InvalidInput } from '../errors.ts';
import { checkWeight } from '../shard/weights.ts';
import { said } from '../texts/index.ts';

/** A live master's load, as seen by itself or by others. */
export interface MasterLoad {
  readonly name: string;
  /** n: how many masters may die at once; values below 1 count as 1. */
  readonly tolerance: number;
  /** M: above this number of schedules, somebody should add a machine. */
  readonly alarmAbove: number;
  /** X: schedules held now. */
  readonly held: number;
  /** Relative capacity; default 1. */
  readonly weight?: number;
  /** On the drain list: claims nothing and gives back its schedules between runs. */
  readonly offline?: boolean;
}

/** K and the live masters, including offline ones: they count in S until they stop. */
export interface ClaimView {
  readonly schedules: number;
  readonly masters: readonly MasterLoad[];
}

/**
 * N for masters of equal weight. Always computed from live values: a stored one would be wrong after a
 * change.
 */
export function claimLimit(schedules: number, masters: number, tolerance: number): number {
  return 1 + Math.floor(schedules / Math.max(masters - Math.max(tolerance, 1), 1));
}

/**
 * N of one master by weight: its share when the n heaviest masters, but never all, are gone. Equals
 * `claimLimit` if all weights are equal.
 */
export function limitOf(view: ClaimView, name: string): number {
  const { tolerance, weight = 1 } = masterOf(view, name);
  const weights = view.masters.map((master) => checkWeight(master.weight ?? 1, master.name));
  const survivors = Math.max(weights.length - Math.max(tolerance, 1), 1);
  const remaining = weights.sort((a, b) => a - b).slice(0, survivors);
  return 1 + Math.floor((weight * view.schedules) / remaining.reduce((a, b) => a + b, 0));
}

/** The master of that name; an unknown name is the caller's bug. */
export function masterOf(view: ClaimView, name: string): MasterLoad {
  const master = view.masters.find((one) => one.name === name);
  if (master) return master;
  throw new InvalidInput(
    said('none.master', { name, names: view.masters.map((one) => one.name).join(', ') || 'none' }),
  );
}
