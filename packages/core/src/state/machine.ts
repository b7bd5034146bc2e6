/**
 * State machines as data: states, the events each accepts, and the final states. An event that a state does
 * not accept is an error that names both, never ignored.
 */
import { IllegalTransition } from '../errors.ts';

/** The events each state accepts, and the resulting states. */
export interface Machine<State extends string, Event extends string> {
  readonly name: string;
  readonly transitions: Readonly<Record<State, Readonly<Partial<Record<Event, State>>>>>;
  readonly final: readonly State[];
}

/** The state after an event; throws `IllegalTransition` if the state does not accept it. */
export function move<State extends string, Event extends string>(
  machine: Machine<State, Event>,
  state: State,
  event: Event,
): State {
  const next = machine.transitions[state][event];
  if (next === undefined) throw new IllegalTransition(machine.name, state, event);
  return next;
}

/** Whether nothing more happens in this state unless somebody reopens it. */
export function isFinal<State extends string, Event extends string>(
  machine: Machine<State, Event>,
  state: State,
): boolean {
  return machine.final.includes(state);
}
