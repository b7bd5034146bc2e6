import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { said } from '../texts/index.ts';
import { didYouMean, suggestFrom } from './nearest.ts';

describe('did you mean', () => {
  it.each([
    ['shedule', ['schedule', 'schedules'], 'schedule'],
    ['taks', ['tags', 'name', 'needs'], 'tags'],
    ['worker_group', ['workerGroup', 'group'], 'workerGroup'],
    ['Timeout', ['timeout'], 'timeout'],
    ['sat', ['sunday', 'saturday'], 'saturday'],
    ['A', ['b', 'a'], 'a'],
    ['hgih', ['highest', 'high', 'medium'], 'high'],
  ])('suggests for %s', (unknown, words, meant) => {
    expect(didYouMean(unknown, words)).toBe(`; did you mean "${meant}"?`);
  });

  it('suggests nothing when no word is near', () => {
    expect(didYouMean('colour', ['name', 'tasks', 'needs'])).toBe('');
    expect(didYouMean('x', [])).toBe('');
    expect(didYouMean('c', ['a', 'b', 'cd'])).toBe('');
    expect(didYouMean('a'.repeat(41), ['a'.repeat(42)])).toBe('');
  });

  it('suggests a word for each of its one-letter mistakes', () => {
    const words = ['dependent', 'conditions', 'sub-workflow'];
    fc.assert(
      fc.property(fc.constantFrom(...words), fc.nat(20), fc.constantFrom('x', ''), (word, at, put) => {
        const i = at % word.length;
        return didYouMean(word.slice(0, i) + put + word.slice(i + 1), words) === `; did you mean "${word}"?`;
      }),
    );
  });

  it('gives up after a million comparisons', () => {
    const suggest = suggestFrom(Array.from({ length: 600_000 }, (_, i) => `task${i}`));
    expect(suggest('Task0')).toEqual(said('hint.meant', { name: 'task0' }));
    expect(suggest('Task0')).toBe('');
  });
});
