import { Engine } from '@orrery/testkit/engine';
import { task, workflow } from '@orrery/testkit/workflows';
import { expect, it } from 'vitest';

it('a master whose store is away logs a few lines a minute, however many attempts end meanwhile', async () => {
  let length = 0;
  const engine = await Engine.start(() => ({ after: 1_000 * ++length, state: 'success' }));
  const definition = workflow([task('a'), task('b', { needs: ['a'] })]);
  const runs: number[] = [];
  for (let k = 0; k < 20; k++) runs.push(await engine.submit(definition));
  await engine.pass(500);
  const before = engine.said.length;
  engine.away = true;
  await engine.pass(300_000);
  const during = engine.said.slice(before);
  engine.away = false;
  await engine.pass(300_000);
  expect(during.length).toBeGreaterThan(0);
  expect(during.length, during.join('\n')).toBeLessThan(5 * 4);
  for (const run of runs) expect((await engine.states(run)).run).toBe('success');
});
