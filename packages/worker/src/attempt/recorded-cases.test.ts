/** The recorded cases of DolphinScheduler about the processes of a task. */
import { casesOf, notUnderstood, says, wordsOf } from '@orrery/testkit/cases/recorded';
import { expect, it } from 'vitest';
import { shell, start } from '../testing/test-worker.ts';

it.each(casesOf('issue-derived').filter((one) => says(one, 'childProcessGone')))('$id', async (one) => {
  const { task, do: what } = wordsOf<{ task: string; do: string }>(one.input, ['task', 'do']);
  const { childProcessGone } = wordsOf<{ childProcessGone: boolean }>(one.expect, ['childProcessGone']);
  if (what !== 'kill') throw notUnderstood(what);
  if (!/^sleep \d+$/.test(task)) throw notUnderstood(task);
  const { killAt, tasks } = await start();
  const { outcome } = await killAt('it sleeps', shell(`${task} &\necho it sleeps\nwait`));
  expect(outcome.state).toBe('killed');
  expect(tasks().length === 0).toBe(childProcessGone);
});
