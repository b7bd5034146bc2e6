/** Sharded jobs inside the user's own process. */
export type { Log } from '@orrery/core/log';
export type { Cause, Grant, ShardOutcome, ShardStrategy } from './board/board.ts';
export type { ErrorHandler, JobDefinition, LocalJob, SharedJob } from './define.ts';
export {
  type ElasticJobs,
  type ElasticOptions,
  type Host,
  type ScheduledJob,
  startElastic,
} from './elastic.ts';
export type { Dataflow } from './handlers/dataflow.ts';
export type { HttpRequest } from './handlers/http.ts';
export type { Command, RunCommand } from './handlers/script.ts';
export type { ShardContext, ShardHandler } from './run/context.ts';
export type { ErrorChannel, JobTrouble, SendTrouble, TroubleAnswer } from './run/error-digest.ts';
export type { FinishedRound } from './run/job-runner.ts';
export type { Listeners, RoundInfo } from './run/listeners.ts';
export type { Statistics } from './run/statistics.ts';
