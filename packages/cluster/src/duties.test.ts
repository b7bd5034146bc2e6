import { rendezvous } from '@orrery/core/balance';
import { describe, expect, it } from 'vitest';
import { Duties } from './duties.ts';

const names = ['m1', 'm2', 'm3'];

function dutiesOf(self: string, masters = names): Duties {
  const duties = new Duties(self);
  duties.learn(masters.filter((name) => name !== self));
  return duties;
}

describe('duties', () => {
  it('have one master each, spread over all of them', () => {
    const keys = Array.from({ length: 300 }, (_, k) => `duty ${k}`);
    const counts = names.map((name) => keys.filter((key) => dutiesOf(name).isMine(key)).length);
    expect(counts.reduce((a, b) => a + b)).toBe(keys.length);
    for (const count of counts) expect(count).toBeGreaterThan(60);
  });

  it('move only from a master that goes', () => {
    for (let k = 0; k < 200; k++) {
      const [first, second] = rendezvous(`duty ${k}`, names);
      const left = names.filter((name) => name !== 'm2');
      expect(rendezvous(`duty ${k}`, left)[0]).toBe(first === 'm2' ? second : first);
    }
  });

  it('are done by the next in rank when they wait for long', () => {
    const [first, second, third] = rendezvous('triggers', names).map((name) => dutiesOf(name));
    const beats = (duties: Duties) => [1, 2, 3, 4, 5].map(() => duties.isDue('triggers', true));
    expect(beats(first)).toEqual([true, true, true, true, true]);
    expect(beats(second)).toEqual([false, false, true, true, true]);
    expect(beats(third)).toEqual([false, false, false, false, true]);
    expect(second.isDue('triggers', false)).toBe(false);
    expect(second.isDue('triggers', true)).toBe(false);
  });
});
