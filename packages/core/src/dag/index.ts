/** The graph of a workflow, and which of its tasks may start. */
export {
  buildDag,
  type Dag,
  type Edges,
  findCycle,
  layers,
  predecessors,
  type Scope,
  selectTasks,
  successors,
  topologicalOrder,
} from './graph.ts';
export { Progress, type Step } from './progress.ts';
export {
  type Counters,
  type Ending,
  endingOfPassed,
  endingOfSkipped,
  judge,
  type Verdict,
} from './trigger-rule.ts';
