import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { zone } from '../time/zone.ts';
import { type Expansion, expand, isParameterName, pieces, references } from './template.ts';

const values: Record<string, string> = { a: 'A', 'b.c-d': 'B', 数据: 'C', n: '2', self: '${self}$[yyyy]' };

function options(more: Partial<Expansion> = {}): Expansion {
  return {
    value: (name) => (Object.hasOwn(values, name) ? values[name] : undefined),
    businessTime: Date.parse('2026-11-15T07:08:09Z'),
    zone: zone('UTC'),
    ...more,
  };
}

describe('expansion', () => {
  it.each([
    ['${a}-${b.c-d}-${数据}', 'A-B-C'],
    ['$[yyyyMMdd]/$[ HH:mm ]', '20261115/07:08'],
    ['$[yyyyMMdd-${n}]', '20261113'],
    ['${a${n}}', '${a2}'],
    ['$${a}', '$A'],
    ['${self}', '${self}$[yyyy]'],
  ])('%s becomes %s', (template, expected) => {
    expect(expand(template, options())).toBe(expected);
  });

  it.each([
    '${HOME} $HOME $$ $',
    '${HOME:-x} ${#list[@]} ${1} ${} ${ a }',
    '$[0] $[] $[*] $[?(@.x)] $[-1] $[yyyy',
    '${constructor} ${__proto__}',
    '\\${a} \\$[yyyy]',
    '${setValue(k=v)}',
  ])('leaves %s as it is', (template) => {
    expect(expand(template, options())).toBe(template);
  });

  it('expands after an escaped backslash', () => {
    expect(expand('\\\\${a}', options())).toBe('\\\\A');
  });

  it('refuses unknown names where asked to, and says where', () => {
    expect(() => expand('x ${nope}', options({ unknown: 'error', at: 'task "load"' }))).toThrow(
      'task "load": unknown parameter "nope"',
    );
  });

  it('refuses a bad time placeholder, and says where', () => {
    expect(() => expand('$[x+1]', options({ at: 'task "load"' }))).toThrow(
      'task "load": unsupported time placeholder "$[x+1]"',
    );
  });

  it('refuses to grow beyond the limit', () => {
    const large = 'x'.repeat(600_000);
    expect(() => expand('${a}${a}', options({ value: () => large }))).toThrow('more than 1048576 characters');
  });

  it('leaves any text without a dollar sign alone', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const plain = text.replaceAll('$', '');
        expect(expand(plain, options())).toBe(plain);
      }),
    );
  });

  it('puts values in once: what they hold is not read again', () => {
    const parts = fc.constantFrom('${a}', '$[yyyy]', 'x', '\\', '${', '}', ']');
    fc.assert(
      fc.property(fc.array(parts), (list) => {
        const marked = expand(list.join(''), options({ value: () => '${a}$[yyyy]' }));
        const neutral = expand(list.join(''), options({ value: () => '#' }));
        expect(marked.length - neutral.length).toBe(
          pieces(list.join('')).filter(({ kind }) => kind === 'reference').length * 10,
        );
      }),
    );
  });

  it('cuts any text into pieces that join to the same text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'${}[]ayM\\0 ,()\n') }), (text) => {
        expect(
          pieces(text)
            .map((piece) => piece.text)
            .join(''),
        ).toBe(text);
      }),
      { numRuns: 2000 },
    );
  });

  it.each(['${', '$[y', '${a', '\\', '${a}', "$['"])(
    'takes a million characters of %s in its stride',
    (part) => {
      const text = part.repeat(Math.ceil(1_000_000 / part.length));
      expect(pieces(text).reduce((sum, piece) => sum + piece.text.length, 0)).toBe(text.length);
    },
  );
});

describe('references', () => {
  it('names each reference once, also inside time placeholders, and none that is escaped', () => {
    expect(references('${b} ${a} $[yyyyMMdd-${n}] ${b} \\${c} ${d:-1}')).toEqual(['b', 'a', 'n']);
  });
});

describe('names', () => {
  it('accepts letters, digits, dots, dashes and underscores, not a digit first', () => {
    expect(['a', '_x', 'a.b-c_1', '数据'].every(isParameterName)).toBe(true);
    expect(['', '1a', 'a b', 'a=b', '${a}', '-a'].some(isParameterName)).toBe(false);
  });
});
