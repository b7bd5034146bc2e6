/**
 * Serial modes: what a new run does while earlier runs of its workflow are open. Runs of one workflow are
 * served strictly by sequence number; only `serial-priority` lets the newest run displace the others.
 */
import type { RunMode } from '../model/index.ts';

/** An open run of the same workflow. `admitted` runs hold a slot, the others wait for one. */
export interface OpenRun {
  readonly id: number;
  readonly seq: number;
  readonly admitted: boolean;
}

/** Decision about a new run. */
export type Admission =
  | { readonly verdict: 'start' }
  /** It waits for a slot behind the given run. */
  | { readonly verdict: 'wait'; readonly behind: number; readonly reason: string }
  /** It ends at once as stopped. */
  | { readonly verdict: 'discard'; readonly reason: string }
  /** The given runs are stopped; it starts when they have ended. */
  | { readonly verdict: 'replace'; readonly stop: readonly number[]; readonly reason: string };

/** Decides about run `seq`, given the other open runs of its workflow in any order. */
export function admitRun(
  mode: RunMode,
  limit: number | undefined,
  seq: number,
  open: readonly OpenRun[],
): Admission {
  const slots = mode === 'parallel' ? (limit ?? Number.POSITIVE_INFINITY) : 1;
  const earlier = open.filter((run) => run.seq < seq).sort((a, b) => a.seq - b.seq);
  const free = open.filter((run) => run.admitted).length < slots;
  const last = earlier.at(-1);
  if (free && !earlier.some((run) => !run.admitted)) return { verdict: 'start' };
  if (mode === 'serial-discard')
    return { verdict: 'discard', reason: `run ${last?.id ?? open[0].id} is still open` };
  if (mode === 'serial-priority' && last) {
    const stop = earlier.map((run) => run.id);
    return { verdict: 'replace', stop, reason: `it replaces run ${stop.join(', ')}` };
  }
  const behind = (last ?? open[0]).id;
  const reason =
    slots === 1 ? `one run at a time: behind run ${behind}` : `${slots} runs at a time: behind run ${behind}`;
  return { verdict: 'wait', behind, reason };
}
