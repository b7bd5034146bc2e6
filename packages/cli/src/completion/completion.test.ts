import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { orrery } from '../run-binary.ts';

const folder = mkdtempSync(join(tmpdir(), 'orrery-completion-'));
const script = join(folder, 'orrery.bash');

beforeAll(async () => {
  mkdirSync(join(folder, 'here'));
  const { code, out } = await orrery(['completion', 'bash']);
  expect(code).toBe(0);
  writeFileSync(script, out);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** What a real bash offers for a line whose last word is being typed. */
function offered(...line: string[]): string[] {
  const program = `source "$1"; shift
    COMP_WORDS=(orrery "$@"); COMP_CWORD=$#
    _orrery; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const args = ['--norc', '--noprofile', '-c', program, 'bash', script, ...line];
  return execFileSync('bash', args, { encoding: 'utf8' })
    .split('\n')
    .filter((word) => word !== '');
}

describe('completion in bash', () => {
  it('is registered for the command', () => {
    const said = execFileSync('bash', ['--norc', '-c', 'source "$1"; complete -p orrery', 'bash', script]);
    expect(String(said)).toContain('-F _orrery orrery');
  });

  it.each([
    [['sch'], ['schedules']],
    [['schedules', ''], expect.arrayContaining(['list', 'pause', 'resume', 'fire', 'set', 'ticks'])],
    [['schedules', 'fire', '--k'], ['--key']],
    // A group without a command is its usual one.
    [['runs', '--st'], ['--state']],
    [['runs', 'list', '--st'], ['--state']],
    // What stands before the value of an option is left to names of files, and the value leads nowhere.
    [['apply', '--file', 'x'], []],
    [['runs', 'list', '--state', 'failed', '--lim'], ['--limit']],
    [['server', '--rol'], ['--role']],
    [['completion', 'f'], ['fish']],
    [['nosuch', 'runs', '--nosuch'], []],
  ])('offers for %j', (line, words) => {
    expect(offered(...line)).toEqual(words);
  });

  it('knows every command that the help has', async () => {
    const { out } = await orrery(['--help']);
    const [, listed] = out.split('Commands:\n');
    const names = [...listed.matchAll(/^ {2}([a-z]+)/gm)]
      .map(([, name]) => name)
      .filter((name) => name !== 'help');
    expect(offered('')).toEqual(expect.arrayContaining(names));
  });
});

describe('completion in other shells', () => {
  it('has every command and option', async () => {
    for (const shell of ['zsh', 'fish']) {
      const { code, out } = await orrery(['completion', shell]);
      expect(code).toBe(0);
      for (const word of ['schedules', 'fire', 'metrics-listen', 'utc']) expect(out).toContain(word);
    }
    const { code, err } = await orrery(['completion', 'tcsh']);
    expect([code, err]).toEqual([2, expect.stringContaining('bash, zsh, fish')]);
  });
});
