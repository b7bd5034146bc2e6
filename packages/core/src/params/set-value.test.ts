import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OutputCollector, type OutputLimits } from './set-value.ts';

function collect(lines: readonly string[], limits: Partial<OutputLimits> = {}) {
  const collector = new OutputCollector(limits);
  for (const line of lines) collector.feed(line);
  return { values: collector.finish(), problems: collector.problems };
}

describe('outputs', () => {
  it('reads several statements on a line, in both spellings, and keeps the last of a name', () => {
    const { values } = collect(['a ${setValue(x=1)} b #{setValue(y=2)}${setValue(x=3)}']);
    expect(values).toEqual({ x: '3', y: '2' });
  });

  it('keeps brackets in a value whole', () => {
    expect(collect(['${setValue(key=f(x) + g(y))}']).values).toEqual({ key: 'f(x) + g(y)' });
    expect(collect(['${setValue(key={"a":{"b":[1,2]}})}']).values).toEqual({ key: '{"a":{"b":[1,2]}}' });
    expect(collect(['${setValue(key=a) b', 'c) d)}']).values).toEqual({ key: 'a) b\nc) d' });
  });

  it('goes on with the rest of the line after a statement of many lines', () => {
    expect(collect(['${setValue(a=1', '2)} ${setValue(b=3)}']).values).toEqual({ a: '1\n2', b: '3' });
  });

  it('trims the name and not the value', () => {
    expect(collect(['${setValue( a = 1 )}']).values).toEqual({ a: ' 1 ' });
  });

  it('takes names that objects have of their own', () => {
    expect(collect(['${setValue(__proto__=1)}']).values).toEqual(JSON.parse('{"__proto__":"1"}'));
  });

  it.each([
    [['${setValue(a=1'], {}, 'setValue(a=1… is not closed by )}'],
    [['${setValue(novalue)}'], {}, 'setValue(novalue… has no name before "="'],
    [['${setValue(=1)}'], {}, 'has no name before "="'],
    [['${setValue(a=1', '2', '3)}'], { rows: 2 }, 'has more than 2 lines'],
    [['${setValue(a=12345678)}'], { characters: 9 }, 'has more than 9 characters'],
    [['${setValue(a=1234)}${setValue(b=1234)}'], { characters: 9 }, 'takes the outputs over 9 characters'],
  ] as const)('drops %o and says why', (lines, limits, problem) => {
    const { values, problems } = collect(lines, limits);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(problem);
    expect(Object.keys(values)).toEqual(problem.includes('outputs over') ? ['a'] : []);
  });

  it('frees the room of a value that is replaced', () => {
    const { values, problems } = collect(['${setValue(a=12345678)}', '${setValue(a=1)}${setValue(b=234)}'], {
      characters: 10,
    });
    expect([values, problems]).toEqual([{ a: '1', b: '234' }, []]);
  });

  it('keeps only the first twenty problems', () => {
    expect(collect(Array.from({ length: 100 }, () => '${setValue(x)}')).problems).toHaveLength(20);
  });

  it('gives back any value that does not hold the end mark', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'${}()=#a\n ') }), fc.string(), (value, noise) => {
        fc.pre(!`${value})}`.slice(0, -2).includes(')}') && !value.endsWith(')') && !/[$#]/.test(noise));
        const lines = `${noise}\${setValue(k=${value})}${noise}`.split('\n');
        expect(collect(lines).values).toEqual({ k: value });
      }),
    );
  });
});
