import { testDatabases } from '@orrery/testkit/databases';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { Self, Store } from '../../index.ts';
import { changeOf, commit, joinMaster, NOW, readInboxes, startRuns } from '../../testing.ts';

describe.each(testDatabases())('approvals on $name', ({ open, close }) => {
  let store: Store;
  let self: Self;
  let runs: number[];
  beforeEach(async () => {
    store = await open();
    self = await joinMaster(store);
    runs = await startRuns(store, self, 2);
  });
  afterAll(close);

  const ask = (run: number, round = 1) =>
    commit(
      store,
      self,
      changeOf(run, { approvals: { open: [{ task: 0, round, name: 'ask', message: 'go on?' }], close: [] } }),
    );
  const end = (run: number, round = 1) =>
    commit(store, self, changeOf(run, { approvals: { open: [], close: [{ task: 0, round }] } }));
  const answer = (run: number, by: string, round = 1) =>
    store.answerApproval({
      run,
      control: { type: 'answer', task: 'ask', round, answer: 'yes', values: {}, by },
      now: NOW,
    });
  const link = (hash: string, round = 1) =>
    store.linkApproval({ run: runs[0], name: 'ask', round, hash, holder: 'ann', by: 'bob', now: NOW });
  const waiting = async () => (await store.listApprovals({ limit: 10 })).map(({ run }) => run);

  it('wait until the first answer, which the run is told', async () => {
    await ask(runs[0]);
    await ask(runs[1]);
    expect(await waiting()).toEqual(runs);
    expect(await store.listApprovals({ project: 'nosuch', limit: 10 })).toEqual([]);
    const answers = await Promise.allSettled([answer(runs[0], 'ann'), answer(runs[0], 'bob')]);
    expect(answers.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await expect(answer(runs[0], 'eve')).rejects.toThrow(/answered by (ann|bob)/);
    expect(await waiting()).toEqual([runs[1]]);
    const told = await readInboxes(store, self);
    expect(told.map(({ run, message }) => [run, message.type])).toEqual([[runs[0], 'control']]);
  });

  it('take no answer of another round, nor after they were closed', async () => {
    await ask(runs[0]);
    await expect(answer(runs[0], 'ann', 2)).rejects.toThrow('is not waiting');
    await end(runs[0]);
    await expect(answer(runs[0], 'ann')).rejects.toThrow('is not waiting');
    await ask(runs[0], 2);
    await answer(runs[0], 'ann', 2);
    expect(await waiting()).toEqual([]);
  });

  it('have links that end with an answer, the end and the next round', async () => {
    await ask(runs[0]);
    await link('one');
    expect(await store.findApprovalLink({ hash: 'one' })).toEqual({
      run: runs[0],
      name: 'ask',
      round: 1,
      holder: 'ann',
      madeBy: 'bob',
    });
    expect(await store.findApprovalLink({ hash: 'other' })).toBeUndefined();
    await answer(runs[0], 'ann');
    expect(await store.findApprovalLink({ hash: 'one' })).toBeUndefined();
    await expect(link('two')).rejects.toThrow('is not waiting');
    await end(runs[0]);
    await ask(runs[0], 2);
    expect(await store.findApprovalLink({ hash: 'one' })).toBeUndefined();
    expect((await store.checkStore()).counts.approval).toBe(1);
  });

  it('are gone with a run that is set aside', async () => {
    await ask(runs[0]);
    await link('one');
    await store.breakRun({ self, run: runs[0], reason: 'a bad entry', now: NOW });
    expect([await waiting(), await store.findApprovalLink({ hash: 'one' })]).toEqual([[], undefined]);
  });
});
