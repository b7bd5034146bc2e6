/** The states of a run as lists. */
import { isFinal } from './machine.ts';
import { type RunState, runMachine } from './machines.ts';

/** All of them, in the order of a run's life. */
export const runStates = Object.keys(runMachine.transitions) as readonly RunState[];

/** Those in which a round is under way. */
export const openRunStates = runStates.filter((state) => !isFinal(runMachine, state));

/** Those in which a round has ended. */
export const finalRunStates = runStates.filter((state) => isFinal(runMachine, state));

/** Those in which it ended otherwise than well. */
export const badRunStates = finalRunStates.filter((state) => state !== 'success');
