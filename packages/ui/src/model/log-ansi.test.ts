import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { piecesOf, plainText } from './log-ansi.ts';

describe('a line with colours', () => {
  it('is cut into pieces where the style changes', () => {
    expect(piecesOf('plain')).toEqual([{ text: 'plain' }]);
    expect(piecesOf('\x1b[31mred\x1b[0m and \x1b[1;92mbright\x1b[22m green')).toEqual([
      { text: 'red', colour: 1 },
      { text: ' and ' },
      { text: 'bright', bold: true, colour: 10 },
      { text: ' green', colour: 10 },
    ]);
  });

  it('knows the tables of 256 and of all colours', () => {
    expect(piecesOf('\x1b[38;5;208mo\x1b[48;2;1;2;255mb')).toEqual([
      { text: 'o', colour: 208 },
      { text: 'b', colour: 208, background: '#0102ff' },
    ]);
    expect(piecesOf('\x1b[38;5;900mx\x1b[38;2;1my')).toEqual([{ text: 'x' }, { text: 'y' }]);
  });

  it('loses cursor movements, titles, links and bells', () => {
    expect(plainText('a\x1b[2Kb\x1b[10;5Hc\x1b]0;title\x07d\x1b]8;;http://x\x1b\\e\x1b]8;;\x1b\\f\x07')).toBe(
      'abcdef',
    );
  });

  it('shows what a progress bar wrote last', () => {
    expect(plainText('10 %\r50 %\r100 %\r')).toBe('100 %');
  });

  it('never keeps an escape, whatever it is made of', () => {
    const part = fc.oneof(
      fc.constantFrom('\x1b', '\x1b[', '\x1b]', 'm', ';', '38', '\x07', '\\', '\r'),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may be left
        expect(plainText(parts.join(''))).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f]/);
      }),
    );
  });
});
