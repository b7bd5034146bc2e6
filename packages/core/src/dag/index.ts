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
