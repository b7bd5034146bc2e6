import { expect, it } from 'vitest';
import { count, exact, percent, size } from './number.ts';

it.each([
  [0, '0'],
  [12_480, '12,480'],
  [99_999, '99,999'],
  [123_456, '123.4 k'],
  [999_999, '999.9 k'],
  [1_000_000, '1.0 M'],
  [2_345_678_901, '2.3 G'],
])('counts %i as %s', (value, text) => {
  expect(count(value, 'en')).toBe(text);
});

it('gives every digit where asked', () => {
  expect(exact(1_234_567, 'en')).toBe('1,234,567');
});

it('says 100 % only of all', () => {
  expect([percent(0.999, 'en'), percent(1, 'en'), percent(0, 'en')]).toEqual(['99 %', '100 %', '0 %']);
});

it.each([
  [512, '512 B'],
  [1_536, '1.5 KiB'],
  [20 * 1_024 * 1_024, '20 MiB'],
])('gives %i bytes as %s', (bytes, text) => {
  expect(size(bytes, 'en')).toBe(text);
});
