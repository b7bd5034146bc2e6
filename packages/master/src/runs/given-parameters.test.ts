import { Engine } from '@orrery/testkit/engine';
import { task, workflow } from '@orrery/testkit/workflows';
import { expect, it } from 'vitest';

const told = (engine: Engine) => engine.executed.map((given) => (given.with as { script: string }).script);
const script = { script: '${region} ${bucket}' };

it('gives every task of a round what project and cluster said when it began, also after a crash', async () => {
  const engine = await Engine.start({ after: 1_000, state: 'failed' });
  const { store, clock } = engine;
  const set = async (region: string) => {
    await store.setClusterParams({ params: { region, bucket: 's3' }, by: 'lw', now: clock.now() });
    const params = { bucket: `\${bucket}/${region}` };
    await store.setProjectParams({ project: 'default', params, by: 'lw', now: clock.now() });
  };
  await set('eu');
  const run = await engine.submit(
    workflow([
      task('a', { with: script, ignoreFailure: true }),
      task('b', { needs: ['a'], with: script, ignoreFailure: true }),
      task('c', { needs: ['b'], with: script }),
    ]),
  );
  await engine.pass(500);
  await set('us');
  await engine.pass(1_000);
  engine.crashMaster();
  await engine.pass(20_000);
  expect((await engine.states(run)).run).toBe('failed');
  expect(new Set(told(engine))).toEqual(new Set(['eu s3/eu']));
  expect(engine.executed.map(({ taskName }) => taskName)).toContain('c');
  const before = engine.executed.length;
  await engine.control(run, { type: 'recover' });
  await engine.pass(5_000);
  expect(new Set(told(engine).slice(before))).toEqual(new Set(['us s3/us']));
});

it('gives a run that waited for its turn what holds when it starts', async () => {
  const engine = await Engine.start({ after: 2_000 });
  const { store, clock } = engine;
  const serial = workflow([task('a', { with: { script: '${region}' } })], { mode: 'serial-wait' });
  const set = (region: string) => store.setClusterParams({ params: { region }, by: 'lw', now: clock.now() });
  await set('eu');
  await engine.submit(serial);
  await engine.submit(serial);
  await engine.pass(1_000);
  await set('us');
  await engine.pass(5_000);
  expect(told(engine)).toEqual(['eu', 'us']);
});
