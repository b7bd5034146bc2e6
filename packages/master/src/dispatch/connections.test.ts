import { Engine } from '@orrery/testkit/engine';
import { task, workflow } from '@orrery/testkit/workflows';
import { describe, expect, it } from 'vitest';

const by = { by: 'lw', now: 0 };
const connection = {
  kind: 'postgresql',
  description: '',
  settings: { host: 'db', password: '${secret.db}' },
};
const named = task('a', {
  type: 'noop',
  with: { connection: 'warehouse', sql: 'SELECT ${day}, ${system.task.definition.name}' },
  params: { day: '$[yyyy]' },
});

describe('a connection that a task names', () => {
  it('is with the worker, secrets put in, and in no row of the run', async () => {
    const engine = await Engine.start({ after: 60_000 }, {}, { secrets: { db: 'hush' } });
    await engine.store.setConnection({ project: 'default', name: 'warehouse', connection, ...by });
    await engine.store.setConnection({ project: 'sales', name: 'other', connection, ...by });
    const run = await engine.submit(workflow([named]));
    await engine.pass(1_000);
    expect(engine.executed).toMatchObject([
      {
        connections: { warehouse: { kind: 'postgresql', settings: { host: 'db', password: 'hush' } } },
        secrets: ['hush'],
      },
    ]);
    const [held] = await engine.store.loadRuns({ runs: [run] });
    expect(JSON.stringify(held)).not.toContain('hush');
  });

  it('and that only another project has is not given', async () => {
    const engine = await Engine.start({ after: 60_000 }, {}, { secrets: { db: 'hush' } });
    await engine.store.setConnection({ project: 'sales', name: 'warehouse', connection, ...by });
    await engine.submit(workflow([named]));
    await engine.pass(1_000);
    expect(engine.executed).toMatchObject([{ connections: {}, secrets: [] }]);
  });

  it('whose secret is not there fails its attempt with its name', async () => {
    const engine = await Engine.start();
    await engine.store.setConnection({ project: 'default', name: 'warehouse', connection, ...by });
    const run = await engine.submit(workflow([named]));
    await engine.pass(2_000);
    expect(await engine.store.listAttempts({ run })).toMatchObject([
      { error: 'there is no secret "db"; looked in the test' },
    ]);
    expect(engine.executed).toEqual([]);
  });

  it('leaves the parameters of its statement to be bound, the built-in ones too', async () => {
    const engine = await Engine.start();
    await engine.submit(workflow([named]));
    await engine.pass(1_000);
    expect(engine.executed).toMatchObject([
      {
        with: { sql: 'SELECT ${day}, ${system.task.definition.name}' },
        params: { day: expect.stringMatching(/^\d{4}$/), 'system.task.definition.name': 'a' },
      },
    ]);
  });
});
