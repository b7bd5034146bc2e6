/** State machines of the engine, as data. */
export { isFinal, type Machine, move } from './machine.ts';
export {
  type AttemptEvent,
  type AttemptState,
  attemptMachine,
  type CommandEvent,
  type CommandState,
  commandMachine,
  type RunEvent,
  type RunState,
  runMachine,
  type TaskEvent,
  type TaskState,
  taskMachine,
} from './machines.ts';
export { badRunStates, finalRunStates, openRunStates, runStates } from './run-states.ts';
