import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
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

it('a command prints to a terminal nothing that the terminal would obey, and to a pipe what there is', () => {
  const binary = join(import.meta.dirname, '..', '..', 'bin', 'orrery.mjs');
  const env = { ...process.env, BINARY: binary, NODE: process.execPath, GIVEN: `a=${hostile}` };
  const command = '"$NODE" "$BINARY" preview params --param "$GIVEN" \'${a}\'';
  const shown = spawnSync('script', ['-qec', command, '/dev/null'], { env, encoding: 'utf8' }).stdout;
  expect(shown.replaceAll('\r\n', '\n')).toContain(forTerminal(hostile));
  expect(shown).not.toContain('\u001b[2J');
  const piped = spawnSync('/bin/sh', ['-c', command], { env, encoding: 'utf8' }).stdout;
  expect(piped).toContain(hostile);
});
