/** Whether something has ended, as commands ask it of what the API shows. */
import { isFinal, runMachine, taskMachine } from '@orrery/core/state';

/** Whether nothing more happens to a run, or to a task run, by itself. */
export function hasEnded(state: string): boolean {
  const known = (machine: { readonly transitions: object }) => Object.hasOwn(machine.transitions, state);
  return (
    (known(runMachine) && isFinal(runMachine, state as never)) ||
    (known(taskMachine) && isFinal(taskMachine, state as never))
  );
}
