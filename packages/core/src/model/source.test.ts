import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readDocuments } from './source.ts';

function value(text: string): unknown {
  const [document] = readDocuments(text);
  expect(document.problems).toEqual([]);
  return document.value;
}

function problems(text: string) {
  return readDocuments(text).flatMap(({ problems }) =>
    problems.map(({ line, column, code, message }) => `${line}:${column} ${code} ${message}`),
  );
}

describe('a value from text', () => {
  it('is that of YAML 1.2, where yes, on and dates are text', () => {
    expect(value('on: yes\nday: 2026-01-31\noff: no\ntrue: true\nn: 3\nnone:\n')).toEqual({
      on: 'yes',
      day: '2026-01-31',
      off: 'no',
      true: true,
      n: 3,
      none: null,
    });
  });

  it('is the same from JSON, whatever its indentation', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom(undefined, 2, '\t'), (json, indent) => {
        fc.pre(!JSON.stringify(json).includes('__proto__'));
        expect(value(JSON.stringify(json, null, indent))).toEqual(JSON.parse(JSON.stringify(json)));
      }),
    );
  });

  it('keeps numbers as they were written where they become text', () => {
    expect(
      value(
        'params: {version: 1.10, id: 007, big: 12345678901234567890, n: 5}\nratio: 1.10\nover: {n: [1.0, 2]}',
      ),
    ).toEqual({
      params: { version: '1.10', id: '007', big: '12345678901234567890', n: 5 },
      ratio: 1.1,
      over: { n: ['1.0', 2] },
    });
  });

  it('keeps keys as they were written', () => {
    expect(value('{0: a, 01: b, 1.0: c, true: d}')).toEqual({ 0: 'a', '01': 'b', '1.0': 'c', true: 'd' });
  });

  it('follows aliases', () => {
    expect(value('a: &x {n: 1}\nb: *x\nc: &x {n: 2}\nd: *x\n')).toEqual({
      a: { n: 1 },
      b: { n: 1 },
      c: { n: 2 },
      d: { n: 2 },
    });
  });

  it('comes from each document that is not empty', () => {
    expect(readDocuments('a: 1\n---\n# nothing\n---\nb: 2\n...\n').map(({ value }) => value)).toEqual([
      { a: 1 },
      { b: 2 },
    ]);
    expect(readDocuments('')).toEqual([]);
    expect(readDocuments('# only a comment\n')).toEqual([]);
  });
});

describe('text that cannot be read', () => {
  it('has its problems at their line and column', () => {
    expect(problems('a: [1, 2\nb: 3\n')).toEqual([
      '2:1 bad-syntax cannot be read as YAML: Flow sequence in block collection must be sufficiently indented and end with a ]',
    ]);
    expect(problems('a: 1\nb: "x')).toEqual([
      '2:6 bad-syntax cannot be read as YAML: Missing closing "quote',
    ]);
    expect(problems('a: 1\n---\nb: @x')).toEqual([
      '3:4 bad-syntax cannot be read as YAML: Plain value cannot start with reserved character @',
    ]);
  });

  it('has a reference inside braces without its quotes', () => {
    expect(problems('with: {script: echo ${day}}\n')).toEqual([
      '1:22 bad-syntax cannot be read as YAML: Unexpected flow-map-start at node end; inside braces, a reference needs quotes',
    ]);
    expect(problems('params: {day: $[yyyy-MM-dd]}\nname: a\ntasks:\n  - b\n')).toEqual([
      '1:16 bad-syntax cannot be read as YAML: Unexpected flow-seq-start at node end; inside braces, a reference needs quotes',
    ]);
  });

  it('reports at most twenty errors of syntax', () => {
    expect(problems('a: @\n'.repeat(100))).toHaveLength(20);
  });

  it('has tags that mean nothing here', () => {
    expect(problems('a: !secret x')).toEqual([
      '1:4 bad-syntax cannot be read as YAML: Unresolved tag: !secret',
    ]);
    expect(problems('a: !!binary aGk=')).toHaveLength(1);
  });

  it('has keys that are no text', () => {
    expect(problems('? [a]\n: b')).toEqual(['1:3 bad-syntax a key must be plain text']);
    expect(problems('__proto__: {admin: true}')).toEqual(['1:1 bad-syntax a key must be plain text']);
  });

  it('has a key twice', () => {
    expect(problems('a: 1\nb: {c: 1, c: 2}\na: 3')).toEqual([
      '2:11 duplicate-key duplicate key "c"; keep one',
      '3:1 duplicate-key duplicate key "a"; keep one',
    ]);
  });

  it('has an alias without an anchor, or inside its own', () => {
    expect(problems('a: *x')).toEqual(['1:4 bad-syntax alias *x has no anchor &x that ends before it']);
    expect(problems('a: &x [*x]')).toEqual(['1:8 bad-syntax alias *x has no anchor &x that ends before it']);
  });
});

describe('text that would cost too much', () => {
  it('is too long', () => {
    expect(problems(' '.repeat(10_485_761))).toEqual([
      '1:1 too-large the text has 10485761 characters; at most 10485760 are accepted',
    ]);
  });

  it('has aliases that multiply', () => {
    const levels = Array.from({ length: 9 }, (_, i) => `l${i + 1}: &l${i + 1} [${`*l${i},`.repeat(9)}]`);
    expect(problems(['l0: &l0 [x]', ...levels].join('\n'))).toEqual([
      '1:1 too-large has more than 1000000 values with aliases expanded',
    ]);
    const wide = `a: &a [${'x,'.repeat(10_000)}]\nb: [${'*a,'.repeat(1_000)}]`;
    expect(problems(wide)).toHaveLength(1);
  });

  it('is nested too deep', () => {
    expect(problems(`${'['.repeat(200)}${']'.repeat(200)}`)).toEqual([
      '1:1 too-large nested deeper than the 100 levels accepted',
    ]);
    for (const part of ['[', '{a: ', '- ', '? ', '- ? ']) {
      expect(problems(part.repeat(1_000_000))).toEqual([
        '1:1 too-large nested deeper than the 100 levels accepted',
      ]);
    }
    const steps = Array.from({ length: 500 }, (_, i) => `${' '.repeat(i)}a:`).join('\n');
    expect(problems(steps)).toEqual(['1:1 too-large nested deeper than the 100 levels accepted']);
  });

  it('is not text that repeats a short anchor often', () => {
    const text = `a: &a {limit: 3}\nb:\n${'- *a\n'.repeat(20_000)}`;
    expect((value(text) as { b: unknown[] }).b).toHaveLength(20_000);
  });

  it('never throws', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.constantFrom(
            'a',
            ': ',
            '- ',
            '[',
            ']',
            '{',
            '}',
            ', ',
            '\n',
            '  ',
            '&x ',
            '*x',
            '"',
            "'",
            '? ',
            '|',
            '!t ',
            '#',
            '\t',
            '---\n',
            '%',
            '1.0',
          ),
        ),
        (parts) => {
          for (const { locate } of readDocuments(parts.join(''))) locate(['a', 0, 'b']);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

describe('the place of a path', () => {
  const [document] = readDocuments(
    'name: a\ntasks:\n  - name: x\n    needs: [p, q]\n  - &t\n    name: y\nmore: [*t]\n',
  );
  it.each([
    [['name'], 1, 1],
    [['tasks'], 2, 1],
    [['tasks', 0], 3, 5],
    [['tasks', 0, 'needs'], 4, 5],
    [['tasks', 0, 'needs', 1], 4, 16],
    [['more', 0, 'name'], 6, 5],
  ])('%j is %i:%i', (path, line, column) => {
    expect(document.locate(path)).toEqual({ line, column });
  });

  it('is that of the nearest thing around it where the path leads nowhere', () => {
    expect(document.locate(['tasks', 0, 'timeout', 'after'])).toEqual({ line: 3, column: 5 });
    expect(document.locate(['tasks', 9])).toEqual({ line: 2, column: 1 });
    expect(document.locate(['nothing'])).toEqual({ line: 1, column: 1 });
  });
});
