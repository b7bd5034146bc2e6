import { expect, it } from 'vitest';
import { forTerminal } from './for-terminal.ts';
import { PrefixedLines } from './lines.ts';
import { table } from './output.ts';

const hostile =
  'a\u001b[2J\u001b]0;title\u0007\u001b]52;c;aGk=\u001b\\\u009b6n\u001bc\r\u0008\u001b[31mred\u001b[0m\tb\n';

it('a text keeps its colours and nothing else that a terminal would obey', () => {
  expect(forTerminal(hostile)).toBe('a6n\u001b[31mred\u001b[0m\tb\n');
  expect(forTerminal('plain 数据 ü\n')).toBe('plain 数据 ü\n');
  expect(table(['A'], [[`x${hostile}`]])).not.toContain('\u001b[2J');
});

it('a log is changed for a terminal only', () => {
  const written = (isTTY: boolean) => {
    let text = '';
    const lines = new PrefixedLines({ isTTY, write: (piece) => (text += piece) }, '');
    lines.write(hostile);
    return text;
  };
  expect(written(true)).toBe(forTerminal(hostile));
  expect(written(false)).toBe(hostile);
});
