import { casesOf, wordsOf } from '@orrery/testkit/cases/recorded';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidInput } from '../errors.ts';
import {
  evaluate,
  evaluateCondition,
  type Names,
  parseExpression,
  referencedNames,
  type Value,
} from './index.ts';

const value = (text: string, names: Names = {}): Value => evaluate(parseExpression(text), names);

describe('DolphinScheduler switch cases', () => {
  it.each(casesOf('switch'))('$id: $input.expr', ({ input, expect: expected }) => {
    const { expr, params = {} } = wordsOf<{ expr: string; params?: Record<string, string> }>(input, [
      'expr',
      'params',
    ]);
    const answer = () => evaluateCondition(expr, params);
    if (typeof expected === 'boolean') expect(answer()).toBe(expected);
    else {
      expect(wordsOf(expected, ['error', 'mustNotExecute'])).toMatchObject({ error: true });
      expect(answer).toThrow(InvalidInput);
    }
  });
});

describe('values', () => {
  it.each([
    ['1', 1],
    ['1.5', 1.5],
    ['.5', 0.5],
    ['2e3', 2_000],
    ['1E-2', 0.01],
    ['010', 10],
    ['true', true],
    ['false', false],
    ['null', null],
    [`'a "b" c'`, 'a "b" c'],
    [`"it's"`, "it's"],
    [String.raw`'\'\"\\\n\r\t\$\u0041'`, `'"\\\n\r\t$A`],
    [String.raw`'\\u0041'`, String.raw`\u0041`],
    ["'日本😀'", '日本😀'],
    ["''", ''],
    ['[]', []],
    ["[1, 'a', true, null, 1 + 1]", [1, 'a', true, null, 2]],
    ['  ( ( 1 ) ) \n', 1],
  ] as [string, Value][])('%s', (text, expected) => {
    expect(value(text)).toEqual(expected);
  });

  it('takes names from own entries of a record, bare or as a reference', () => {
    const names = { day: '5', größe: 'L', 'a.b-c': 'x', and: 'word', list: ['a', 'b'] };
    expect(value('day', names)).toBe('5');
    expect(value('${day}', names)).toBe('5');
    expect(value('größe', names)).toBe('L');
    expect(value('${a.b-c}', names)).toBe('x');
    expect(value('${and}', names)).toBe('word');
    expect(value("'b' in list", names)).toBe(true);
  });

  it('takes names from a function', () => {
    expect(value('a + b', (name) => (name === 'a' ? 1 : 2))).toBe(3);
    expect(() => value('a', () => undefined)).toThrow('column 1: unknown name "a"');
  });

  it.each(['constructor', 'toString', '__proto__', 'hasOwnProperty', '${constructor}'])(
    'knows no %s unless it was given',
    (name) => {
      expect(() => value(name)).toThrow(InvalidInput);
    },
  );

  it('reads a given value as it is, never as a part of the expression', () => {
    expect(value('${x} == 1', { x: '1 || true' })).toBe(false);
    expect(value("${x} + '!'", { x: "' + secret + '" })).toBe("' + secret + '!");
  });
});

describe('operators', () => {
  it.each([
    ['1 + 2 * 3', 7],
    ['(1 + 2) * 3', 9],
    ['7 % 4 - -1', 4],
    ['-7 % 4', -3],
    ['10 / 4 / 5', 0.5],
    ['2 - 1 - 1', 0],
    ["'a' + 'b' + 1 + 2", 'ab12'],
    ["1 + 2 + 'a'", '3a'],
    ['1 < 2 == 3 >= 3', true],
    ['1 === 1 && 1 !== 2', true],
    ["'abc' < 'abd'", true],
    ["'b' > 'abc'", true],
    ['true || false && false', true],
    ['true or false and false', true],
    ['!true == false', true],
    ['not 1 == 2', true],
    ['not not true', true],
    ['not 3 in [1, 2] and true', true],
    ['2 in [1, 2]', true],
    ["'c' in ['a', 'b']", false],
    ["'abc'.includes('bc')", true],
    ["'abc'.includes('')", true],
    ['[1, 2].includes(3)', false],
    ["'abc'.length + [1, 2].length", 5],
    ['true ? 1 : 2', 1],
    ['false ? 1 : true ? 2 : 3', 2],
    ['1 < 2 ? 3 : 4', 3],
    ['null == null', true],
    ["null == ''", false],
    ['null == false', false],
    ['1 == true', false],
    ['[1, 2] == [1, 2]', true],
    ['[1, 2] == [2, 1]', false],
    ['[1] == [1, 2]', false],
    ['[1] == 1', false],
  ] as [string, Value][])('%s is %s', (text, expected) => {
    expect(value(text)).toBe(expected);
  });

  it.each([
    ["a == 5 && a != 6 && '5' == a", true],
    ['a + 1', 6],
    ['1 + a', 6],
    ['a + b', '510'],
    ['+a + b', 15],
    ['+a + +b', 15],
    ['-a', -5],
    ['a * b', 50],
    ['a < b', true],
    ['a >= 5', true],
    ["a < 'x'", true],
    ["a == '5.0'", false],
    ['a == 5.0', true],
    ['a in [4, 5]', true],
    ['[a].includes(5)', true],
    ['yes', 'true'],
    ['yes == true', true],
    ['yes && !no', true],
    ['yes ? 1 : 2', 1],
    ['word == 1', false],
    ['word == true', false],
    ['word + 1', 'x1'],
  ] as [string, Value][])(
    'reads texts where a number or boolean is asked for: %s is %s',
    (text, expected) => {
      expect(value(text, { a: '5', b: '10', yes: 'true', no: 'false', word: 'x' })).toBe(expected);
    },
  );

  it.each(['5', '-5', '+5', '5.', '5.5', '.5', '5e3', '5E-3'])('reads the text %s as a number', (text) => {
    expect(value('x == y && x + 0 == y', { x: text, y: Number(text) })).toBe(true);
  });

  it.each(['', ' 5', '5 ', '0x10', '1_000', 'Infinity', 'NaN', '1e999', '.', '5e', '--5', '५'])(
    'does not read the text "%s" as a number',
    (text) => {
      expect(() => value('-x', { x: text })).toThrow('column 1: "-" needs a number, got a text');
    },
  );

  it('looks only at the sides it needs', () => {
    expect(value('false && unknown')).toBe(false);
    expect(value('true || unknown')).toBe(true);
    expect(value('true ? 1 : unknown')).toBe(1);
    expect(value('false ? unknown : 1')).toBe(1);
  });
});

describe('errors', () => {
  it.each([
    ['', 'column 1: the expression ends too early; expected a value'],
    ['1 +', 'column 4: the expression ends too early; expected a value'],
    ['1 2', 'column 3: unexpected "2"; expected an operator or the end'],
    ['(1', 'column 3: the expression ends too early; expected ")"'],
    ['[1, 2', 'column 6: the expression ends too early; expected "]"'],
    ['[1,]', 'column 4: unexpected "]"; expected a value'],
    ['1 ? 2', 'column 6: the expression ends too early; expected ":"'],
    ['a == not b', 'column 6: unexpected "not"; expected a value'],
    ['a = 1', 'column 3: unexpected "="; compare with =='],
    ['a & b', 'column 3: unexpected "&"; combine with &&'],
    ['a | b', 'column 3: unexpected "|"; combine with ||'],
    ["a == 'x", 'column 6: unexpected "\'"; this text is not closed with \''],
    ['$a', 'column 1: unexpected "$"; a reference is written ${name}'],
    ['${}', 'column 1: unexpected "$"'],
    ['${a b}', 'column 1: unexpected "$"'],
    ["'x${a}' == 1", 'column 3: a reference inside quotes is not replaced'],
    [String.raw`'ab\x'`, 'column 4: unknown escape; accepted are'],
    [String.raw`\u0061`, String.raw`column 1: unexpected "\\"`],
    ['1e999', 'column 1: the number is too large'],
    ['a; b', 'column 2: unexpected ";"'],
    ['a.b', 'column 3: unexpected "b"; expected "includes" or "length"'],
    ["a['b']", 'column 2: unexpected "["; expected an operator or the end'],
    ['a.constructor', 'column 3: unexpected "constructor"'],
    ['a.length.length', 'column 9: unexpected "."; expected an operator or the end'],
    ['a(1)', 'column 2: unexpected "("; expected an operator or the end'],
    ['a.includes', 'column 11: the expression ends too early; expected "("'],
    ['a => 1', 'column 3: unexpected "="'],
    ['`a`', 'column 1: unexpected "`"'],
  ])('refuses to parse %s', (text, message) => {
    expect(() => parseExpression(text)).toThrow(InvalidInput);
    expect(() => parseExpression(text)).toThrow(message);
  });

  it.each([
    ['x', 'column 1: unknown name "x"'],
    ['1 == x', 'column 6: unknown name "x"'],
    ['1 / 0', 'column 3: division by zero'],
    ["1 % '0'", 'column 3: division by zero'],
    ['1e308 * 10', 'column 7: the result is too large'],
    ['1e308 + 1e308', 'column 7: the result is too large'],
    ["'a' - 1", 'column 5: "-" needs a number, got a text'],
    ['true + 1', 'column 6: "+" takes numbers and texts, got a boolean and a number'],
    ["'a' < 1", 'column 5: "<" needs two numbers or two texts, got a text and a number'],
    ['1 < 2 < 3', 'column 7: "<" needs two numbers or two texts, got a boolean and a number'],
    ['null >= 1', 'column 6: ">=" needs two numbers or two texts, got null and a number'],
    ['1 && true', 'column 3: a side of "&&" must be true or false, got a number'],
    ['false || null', 'column 7: a side of "||" must be true or false, got null'],
    ['!1', 'column 1: the operand of a negation must be true or false, got a number'],
    ['[] ? 1 : 2', 'column 4: the condition before "?" must be true or false, got a list'],
    ["1 in '1'", 'column 3: "in" needs a list on its right, got a text'],
    ["'1'.includes(1)", 'column 5: "includes" looks for a value in a list or a text in a text'],
    ['(1).length', 'column 5: "length" needs a text or a list, got a number'],
    ['[[1]]', 'column 2: a list cannot hold a list'],
  ])('refuses to evaluate %s', (text, message) => {
    expect(() => value(text)).toThrow(InvalidInput);
    expect(() => value(text)).toThrow(message);
  });

  it('does not show values, which may be secret', () => {
    expect(() => value('secret - 1', { secret: 'hunter2' })).toThrow(/^((?!hunter2).)*$/);
  });

  it('takes only a boolean as a condition', () => {
    expect(evaluateCondition('1 < 2', {})).toBe(true);
    expect(evaluateCondition('${flag}', { flag: 'false' })).toBe(false);
    expect(() => evaluateCondition('1', {})).toThrow(
      'column 1: the result must be true or false, got a number',
    );
  });
});

describe('bounds', () => {
  it('accepts 10,000 characters, however many operators they hold, and no more', () => {
    const long = `${'1+'.repeat(4_999)}1 `;
    expect(long.length).toBe(10_000);
    expect(value(long)).toBe(5_000);
    expect(value(`true${'&&true'.repeat(1_600)}`)).toBe(true);
    expect(() => parseExpression(`${long} `)).toThrow('10001 characters; at most 10000 are accepted');
  });

  it.each([
    ['brackets', (n: number) => `${'('.repeat(n)}1${')'.repeat(n)}`],
    ['signs', (n: number) => `${'-'.repeat(n)}1`],
    ['negations', (n: number) => `${'!'.repeat(n)}true`],
    ['words of negation', (n: number) => `${'not '.repeat(n)}true`],
    ['choices', (n: number) => `${'true ? 1 : '.repeat(n)}1`],
    ['members', (n: number) => `${'[1].includes('.repeat(n)}1${')'.repeat(n)}`],
  ])('accepts 100 levels of %s, the whole being the first, and no more', (_, text) => {
    expect(() => parseExpression(text(99))).not.toThrow();
    expect(() => parseExpression(text(100))).toThrow('nested too deep; at most 100 levels are accepted');
    expect(() => parseExpression(text(700))).toThrow(InvalidInput);
  });
});

describe('referencedNames', () => {
  it('lists each name once, wherever it stands', () => {
    const text = "a == 1 ? [b, ${c-d}].includes(e) : not (f + -g > a) || h.length in ['i', j]";
    expect(referencedNames(parseExpression(text))).toEqual(['a', 'b', 'c-d', 'e', 'f', 'g', 'h', 'j']);
  });
});

describe('properties', () => {
  const piece = fc.constantFrom(
    ...`1 2.5 .5 1e3 'a' "b" '5' true false null and or not in == != === < <= > >= && || ! + - * / % ( ) [ ] , . ? :
        .includes( .length x y \${x} \${z} $ \\ ' " { } = &`.split(/\s+/),
    ' ',
  );
  const anyText = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join('')),
    fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(' ')),
  );
  const anyNames = fc.record({
    x: fc.oneof(fc.string(), fc.double({ noNaN: true }), fc.boolean(), fc.constant(null)),
    y: fc.array(fc.oneof(fc.string(), fc.integer())),
  });

  it('gives a value or InvalidInput for any text', () => {
    fc.assert(
      fc.property(anyText, anyNames, (text, names) => {
        try {
          const tree = parseExpression(text);
          // A tree is plain data: it survives being stored.
          expect(JSON.parse(JSON.stringify(tree))).toEqual(tree);
          expect(evaluate(tree, names)).not.toBeUndefined();
        } catch (error) {
          if (!(error instanceof InvalidInput)) throw error;
          expect(error.at).toMatch(/^column [1-9]\d*$/);
          expect(error.message).not.toContain('\n');
        }
      }),
      { numRuns: 5_000 },
    );
  });

  interface Trees {
    number: string;
    text: string;
    boolean: string;
  }
  /** Expressions of which JavaScript and this language think the same, printed with few brackets. */
  const trees = fc.letrec<Trees>((tie) => {
    const binary = (operators: string[], side: fc.Arbitrary<string>) =>
      fc.tuple(side, fc.constantFrom(...operators), side).map(([a, operator, b]) => `${a} ${operator} ${b}`);
    const bracketed = (inner: fc.Arbitrary<string>) => inner.map((text) => `(${text})`);
    const part = (name: keyof Trees) => tie(name) as fc.Arbitrary<string>;
    const size = { maxDepth: 5, depthSize: 'large' } as const;
    return {
      number: fc.oneof(
        size,
        fc.constantFrom('0', '1', '2', '3.5', '10', 'n'),
        binary(['+', '-', '*', '/', '%'], part('number')),
        bracketed(part('number')),
        bracketed(part('number')).map((text) => `-${text}`),
        part('text').map((text) => `(${text}).length`),
        fc.tuple(part('boolean'), part('number'), part('number')).map(([c, a, b]) => `(${c} ? ${a} : ${b})`),
      ),
      text: fc.oneof(
        size,
        fc.constantFrom("'a'", '"b"', "'ab'", "''", 't'),
        fc.tuple(part('text'), part('text')).map(([a, b]) => `${a} + ${b}`),
      ),
      boolean: fc.oneof(
        size,
        fc.constantFrom('true', 'false', 'b'),
        binary(['<', '<=', '>', '>=', '===', '!=='], part('number')),
        binary(['<', '>=', '===', '!=='], part('text')),
        binary(['&&', '||', '===', '!=='], part('boolean')),
        bracketed(part('boolean')).map((text) => `!${text}`),
        fc.constantFrom('true', 'b').map((text) => `!${text}`),
        fc.tuple(part('text'), part('text')).map(([a, b]) => `(${a}).includes(${b})`),
        fc.tuple(part('number'), part('number')).map(([a, b]) => `[1, ${a}].includes(${b})`),
      ),
    };
  });

  it('thinks like JavaScript where both have the same types', () => {
    const names = { n: 4, t: 'tt', b: true };
    const choice = fc
      .tuple(trees.boolean, trees.number, trees.boolean, trees.number, trees.text)
      .map(([c, a, d, b, e]) => `${c} ? ${a} : ${d} ? ${b} : ${e}`);
    fc.assert(
      fc.property(fc.oneof(trees.number, trees.text, trees.boolean, choice), (text) => {
        fc.pre(text.length <= 2_000);
        const expected = new Function(...Object.keys(names), `return ${text}`)(...Object.values(names));
        let actual: Value;
        try {
          actual = value(text, names);
        } catch (error) {
          // JavaScript goes on with NaN and Infinity, which may be hidden again by a comparison.
          expect((error as Error).message).toMatch(/division by zero|too large/);
          return;
        }
        expect(actual === 0 ? 0 : actual).toBe(expected === 0 ? 0 : expected);
      }),
      { numRuns: 3_000 },
    );
  });
});
