import { Engine } from '@orrery/testkit/engine';
import { task, workflow } from '@orrery/testkit/workflows';
import { describe, expect, it } from 'vitest';

const secrets = { db: 'hush-of-all', 'sales/db': 'hush-of-sales' };
const named = task('a', { with: { script: 'login ${secret.db}' }, params: { url: '${secret.db}@host' } });

describe('a secret that a task names', () => {
  it('is with the worker and in no row of the store, also when the take is asked for again', async () => {
    const engine = await Engine.start({ after: 60_000 }, {}, { secrets });
    const run = await engine.submit(workflow([named]));
    await engine.pass(1_000);
    const [given] = engine.executed;
    expect(given).toMatchObject({
      with: { script: 'login hush-of-all' },
      params: { url: 'hush-of-all@host' },
      secrets: ['hush-of-all'],
    });
    const [held] = await engine.store.loadRuns({ runs: [run] });
    expect(JSON.stringify(held)).not.toContain('hush');
  });

  it('of its project comes before one of all projects', async () => {
    const engine = await Engine.start({}, {}, { secrets });
    await engine.submit({ ...workflow([named]), project: 'sales' });
    await engine.pass(1_000);
    expect(engine.executed).toMatchObject([{ secrets: ['hush-of-sales'] }]);
  });

  it('and is not there fails its attempt with its name, once and for all', async () => {
    const engine = await Engine.start();
    const run = await engine.submit(workflow([{ ...named, retries: { ...named.retries, limit: 3 } }]));
    await engine.pass(2_000);
    expect(await engine.states(run)).toEqual({ run: 'failed', tasks: { a: 'failed' } });
    const attempts = await engine.store.listAttempts({ run });
    expect(attempts).toMatchObject([{ error: 'there is no secret "db"; looked in the test' }]);
    expect(engine.executed).toEqual([]);
  });
});
