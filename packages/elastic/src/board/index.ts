/** What api and cli need to see and drive elastic jobs, without the code that runs them. */
export { NativeOperator } from '../native/operator.ts';
export { shardRanges } from '../native/shard-set.ts';
export { type OpenOperator, openOperator } from './open-operator.ts';
export {
  type Division,
  type JobDetails,
  type JobOperator,
  JobRefusal,
  type JobStatus,
  type JobSummary,
  type RecentRound,
  type SeenInstance,
  type SeenShard,
  type SwitchTarget,
  type TriggerProgress,
} from './operator.ts';
