import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseItemParameters } from './item-params.ts';

describe('parseItemParameters', () => {
  it('gives each item its own parameter', () => {
    expect(parseItemParameters('0=北京,1=上海,2=广州', 3)).toEqual(['北京', '上海', '广州']);
  });

  it('takes the full-width comma, spaces, a comma at the end and "=" in a parameter', () => {
    expect(parseItemParameters('0=A，1=B', 2)).toEqual(['A', 'B']);
    expect(parseItemParameters(' 1 = B b , 0=x=y, ', 2)).toEqual(['x=y', 'B b']);
  });

  it('leaves the parameter of a missing item empty', () => {
    expect(parseItemParameters('1=B', 3)).toEqual(['', 'B', '']);
    expect(parseItemParameters('0=', 1)).toEqual(['']);
    expect(parseItemParameters(' ', 2)).toEqual(['', '']);
  });

  it.each([
    ['x=A', 'item parameters, character 1: "x=A" is not an item number'],
    ['0=A,1', 'item parameters, character 5: "1" is not an item number'],
    ['0=A,-1=B', 'character 5: "-1=B" is not'],
    ['0=A,,1=B', 'character 5: "" is not'],
    [',0=A', 'character 1: "" is not'],
    ['0=A，1=B,2=C', 'character 9: item 2 does not exist; there are 2, counted from 0'],
    ['0=A,1=B,0=C', 'character 9: item 0 is given twice'],
  ])('refuses %s and says where', (text, message) => {
    expect(() => parseItemParameters(text, 2)).toThrow(message);
  });

  it('reads back what was written in any order', () => {
    const word = fc.stringMatching(/^[a-z=北]*$/);
    fc.assert(
      fc.property(fc.array(word, { minLength: 1 }), fc.boolean(), (words, backwards) => {
        const entries = words.map((one, i) => `${i}=${one}`);
        const text = (backwards ? entries.reverse() : entries).join(',');
        expect(parseItemParameters(text, words.length)).toEqual(words);
      }),
    );
  });
});
