import { IllegalTransition } from '@orrery/core/errors';
import { move } from '@orrery/core/state';
import { describe, expect, it } from 'vitest';
import { deeds, type LifeEvent, type LifeState, lifeMachine } from './life.ts';

const states = Object.keys(lifeMachine.transitions) as LifeState[];
const events: LifeEvent[] = ['joined', 'pause', 'resume', 'drain', 'undrain', 'lost', 'end'];

describe('the life of a node', () => {
  it('refuses every transition that its table does not name, with both names', () => {
    for (const state of states)
      for (const event of events) {
        const next = lifeMachine.transitions[state][event];
        if (next) expect(move(lifeMachine, state, event)).toBe(next);
        else expect(() => move(lifeMachine, state, event)).toThrow(IllegalTransition);
      }
    expect(() => move(lifeMachine, 'over', 'joined')).toThrow(/over.*joined|joined.*over/);
  });

  it('can end from everywhere, and nothing follows', () => {
    for (const state of states.filter((one) => one !== 'over'))
      expect(move(lifeMachine, state, 'end')).toBe('over');
    expect(lifeMachine.transitions.over).toEqual({});
  });

  it('takes nothing new unless it acts', () => {
    for (const state of states.filter((one) => one !== 'acting'))
      for (const deed of ['adopt', 'start', 'fire', 'sweep'] as const)
        expect(deeds[state]).not.toContain(deed);
  });
});
