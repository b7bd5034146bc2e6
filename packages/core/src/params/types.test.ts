import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ParameterType } from '../model/glossary.ts';
import { coerce } from './types.ts';

describe('types of parameters', () => {
  it.each([
    ['string', ' any ', ' any '],
    ['integer', ' -42 ', -42],
    ['integer', '9007199254740991', Number.MAX_SAFE_INTEGER],
    ['number', '-1.5e3', -1500],
    ['number', '.5', 0.5],
    ['boolean', 'TRUE', true],
    ['boolean', 'false', false],
    ['date', '2028-02-29', '2028-02-29'],
    ['time', '23:59:59', '23:59:59'],
    ['timestamp', ' 2026-11-15 07:08:09 ', '2026-11-15 07:08:09'],
    ['list', '["a", 1]', ['a', 1]],
    ['list', 'a, b ,c', ['a', 'b', 'c']],
    ['list', '', []],
    ['json', '{"a":null}', { a: null }],
    ['json', 'null', null],
  ] as const)('%s reads %j as %j', (type, text, expected) => {
    expect(coerce(type, text)).toEqual(expected);
  });

  it.each([
    ['integer', '1.0'],
    ['integer', ''],
    ['integer', '9007199254740993'],
    ['number', 'NaN'],
    ['number', '0x10'],
    ['number', '1e999'],
    ['boolean', '1'],
    ['date', '2026-02-29'],
    ['date', '2026-11-15 00:00:00'],
    ['date', '15.11.2026'],
    ['time', '24:00:00'],
    ['time', ''],
    ['timestamp', '2026-11-15'],
    ['timestamp', '2026-11-1507:08:09'],
    ['list', '[1,'],
    ['json', '{a:1}'],
  ] as const)('%s refuses %j and says what it takes', (type, text) => {
    expect(() => coerce(type, text, 'parameter "p"')).toThrow(
      new RegExp(`^parameter "p": ".*" is not of type ${type}: use `),
    );
  });

  it('reads back every number and JSON value it is shown', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.maxSafeInteger(), (value, whole) => {
        expect(JSON.stringify(coerce('json', JSON.stringify(value)))).toBe(JSON.stringify(value));
        expect(coerce('integer', String(whole))).toBe(whole);
      }),
    );
  });

  it('shows only the beginning of a long text', () => {
    const long = 'x'.repeat(1000);
    const type: ParameterType = 'integer';
    expect(() => coerce(type, long)).toThrow(`"${'x'.repeat(80)}…" is not of type integer`);
  });
});
