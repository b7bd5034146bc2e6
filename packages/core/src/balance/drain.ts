/**
 * Draining in claim mode: whether a master can go offline while all schedules keep a possible holder, and
 * warnings about the cluster beforehand.
 */
import type { Verdict } from './decide.ts';
import { type ClaimView, limitOf, type MasterLoad, masterOf } from './limit.ts';

/** With fewer masters than this, draining one leaves no spare. */
const FEWEST = 3;

/**
 * Whether the master may be drained now. The limits of the masters that stay online must add up to all
 * schedules. If tolerances differ, the others' limits differ too, and only one drain at a time is allowed;
 * `together` overrides that rule, never the sum.
 */
export function mayDrain(view: ClaimView, name: string, { together = false } = {}): Verdict {
  if (masterOf(view, name).offline) return { yes: true, reason: `${name} is already offline` };
  const capacity = capacityOf(view, (master) => !master.offline && master.name !== name);
  if (capacity < view.schedules) {
    return { yes: false, reason: `the others may hold ${capacity} of ${view.schedules} schedules` };
  }
  const mixed = new Set(view.masters.map((master) => Math.max(master.tolerance, 1))).size > 1;
  const draining = view.masters.find((master) => master.offline && master.held > 0);
  if (mixed && draining && !together) {
    return { yes: false, reason: `${draining.name} is still draining and tolerances differ: one at a time` };
  }
  return { yes: true, reason: `the others may hold ${capacity} of ${view.schedules} schedules` };
}

/** Warnings about a cluster that works but has no spare capacity. */
export function claimWarnings(view: ClaimView): string[] {
  const warnings: string[] = [];
  if (view.masters.length < FEWEST) {
    warnings.push(
      `${view.masters.length} masters run; with fewer than ${FEWEST} a failure leaves none to spare`,
    );
  }
  const capacity = capacityOf(view, (master) => !master.offline);
  if (capacity < view.schedules) {
    warnings.push(`masters that are online may hold ${capacity} of ${view.schedules} schedules`);
  }
  return warnings;
}

function capacityOf(view: ClaimView, counts: (master: MasterLoad) => boolean): number {
  return view.masters.filter(counts).reduce((sum, master) => sum + limitOf(view, master.name), 0);
}
