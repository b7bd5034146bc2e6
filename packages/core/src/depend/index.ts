/** Dependencies between workflows: windows of business time, conditions over them, and their evaluation. */
export {
  combine,
  type Dependency,
  type DependencyGroup,
  type DependencyItem,
  type DependencyState,
  type OnFailure,
  type Relation,
  type RoundFact,
  type TaskFact,
  type Watched,
} from './condition.ts';
export {
  type DependencyResult,
  type DependencyTime,
  evaluateDependency,
  type ItemResult,
  itemIntervals,
} from './evaluate.ts';
export type { EvaluationTime, IntervalVerdict } from './verdict.ts';
export {
  DATE_VALUES,
  type DateValue,
  type DependencyWindow,
  type Interval,
  windowIntervals,
} from './windows.ts';
