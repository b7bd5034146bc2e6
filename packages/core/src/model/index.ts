/** The model: the glossary, a workflow as the engine sees it, and the workflow file. */

export type { KnownType } from './check/types.ts';
export { connectionsIn } from './connections.ts';
export { parseDuration } from './duration.ts';
export { editSchedule } from './edit-schedule.ts';
export { formatProblem } from './format.ts';
export {
  type EndState,
  endStates,
  type FailureStrategy,
  failureStrategies,
  hookSchemes,
  isLogicType,
  type LogicType,
  logicTypes,
  type MisfirePolicy,
  misfirePolicies,
  type ParameterType,
  type Priority,
  parameterTypes,
  priorities,
  type RunKind,
  type RunMode,
  type RunTrigger,
  runKinds,
  runModes,
  runTriggers,
  type TimeoutAction,
  type TriggerRule,
  timeoutActions,
  triggerRules,
} from './glossary.ts';
export { type Job, parseJob } from './job.ts';
export { workflowJsonSchema } from './json-schema.ts';
export { didYouMean, hintFor } from './nearest.ts';
export { type Path, type Problem, type ProblemCode, problemCodes, type Warning, worded } from './problem.ts';
export { renameText, renameWorkflow } from './rename.ts';
export type { LogicFiles } from './schema/logic.ts';
export { byParameter } from './schema/parameters.ts';
export { excludedDays } from './schema/schedule.ts';
export { callers, name as nameSchema } from './schema/values.ts';
export type { WorkflowFile } from './schema/workflow.ts';
export { parseSize, sizeAbout } from './size.ts';
export type { Surroundings } from './surroundings.ts';
export { timingOf } from './timing.ts';
export type { EndedRun } from './trigger-values.ts';
export type {
  AfterSpec,
  ApprovalSpec,
  ConditionsSpec,
  DeadlineSpec,
  DeclaredParameter,
  DependencyItem,
  DependentSpec,
  DynamicSpec,
  ExcludedDays,
  LogicSpecs,
  Parameters,
  Retries,
  ScheduleSpec,
  Shards,
  SubWorkflowSpec,
  SwitchSpec,
  TaskSpec,
  Timeout,
  TriggerSpec,
  UpstreamCheck,
  Workflow,
  WorkflowReference,
} from './types.ts';
export { usesOf, type WorkflowUse } from './uses.ts';
export { type ParseOptions, type ParseResult, parseWorkflow } from './validate.ts';
export { parseWindow } from './window.ts';
export { type FileOptions, type FileResult, parseWorkflowFile } from './workflow-file.ts';
export { writeWorkflow } from './write-workflow.ts';
