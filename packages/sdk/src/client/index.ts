/** The client of the API, for Node and for browsers: nothing in it needs a schema, a disk or a process. */
export type { ProblemKind } from '@orrery/contract';
export { liveRules } from '@orrery/contract/live';
export { type TaskRow, taskRows } from '@orrery/contract/task-columns';
export { runKinds, runTriggers } from '@orrery/core/model/glossary';
export { attemptShape, taskRunShape } from '@orrery/core/run/attempt';
export { matchesStart } from '@orrery/core/run/matches';
export { finalRunStates } from '@orrery/core/state';
export type { Code as TextCode } from '@orrery/core/texts';
export {
  type AnySaid,
  type Counting,
  type Message,
  readMessage,
  speaker,
  type Values,
} from '@orrery/core/texts/speak';
export { type Cron, parseCron } from '@orrery/core/time';
export type { WhyReason } from '@orrery/core/why';
export { type LiveUpdate, type WatchOptions, type WatchState, watch } from '../live/watch.ts';
export { type WatchedRun, watchRun } from '../live/watch-run.ts';
export { type AnswerOf, type Client, createClient, type InputOf } from './client.ts';
export { ApiProblem, type InputProblem, Unreachable } from './problem.ts';
export type { CallOptions, ClientOptions, Transport } from './transport.ts';
