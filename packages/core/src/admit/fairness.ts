/**
 * Fairness: the order in which a wait list admits when several owners (tenants, workflows) share a cap. The
 * owner that holds least for its weight comes first; within one owner the usual order applies. The ready
 * queue does not use it.
 */
import { type CommandKey, compareCommands } from '../queue/index.ts';

/** A waiter and the owner it counts for. */
export interface FairWaiter extends CommandKey {
  readonly owner: string;
}

/** The slots each owner holds, and the owners' weights (default 1). */
export interface Shares {
  readonly held: ReadonlyMap<string, number>;
  readonly weights?: ReadonlyMap<string, number>;
  /**
   * When each owner had its last turn, as an increasing number: ties go to the owner that has waited longer.
   */
  readonly turns?: ReadonlyMap<string, number>;
}

/**
 * The next `count` waiters in admission order; each admitted waiter counts for its owner. Takes O(n log n)
 * for n waiters, plus the number of owners per admission.
 */
export function fairOrder<W extends FairWaiter>(waiters: readonly W[], shares: Shares, count: number): W[] {
  const lines = new Map<string, W[]>();
  for (const waiter of waiters) {
    const line = lines.get(waiter.owner);
    if (line) line.push(waiter);
    else lines.set(waiter.owner, [waiter]);
  }
  for (const line of lines.values()) line.sort((a, b) => compareCommands(b, a));
  const held = new Map(shares.held);
  const turns = new Map(shares.turns);
  let turn = Math.max(0, ...turns.values());
  const taken: W[] = [];
  while (taken.length < count && lines.size > 0) {
    const owner = least(lines, held, turns, shares.weights);
    const line = lines.get(owner) ?? [];
    const next = line.pop();
    if (next) taken.push(next);
    if (line.length === 0) lines.delete(owner);
    held.set(owner, (held.get(owner) ?? 0) + 1);
    turns.set(owner, ++turn);
  }
  return taken;
}

/** The owner that holds least for its weight; ties go by turns, then by the order of the next waiters. */
function least<W extends FairWaiter>(
  lines: ReadonlyMap<string, readonly W[]>,
  held: ReadonlyMap<string, number>,
  turns: ReadonlyMap<string, number>,
  weights: Shares['weights'],
): string {
  let best: { owner: string; load: number; turn: number; head: W } | undefined;
  for (const [owner, line] of lines) {
    const load = (held.get(owner) ?? 0) / (weights?.get(owner) ?? 1);
    const turn = turns.get(owner) ?? 0;
    const head = line[line.length - 1];
    const sooner = best
      ? load - best.load || turn - best.turn || compareCommands(head, best.head)
      : Number.NEGATIVE_INFINITY;
    if (sooner < 0) best = { owner, load, turn, head };
  }
  return best?.owner ?? '';
}
