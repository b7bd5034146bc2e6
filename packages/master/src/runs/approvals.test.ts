import { testDatabases } from '@orrery/testkit/databases';
import { Engine } from '@orrery/testkit/engine';
import { task, workflow } from '@orrery/testkit/workflows';
import { afterAll, describe, expect, it } from 'vitest';

const gate = workflow(
  [
    task('ask', {
      type: 'approval',
      with: { message: 'go on?', fields: {}, onNo: 'fail' },
      timeout: { after: 3_600_000, action: 'fail' },
    }),
    task('work', { needs: ['ask'] }),
  ],
  { name: 'gate' },
);

describe.each(testDatabases())('a run that waits for a person, on $name', ({ open, close }) => {
  afterAll(close);
  const start = async () => {
    const engine = await Engine.start({ after: 10 }, {}, { store: await open() });
    const run = await engine.submit(gate);
    while ((await approvals(engine)).length === 0) await engine.pass(10);
    return { engine, run };
  };
  const approvals = (engine: Engine) => engine.store.listApprovals({ limit: 10 });
  const answer = (engine: Engine, run: number, said: 'yes' | 'no' = 'yes') =>
    engine.store.answerApproval({
      run,
      control: { type: 'answer', task: 'ask', round: 1, answer: said, values: {}, by: 'ann' },
      now: Date.parse('2026-03-01T00:00:00Z'),
    });

  it('goes on when it is answered, also after the death of its master', async () => {
    const { engine, run } = await start();
    engine.crashMaster();
    await answer(engine, run);
    await engine.pass(20_000);
    expect(await engine.states(run)).toMatchObject({ run: 'success' });
    expect((await engine.store.checkStore()).counts.approval).toBe(0);
  });

  it('ends by a no and by its time limit, and asks nobody any more', async () => {
    const { engine, run } = await start();
    await answer(engine, run, 'no');
    await engine.pass(1_000);
    expect(await engine.states(run)).toMatchObject({ run: 'failed' });
    const late = await engine.submit(gate);
    await engine.pass(3_700_000);
    expect(await engine.states(late)).toMatchObject({ run: 'failed' });
    expect(await approvals(engine)).toEqual([]);
    await expect(answer(engine, late)).rejects.toThrow('is not waiting');
  });

  it('asks nobody any more when it is stopped', async () => {
    const { engine, run } = await start();
    await engine.control(run, { type: 'stop' });
    await engine.pass(1_000);
    expect([await engine.states(run), await approvals(engine)]).toMatchObject([{ run: 'stopped' }, []]);
  });
});
