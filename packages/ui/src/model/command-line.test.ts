import { expect, it } from 'vitest';
import { commandLine } from './command-line.ts';

it('a list and its filter is a line for a terminal', () => {
  expect(commandLine('orrery workflows list', {})).toBe('orrery workflows list');
  expect(
    commandLine('orrery workflows list', { q: 'a b', project: undefined, state: ['failed', 'stopped'] }),
  ).toBe("orrery workflows list --q 'a b' --state failed,stopped");
});
