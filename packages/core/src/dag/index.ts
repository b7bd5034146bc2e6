/** The graph of a workflow, and which of its tasks may start. */
export {
  buildDag,
  type Dag,
  type Edges,
  findCycle,
  layers,
  type Plan,
  planInSteps,
  predecessors,
  type Scope,
  selectTasks,
  successors,
  topologicalOrder,
} from './graph.ts';
export {
  type Counters,
  type Ending,
  endingOfPassed,
  endingOfSkipped,
  judge,
  Progress,
  type Step,
  type TriggerRule,
  type Verdict,
} from './progress.ts';
