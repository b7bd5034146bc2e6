import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidInput } from '../errors.ts';
import { countElements, elementAt, MAX_ELEMENTS, productOf, type SeriesSource } from './index.ts';

const all = (source: SeriesSource) =>
  Array.from({ length: countElements(source) }, (_, i) => elementAt(source, i));
const product = (lists: Record<string, string[]>, without?: string[]): SeriesSource => ({
  kind: 'product',
  lists: productOf(
    Object.entries(lists).map(([name, values]) => ({ name, values })),
    without,
  ),
});

describe('a product of lists', () => {
  it('combines every value with every other, the last list turning fastest', () => {
    expect(all(product({ a: ['1', '2'], b: ['x', 'y'] })).map(({ params }) => params)).toEqual([
      { a: '1', b: 'x' },
      { a: '1', b: 'y' },
      { a: '2', b: 'x' },
      { a: '2', b: 'y' },
    ]);
  });

  it('is what nested loops over the wanted values give', () => {
    const value = fc.constantFrom('a', 'b', ' c ', '', 'd');
    fc.assert(
      fc.property(
        fc.array(value, { maxLength: 4 }),
        fc.array(value, { maxLength: 4 }),
        fc.array(value, { maxLength: 4 }),
        fc.array(value, { maxLength: 2 }),
        (x, y, z, without) => {
          const wanted = (list: string[]) =>
            list
              .map((one) => one.trim())
              .filter((one) => one && !without.some((drop) => drop.trim() === one));
          const expected = wanted(x).flatMap((a) =>
            wanted(y).flatMap((b) => wanted(z).map((c) => ({ a, b, c }))),
          );
          expect(all(product({ a: x, b: y, c: z }, without)).map(({ params }) => params)).toEqual(expected);
        },
      ),
    );
  });

  it('has no elements without lists, or with an empty one', () => {
    expect(all(product({}))).toEqual([]);
    expect(all(product({ a: ['1'], b: [' '] }))).toEqual([]);
  });
});

describe('a list of business times', () => {
  it('has one element for each, in order', () => {
    expect(all({ kind: 'times', times: [30, 10] })).toEqual([
      { params: {}, businessTime: 30 },
      { params: {}, businessTime: 10 },
    ]);
  });
});

describe('the size of a series', () => {
  it('is refused with its number when it is more than asked for', () => {
    const source = product({ a: ['1', '2', '3'], b: ['1', '2'] });
    expect(countElements(source, 6)).toBe(6);
    expect(() => countElements(source, 5)).toThrow(InvalidInput);
    expect(() => countElements(source, 5)).toThrow('a series of 6 elements is more than the 5 allowed');
  });

  it('is refused above the largest of all, whatever is asked for, without listing the elements', () => {
    const values = Array.from({ length: 1_000 }, (_, i) => String(i));
    const source = product({ a: values, b: values, c: values });
    expect(() => countElements(source, 10 ** 12)).toThrow(
      `a series of 1000000000 elements is more than the ${MAX_ELEMENTS} allowed`,
    );
  });
});
