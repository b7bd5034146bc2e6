import { describe, expect, it } from 'vitest';
import { type Entry, fit, joined, ranked, readQuery } from './entries.ts';

const entry = (label: string, to = `/${label}`): Entry => ({ id: label, kind: 'palette.page', label, to });

describe('what is typed', () => {
  it.each([
    ['daily', { scope: 'all', text: 'daily' }],
    ['> stop', { scope: 'actions', text: 'stop' }],
    ['@w4', { scope: 'nodes', text: 'w4' }],
    ['#12.load', { scope: 'ids', text: '12.load' }],
    ['why 12.load', { scope: 'why', text: '12.load' }],
    ['whyever', { scope: 'all', text: 'whyever' }],
  ])('%j narrows to %j', (typed, query) => {
    expect(readQuery(typed)).toEqual(query);
  });
});

describe('fitting', () => {
  it('prefers a start, then the start of a word, then letters in order', () => {
    expect(fit('daily-orders', 'da')).toBeLessThan(fit('my-daily', 'da') ?? 0);
    expect(fit('my-daily', 'da')).toBeLessThan(fit('soda', 'da') ?? 0);
    expect(fit('soda', 'da')).toBeLessThan(fit('d-x-a', 'da') ?? 0);
    expect(fit('daily', 'xyz')).toBeNull();
  });

  it('ranks and cuts, equals in their order', () => {
    const entries = ['orders', 'daily-orders', 'other', 'report'].map((name) => entry(name));
    expect(ranked(entries, 'or', 2).map(({ label }) => label)).toEqual(['orders', 'daily-orders']);
    expect(ranked(entries, '', 9)).toEqual(entries);
  });
});

it('what comes later stands below, once', () => {
  const first = [entry('a'), entry('b')];
  expect(joined(first, [entry('c'), entry('again', '/a')]).map(({ label }) => label)).toEqual([
    'a',
    'b',
    'c',
  ]);
});
