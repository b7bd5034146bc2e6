import { describe, expect, it } from 'vitest';
import { IllegalTransition } from '../errors.ts';
import { isFinal, type Machine, move, runMachine, taskMachine } from './index.ts';

type AnyMachine = Machine<string, string>;
const machines = [runMachine, taskMachine] as unknown as AnyMachine[];

const statesOf = (machine: AnyMachine) => Object.keys(machine.transitions);
const nextOf = (machine: AnyMachine, state: string) =>
  Object.values(machine.transitions[state]).filter((next) => next !== undefined);
const eventsOf = (machine: AnyMachine) => [
  ...new Set(statesOf(machine).flatMap((state) => Object.keys(machine.transitions[state]))),
];

/** States that can be reached from one, itself included. */
function reach(machine: AnyMachine, from: string): Set<string> {
  const found = new Set([from]);
  for (const state of found) for (const next of nextOf(machine, state)) found.add(next);
  return found;
}

describe.each(machines.map((machine) => [machine.name, machine] as const))(
  'the life of a %s',
  (_, machine) => {
    it('moves as listed, and refuses every other event with both names', () => {
      for (const state of statesOf(machine)) {
        for (const event of eventsOf(machine)) {
          const next = machine.transitions[state][event];
          if (next !== undefined) {
            expect(move(machine, state, event)).toBe(next);
            continue;
          }
          expect(() => move(machine, state, event)).toThrow(IllegalTransition);
          expect(() => move(machine, state, event)).toThrow(
            `${machine.name}: event "${event}" is not allowed in state "${state}"`,
          );
        }
      }
    });

    it('leads only to states that exist', () => {
      const states = statesOf(machine);
      for (const state of states) for (const next of nextOf(machine, state)) expect(states).toContain(next);
    });

    it('can reach a final state from every other, and every state from the first', () => {
      const [first] = statesOf(machine);
      expect([...reach(machine, first)].sort()).toEqual(statesOf(machine).sort());
      for (const state of statesOf(machine)) {
        expect([...reach(machine, state)].some((other) => isFinal(machine, other))).toBe(true);
      }
    });

    it('is over in exactly the states that nothing leaves by itself', () => {
      // People may take an ended run or task run up again; only a run that is broken can still be stopped.
      const byHand = new Set(['reopen', 'force']);
      for (const state of statesOf(machine)) {
        const events = Object.keys(machine.transitions[state]).filter(
          (event) => !byHand.has(event) && !(state === 'broken' && event === 'stop'),
        );
        expect([state, isFinal(machine, state)]).toEqual([state, events.length === 0]);
      }
    });
  },
);

describe('an ended life', () => {
  it('of a run is reopened as running, of a task run as pending', () => {
    for (const state of runMachine.final) expect(move(runMachine, state, 'reopen')).toBe('running');
    for (const state of taskMachine.final) expect(move(taskMachine, state, 'reopen')).toBe('pending');
  });
});
