/** Queue order, worker choice, and load protection. */
export {
  type Choice,
  type ChoiceMemory,
  chooseWorker,
  type GroupChoice,
  groupChoices,
  type WorkerChoice,
  type WorkerLoad,
} from './choose.ts';
export {
  type CommandKey,
  compareCommands,
  priorityName,
  priorityNumber,
} from './order.ts';
export { type LoadLimits, type LoadReading, overload } from './overload.ts';
export { fittingAttempts, holds, type Resources, resourcesLeft } from './resources.ts';
