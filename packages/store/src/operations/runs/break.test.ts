import { testDatabases } from '@orrery/testkit/databases';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { StaleEpoch, type Store } from '../../index.ts';
import { changeOf, commit, fieldsOf, joinMaster, NOW, startRuns } from '../../testing.ts';

describe.each(testDatabases())('setting a run aside on $name', ({ open, close }) => {
  let store: Store;
  beforeEach(async () => {
    store = await open();
  });
  afterAll(close);

  const stateOf = async (id: number) => (await store.readRun({ id }))?.run.state;

  it('is for its owner alone, as long as that lives', async () => {
    const owner = await joinMaster(store);
    const other = await joinMaster(store, 'm2');
    const [run] = await startRuns(store, owner);
    const bad = { run, reason: 'a bad entry', now: NOW };
    expect(await store.breakRun({ ...bad, self: other })).toBeUndefined();
    const later = await joinMaster(store);
    await expect(store.breakRun({ ...bad, self: owner })).rejects.toThrow(StaleEpoch);
    expect(await stateOf(run)).toBe('running');
    expect(await store.breakRun({ ...bad, self: later })).toBeUndefined();
  });

  it('leaves nothing for its owner to commit', async () => {
    const self = await joinMaster(store);
    const [run] = await startRuns(store, self);
    expect(await store.breakRun({ self, run, reason: 'a bad entry', now: NOW })).toMatchObject({
      state: 'broken',
    });
    await expect(commit(store, self, changeOf(run, { fields: fieldsOf('success') }))).rejects.toThrow();
    expect(await stateOf(run)).toBe('broken');
  });
});
