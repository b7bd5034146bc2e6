/** What api and cli need to see and drive elastic jobs, without the code that runs them. */
export { NativeOperator } from '../native/operator.ts';
export {
  type Division,
  type JobDetails,
  type JobOperator,
  JobRefusal,
  type JobStatus,
  type JobSummary,
  type SeenInstance,
  type SeenShard,
  type SwitchTarget,
} from './operator.ts';
