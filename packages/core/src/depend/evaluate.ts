/**
 * Evaluates a dependency: every item over the intervals of its window, items by the relation of their group,
 * groups by the relation of the whole. Pure: facts about other workflows are input data.
 */
import { InvalidInput } from '../errors.ts';
import type { Cadence } from '../params/offset.ts';
import { type Said, said } from '../texts/index.ts';
import {
  combine,
  type Dependency,
  type DependencyItem,
  type DependencyState,
  type RoundFact,
} from './condition.ts';
import { type EvaluationTime, type IntervalVerdict, judge } from './verdict.ts';
import { type Interval, windowIntervals } from './windows.ts';

/** The business time for which a dependency is evaluated, and the current time. */
export interface DependencyTime extends EvaluationTime {
  businessTime: number;
  /** The schedule of another workflow, for windows that count versions. */
  cadence?(project: string, workflow: string): Cadence | undefined;
  /**
   * First business time of a workflow; earlier ones are not waited for. Otherwise a workflow that depends on
   * itself would wait forever in its first run.
   */
  first?(project: string, workflow: string): number | undefined;
}

/** State of one item; `reason` names the first interval that keeps it from success. */
export interface ItemResult {
  item: DependencyItem;
  state: DependencyState;
  reason: Said;
  intervals: IntervalVerdict[];
}

/** State of the whole, item by item in the order of the groups. */
export interface DependencyResult {
  state: DependencyState;
  items: ItemResult[];
  /** The earliest time at which the result may change without a new fact. */
  recheckAt?: number;
}

/** The intervals an item needs: a caller must read facts for these. */
export function itemIntervals(
  item: DependencyItem,
  time: Pick<DependencyTime, 'businessTime' | 'zone' | 'cadence' | 'first'>,
): Interval[] {
  const cadence = time.cadence?.(item.project, item.workflow);
  const first = time.first?.(item.project, item.workflow) ?? -Infinity;
  return windowIntervals(item.window, time.businessTime, time.zone, cadence).filter(([, to]) => to > first);
}

/** Evaluates a dependency by the facts of the workflows it names; facts of others are ignored. */
export function evaluateDependency(
  dependency: Dependency,
  facts: readonly RoundFact[],
  time: DependencyTime,
): DependencyResult {
  if (dependency.groups.length === 0 || dependency.groups.some((group) => group.items.length === 0)) {
    throw new InvalidInput(said('depend.empty'));
  }
  const items: ItemResult[] = [];
  const groups = dependency.groups.map((group) => {
    const results = group.items.map((item) => evaluateItem(item, itemIntervals(item, time), facts, time));
    items.push(...results);
    return combine(
      group.relation,
      results.map((result) => result.state),
    );
  });
  const state = combine(dependency.relation, groups);
  const rechecks = items.flatMap(({ intervals }) => intervals.map(({ recheckAt }) => recheckAt ?? Infinity));
  const recheckAt = rechecks.reduce((earliest, at) => Math.min(earliest, at), Infinity);
  return { state, items, ...(state === 'waiting' && recheckAt < Infinity && { recheckAt }) };
}

/** Evaluates one item over given intervals; without any there is nothing to wait for. */
export function evaluateItem(
  item: DependencyItem,
  intervals: readonly Interval[],
  facts: readonly RoundFact[],
  time: EvaluationTime,
): ItemResult {
  const rounds = facts.filter(
    ({ project, workflow }) => project === item.project && workflow === item.workflow,
  );
  const verdicts = intervals.map((interval) => judge(item, interval, rounds, time));
  const state = combine(
    'and',
    verdicts.map((verdict) => verdict.state),
  );
  return { item, state, reason: reasonOf(item, state, verdicts), intervals: verdicts };
}

function reasonOf(item: DependencyItem, state: DependencyState, verdicts: readonly IntervalVerdict[]): Said {
  const telling = verdicts.filter((verdict) => verdict.state === state);
  if (telling.length === 0) return said('depend.nothing', { workflow: `${item.project}/${item.workflow}` });
  const others = telling.length - 1;
  if (others === 0) return telling[0].reason;
  return said('depend.more', { first: telling[0].reason, others });
}
