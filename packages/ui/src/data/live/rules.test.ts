import { describe, expect, it } from 'vitest';
import { applyEvent, topicsOf } from './rules.ts';

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

describe('that much changed', () => {
  const many = { topic: 'bulk:3', kind: 'many', id: null, version: 0, patch: { count: null } } as const;
  it.each([
    ['running', 'stale'],
    ['done', { state: 'done' }],
  ])('of a change of many runs that is %s', (state, effect) => {
    expect(applyEvent('showBulk', { id: 3 }, { state } as never, many)).toEqual(effect);
  });
});
