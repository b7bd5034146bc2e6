import { expect, it } from 'vitest';
import { families } from '../theme/palette.ts';
import { hasEnded, knownStates, lookOf } from './state.ts';

/** As the engine spells them, by what has them. */
const engine = {
  run: 'queued waiting running pausing paused stopping failing success failed stopped broken',
  taskRun:
    'pending delayed submitted running retrying waiting paused stopping success failed killed skipped passed excluded',
  attempt: 'queued assigned success failed timed-out killed lost withdrawn',
};

it.each(Object.entries(engine))('every state of a %s has a look and a word', (_, states) => {
  for (const state of states.split(' '))
    expect([state, lookOf(state).word]).toEqual([state, expect.any(String)]);
});

it('states of one family differ by icon', () => {
  for (const family of families) {
    const words = new Map<object, string | null>();
    for (const state of knownStates) {
      const { family: own, icon, word } = lookOf(state);
      if (own !== family || family === 'neutral' || word === 'state.on' || word === 'state.alive') continue;
      const other = words.get(icon);
      const alike = new Set([
        'state.stopped,state.killed',
        'state.discarded,state.withdrawn',
        'state.stopping,state.draining',
        'state.broken,state.unhealthy',
        'state.delayed,state.late',
      ]);
      if (other !== undefined && other !== word) expect(alike).toContain(`${other},${word}`);
      words.set(icon, word);
    }
  }
});

it('an unknown state is neutral and has no word', () => {
  expect(lookOf('teleported')).toMatchObject({ family: 'neutral', word: null });
  expect(lookOf('teleported')).toBe(lookOf('beamed'));
});

it('knows which states are over', () => {
  expect(['success', 'broken', 'running', 'paused'].map(hasEnded)).toEqual([true, true, false, false]);
});
