/**
 * Self-dependency: a run waits for the previous tick of its own schedule. The first tick has none and is met at
 * once, so a new workflow does not wait for ever.
 */
import type { DependencyItem, RoundFact } from './condition.ts';
import { evaluateItem, type ItemResult } from './evaluate.ts';
import type { EvaluationTime } from './verdict.ts';

/** The ticks around a run. `previous` is the one before it by the schedule's expression, if that has any. */
export interface SelfTicks {
  /** The first business time the schedule could fire: ticks before it never existed. */
  first: number;
  previous: number | undefined;
}

/** Whether the previous tick of the same workflow lets this one run. */
export function evaluateSelf(
  own: Omit<DependencyItem, 'window'>,
  { first, previous }: SelfTicks,
  facts: readonly RoundFact[],
  time: EvaluationTime,
): ItemResult {
  const exists = previous !== undefined && previous >= first;
  const item: DependencyItem = { ...own, window: { offset: -1, count: 1 } };
  return evaluateItem(item, exists ? [[previous, previous + 1]] : [], facts, time);
}
