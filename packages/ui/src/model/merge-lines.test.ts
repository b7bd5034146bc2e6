import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeLines } from './merge-lines.ts';

const merge = (base: string, mine: string, theirs: string) =>
  mergeLines(base, mine, theirs, { mine: 'mine', theirs: 'theirs' });

describe('two texts that came of one', () => {
  it('keep what either changed alone', () => {
    expect(merge('a\nb\nc\nd', 'a\nB\nc\nd', 'a\nb\nc\nd\ne')).toEqual({
      text: 'a\nB\nc\nd\ne',
      conflicts: 0,
    });
    expect(merge('a\nb\nc', 'a\nc', 'a\nb\nc\n')).toEqual({ text: 'a\nc\n', conflicts: 0 });
  });

  it('keep both between marks where they differ at one place', () => {
    expect(merge('a\nb\nc', 'a\nx\nc', 'a\ny\nc')).toEqual({
      text: 'a\n<<<<<<< mine\nx\n=======\ny\n>>>>>>> theirs\nc',
      conflicts: 1,
    });
    expect(merge('a', 'a\nx', 'a\ny').conflicts).toBe(1);
  });

  it('are the other one where one did not change, and lose no line where both did', () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', 'c', 'd', ''), { maxLength: 8 })
      .map((lines) => lines.join('\n'));
    fc.assert(
      fc.property(text, text, text, (base, mine, theirs) => {
        expect(merge(base, mine, base)).toEqual({ text: mine, conflicts: 0 });
        expect(merge(base, base, theirs)).toEqual({ text: theirs, conflicts: 0 });
        expect(merge(base, mine, mine)).toEqual({ text: mine, conflicts: 0 });
        const { text: both } = merge(base, mine, theirs);
        const old = new Set(base.split('\n'));
        for (const line of [...mine.split('\n'), ...theirs.split('\n')])
          if (!old.has(line)) expect(both.split('\n')).toContain(line);
      }),
    );
  });
});
