/** Workflows defined in TypeScript: the same as a workflow file, with names that the compiler checks. */
export { approval, conditions, dependent, dynamic, subWorkflow, switchOn } from './logic-steps.ts';
export type { ValuesOf } from './parameters.ts';
export { type StartOptions, startWorkflow } from './start.ts';
export { http, node, noop, type Settings, type Step, shell, taskType } from './step.ts';
export {
  type AnyWorkflow,
  isWorkflow,
  type LooseWorkflow,
  type TaskOptions,
  type Workflow,
  type WorkflowOptions,
  workflow,
} from './workflow.ts';
