import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { english as table } from './english.ts';
import { english, recognize, said } from './index.ts';
import { readMessage } from './message.ts';

const packages = join(import.meta.dirname, '..', '..', '..');

describe('the English table', () => {
  it('has no text that nobody says', () => {
    const code = globSync('*/src/**/*.ts', { cwd: packages })
      .filter((file) => !/\.test\.ts$|^core\/src\/texts\/|^ui\//.test(file))
      .map((file) => readFileSync(join(packages, file), 'utf8'))
      .join('\n');
    expect(Object.keys(table).filter((key) => !code.includes(`'${key}'`))).toEqual([]);
  });

  it('can be read', () => {
    for (const text of Object.values(table))
      expect(() => readMessage(text, { format: String, select: () => 'other' })).not.toThrow();
  });
});

describe('a text', () => {
  it('is said with its fields, also with a text within it', () => {
    const why = said('bulk.ended');
    expect(english(said('bulk.notAborted', { why }))).toBe('the bulk cannot be aborted: it has ended');
    expect(english(said('approval.notYours', { names: ['a', 'b'], name: 'c' }))).toBe(
      'only a, b may answer this, and you are c',
    );
  });

  it('of a newer version is shown as its code', () => {
    expect(english({ code: 'run.teleported', fields: {} })).toBe('run.teleported');
    expect(english({ code: 'constructor' })).toBe('constructor');
  });
});

describe('a text that a row holds', () => {
  it.each([
    ['the run is not paused', 'control.notPaused', {}],
    ['the workflow has no task "a b"', 'control.noTask', { task: 'a b' }],
    [
      'missed by more than 10 ms; the misfire policy is "skip"',
      'skip.missed',
      { threshold: '10', policy: 'skip' },
    ],
    // In the words of earlier versions.
    ['there is no such run', 'control.noRun', {}],
    ['there is no task "load" in this workflow', 'control.noTask', { task: 'load' }],
  ])('%s is known again', (text, code, fields) => {
    expect(recognize(text)).toEqual({ code, fields });
  });

  it('is left alone when it was of no table', () => {
    expect(recognize('the run is on the moon')).toBeUndefined();
    expect(recognize('constructor')).toBeUndefined();
  });
});
