import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fittingAttempts, holds, resourcesLeft } from './resources.ts';

const GB = 2 ** 30;

describe('what a worker takes of a queue in which attempts ask for cores and memory', () => {
  const capacity = { cores: 4_000, memory: 8 * GB };
  const names = (queue: { name: string; cores?: number; memory?: number }[], left = capacity, room = 9) =>
    fittingAttempts(queue, capacity, left, room).taken.map(({ name }) => name);

  it('is what fits what it has left, in order', () => {
    const queue = [
      { name: 'a', cores: 3_000 },
      { name: 'b' },
      { name: 'c', cores: 1_000, memory: GB },
      { name: 'd', cores: 1 },
    ];
    expect(names(queue)).toEqual(['a', 'b', 'c']);
    expect(names(queue, capacity, 2)).toEqual(['a', 'b']);
  });

  it('keeps room for one that it could hold, and passes over one that it never could', () => {
    const queue = [
      { name: 'never', cores: 5_000 },
      { name: 'large', cores: 4_000 },
      { name: 'small', cores: 1_000 },
      { name: 'free' },
    ];
    expect(names(queue, { cores: 2_000, memory: GB })).toEqual(['free']);
    expect(names(queue)).toEqual(['large', 'free']);
  });

  it('never asks for more than is left', () => {
    const amount = fc.record({ cores: fc.nat(5_000), memory: fc.nat(10 * GB) });
    fc.assert(
      fc.property(fc.array(amount), amount, fc.nat(20), (queue, used, room) => {
        const left = resourcesLeft(capacity, used);
        const { taken } = fittingAttempts(queue, capacity, left, room);
        const asking = taken.filter(({ cores, memory }) => cores > 0 || memory > 0);
        const sum = asking.reduce(
          (all, one) => ({ cores: all.cores + one.cores, memory: all.memory + one.memory }),
          { cores: 0, memory: 0 },
        );
        expect(taken.length).toBeLessThanOrEqual(room);
        expect(asking.length === 0 || holds(left, sum)).toBe(true);
      }),
    );
  });
});
