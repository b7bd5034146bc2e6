import { describe, expect, it } from 'vitest';
import { atLeast, expandedJson, groupOf, levelOf, linesText, parseLines, untimed } from './log-line.ts';

describe('a line of a log', () => {
  it.each([
    ['2026-03-01 06:03:11 ERROR connection refused', 'error'],
    ['Error: no such file', 'error'],
    ['Traceback (most recent call last):', 'error'],
    ['{"level":"warn","msg":"slow"}', 'warn'],
    ['WARNING: deprecated', 'warn'],
    ['06:03:10.114  INFO   batch 41 of 60', 'info'],
    ['[DEBUG] x=1', 'debug'],
    ['0 errors were found', undefined],
    ['terror in the title', undefined],
  ])('has the level it names: %s', (line, level) => {
    expect(levelOf(line)).toBe(level);
  });

  it('opens and closes groups', () => {
    expect(groupOf('::group:: install')).toEqual({ title: 'install' });
    expect(groupOf('::endgroup::')).toBe('end');
    expect(groupOf('group')).toBeUndefined();
  });

  it('is spread out where it is JSON, and left alone where it only looks so', () => {
    expect(expandedJson('{"a":[1]}')).toBe('{\n  "a": [\n    1\n  ]\n}');
    expect(expandedJson('{not json}')).toBeUndefined();
    expect(expandedJson('plain')).toBeUndefined();
  });

  it.each([
    ['INFO {"a":1}', 'INFO\n{\n  "a": 1\n}'],
    ['[06:03] {x} WARN {"a":1}', '[06:03] {x} WARN\n{\n  "a": 1\n}'],
  ])('is spread out also after a prefix: %s', (line, expected) => {
    expect(expandedJson(line)).toBe(expected);
  });

  it.each(['done [2]', 'fn() { return }', 'x {"a":1} y'])('is not spread out: %s', (line) => {
    expect(expandedJson(line)).toBeUndefined();
  });
});

describe('lines in an address', () => {
  it('are one line or a range, in whichever order they were picked', () => {
    expect(parseLines('120-140')).toEqual({ from: 120, to: 140 });
    expect(parseLines('140-120')).toEqual({ from: 120, to: 140 });
    expect(parseLines('7')).toEqual({ from: 7, to: 7 });
    expect(linesText({ from: 7, to: 7 })).toBe('7');
    expect(linesText({ from: 120, to: 140 })).toBe('120-140');
  });

  it.each(['', '0', 'x', '1-', '-5', '1-2-3', undefined])('are none in %j', (text) => {
    expect(parseLines(text)).toBeUndefined();
  });
});

describe('a filter by level', () => {
  it.each([
    ['error', ['ERROR a']],
    ['warn', ['ERROR a', 'WARN b']],
    ['info', ['ERROR a', 'WARN b', 'INFO c']],
  ] as const)('%s lets lines of that level and of worse ones through', (level, left) => {
    const shape = new RegExp(atLeast(level));
    expect(['ERROR a', 'WARN b', 'INFO c', 'DEBUG d', 'plain'].filter((line) => shape.test(line))).toEqual(
      left,
    );
  });
});

describe('the search for errors', () => {
  it.each([
    'FATAL out of memory',
    'Traceback (most recent call last):',
    'error: x',
    '{"level":"error"}',
    `${'.'.repeat(150)} ERROR`,
    `${'.'.repeat(400)} ERROR`,
    'no error here',
    'WARN ERROR is the name of a table',
  ])('finds what is shown as one: %s', (line) => {
    expect(new RegExp(atLeast('error')).test(line)).toBe(levelOf(line) === 'error');
  });
});

describe('a line without its times', () => {
  it.each([
    ['2026-03-02T09:00:00.123Z INFO row 7', ' INFO row 7'],
    ['09:00:00,5 done in 12 s', ' done in 12 s'],
    ['[orrery] 2026-03-02T09:00:00.123Z run 8, attempt 2', '[orrery]  run 8, attempt'],
    ['no time here, attempt 2', 'no time here, attempt 2'],
  ])('%s', (line, left) => {
    expect(untimed(line)).toBe(left);
  });
});
