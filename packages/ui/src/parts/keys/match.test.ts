import { describe, expect, it } from 'vitest';
import { chordOf, isPlain, isSingle, match, shown } from './match.ts';

const press = (key: string, held: Partial<Record<'ctrlKey' | 'metaKey' | 'altKey', boolean>> = {}) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  ...held,
});

describe('a press', () => {
  it.each([
    [press('j'), false, 'j'],
    [press('X'), false, 'X'],
    [press('k', { ctrlKey: true }), false, 'mod+k'],
    [press('k', { metaKey: true }), true, 'mod+k'],
    [press('k', { ctrlKey: true }), true, null],
    [press('k', { metaKey: true }), false, null],
    [press('a', { altKey: true }), false, null],
    [press('Shift'), false, null],
    [press(' '), false, 'Space'],
  ])('%j on a Mac: %s is %s', (given, mac, chord) => {
    expect(chordOf(given, mac)).toBe(chord);
  });
});

describe('matching', () => {
  const known = new Set(['h', 'g h', 'mod+k', 'r']);

  it('takes two keys of a sequence as one', () => {
    expect(match(null, 'g', known)).toEqual({ kind: 'begun', chord: 'g' });
    expect(match('g', 'h', known)).toEqual({ kind: 'found', keys: 'g h' });
  });

  it('falls back to the second key alone', () => {
    expect(match('g', 'r', known)).toEqual({ kind: 'found', keys: 'r' });
    expect(match('g', 'z', known)).toEqual({ kind: 'none' });
    expect(match(null, 'h', known)).toEqual({ kind: 'found', keys: 'h' });
  });
});

it('keys with a modifier and Escape act everywhere', () => {
  expect(['mod+k', 'Escape', 'g h', 'Enter'].map(isPlain)).toEqual([false, false, true, true]);
});

it('only letters, digits and signs can be turned off: rows open by Enter all the same', () => {
  const keys = ['g h', 'x', '?', 'Enter', 'ArrowDown', 'Space', 'mod+k', 'Escape'];
  expect(keys.filter(isSingle)).toEqual(['g h', 'x', '?']);
});

it('is shown as people write it', () => {
  expect([shown('mod+k', true), shown('mod+k', false), shown('g h', true), shown('Enter', false)]).toEqual([
    '⌘K',
    'Ctrl+K',
    'g h',
    '⏎',
  ]);
});
