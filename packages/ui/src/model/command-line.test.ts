import { expect, it } from 'vitest';
import { FIRST_WORKFLOW, typedLines } from './command-line.ts';

const here = 'http://127.0.0.1:7391';

it.each([
  ['orrery runs show 2', 'npx orrery runs show 2 --url http://127.0.0.1:7391'],
  ['orrery server --role worker', 'npx orrery server --role worker'],
  ['orrery run a\norrery run b', `npx orrery run a --url ${here}\nnpx orrery run b --url ${here}`],
  ['curl -s http://x', 'curl -s http://x'],
  [FIRST_WORKFLOW, expect.stringMatching(/\| npx orrery apply -f - --url http:\/\/127\.0\.0\.1:7391$/)],
])('%s is typed for the server of the console', (line, typed) => {
  expect(typedLines(line, here)).toEqual(typed);
});

it('names no server that is asked anyway', () => {
  expect(typedLines('orrery doctor', 'http://127.0.0.1:7070')).toBe('npx orrery doctor');
});
