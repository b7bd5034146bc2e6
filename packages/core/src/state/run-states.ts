/** Lists of run states. */
import { isFinal } from './machine.ts';
import { type RunState, runMachine } from './machines.ts';

/** All states, in the order of a run's life. */
export const runStates = Object.keys(runMachine.transitions) as readonly RunState[];

/** States with a round in progress. */
export const openRunStates = runStates.filter((state) => !isFinal(runMachine, state));

/** States in which the round has ended. */
export const finalRunStates = runStates.filter((state) => isFinal(runMachine, state));

/** States in which it ended badly. */
export const badRunStates = finalRunStates.filter((state) => state !== 'success');
