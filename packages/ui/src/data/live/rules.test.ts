import { describe, expect, it } from 'vitest';
import { topicsOf } from './rules.ts';

describe('the topics of a reason', () => {
  it.each([
    ['12', ['run:12']],
    ['12.load', ['run:12']],
    // One topic that there is not, and the server refuses the whole stream, of all tabs.
    ['0', []],
    ['007', []],
    ['1234567890123456', []],
    ['load', []],
  ])('of %s', (id, topics) => {
    expect(topicsOf('explain', { id })).toEqual(topics);
  });
});
