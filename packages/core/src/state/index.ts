/** State machines of the engine, as data. */
export { isFinal, type Machine, move } from './machine.ts';
export {
  type RunEvent,
  type RunState,
  runMachine,
  type TaskEvent,
  type TaskState,
  taskMachine,
} from './machines.ts';
export { badRunStates, finalRunStates, openRunStates, runStates } from './run-states.ts';
