/**
 * Moves between two plans. Only the moved schedules pause while nodes adopt the new plan; all others keep
 * firing.
 */
import { ownersOf, type Plan } from './plan.ts';

/**
 * Ids above `above` and up to `upTo` (null: unbounded) that move from one owner to another (undefined: none).
 */
export interface MovedRange {
  readonly above: number | null;
  readonly upTo: number | null;
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/** The moves as ranges, without knowing the ids; undefined if a ring is involved, which has no ranges. */
export function movedRanges(before: Plan, after: Plan): MovedRange[] | undefined {
  return piecesOf(before, after)?.filter(({ from, to }) => from !== to);
}

/**
 * All ids, in pieces that neither plan cuts; undefined if the later plan has no ranges. An earlier plan
 * without ranges counts as having no owners.
 */
export function planPieces(before: Plan, after: Plan): MovedRange[] | undefined {
  if (!('ranges' in after)) return undefined;
  return piecesOf(before, after) ?? piecesOf({ ...after, ranges: { owners: [], cuts: [] } }, after);
}

function piecesOf(before: Plan, after: Plan): MovedRange[] | undefined {
  const old = cutsOf(before);
  const now = cutsOf(after);
  if (!old || !now) return undefined;
  const cuts = [...new Set([...old, ...now])].sort((a, b) => a - b);
  const was = ownersOf(before);
  const is = ownersOf(after);
  return [...cuts, null].map((upTo, i) => {
    const above = i === 0 ? null : cuts[i - 1];
    // One id represents the piece: no cut of either plan lies inside it.
    const id = upTo ?? (above === null ? 0 : above + 1);
    return { above, upTo, from: was(id), to: is(id) };
  });
}

function cutsOf(plan: Plan): readonly number[] | undefined {
  if (plan.mode === 'claim') return [];
  return 'ranges' in plan ? plan.ranges.cuts : undefined;
}
