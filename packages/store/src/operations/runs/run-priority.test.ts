import { testDatabases } from '@orrery/testkit/databases';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { NotFound, type Self, type Store } from '../../index.ts';
import {
  changeOf,
  claimOrphans,
  claimStarts,
  commandOf,
  commit,
  fieldsOf,
  joinMaster,
  NOW,
  publish,
} from '../../testing.ts';

describe.each(testDatabases())('the priority of a run on $name', ({ open, close }) => {
  let store: Store;
  let self: Self;
  let workflow: number;
  beforeEach(async () => {
    store = await open();
    self = await joinMaster(store);
    workflow = await publish(store);
  });
  afterAll(close);

  const submit = (count: number) =>
    store.submitCommands({ commands: Array.from({ length: count }, () => commandOf(workflow)), now: NOW });
  const set = (run: number, priority: 'highest' | 'low') =>
    store.setRunPriority({ run, priority, by: 'lw', now: NOW });

  it('that is queued decides who is claimed first', async () => {
    const runs = await submit(3);
    expect(await set(runs[2], 'highest')).toEqual({ before: 'medium' });
    expect(await set(runs[0], 'low')).toEqual({ before: 'medium' });
    const claimed = await claimStarts(store, self, 9);
    expect(claimed.map(({ run }) => run)).toEqual([runs[2], runs[1], runs[0]]);
    expect(claimed[0].command).toMatchObject({ priority: 0, request: { priority: 'highest' } });
    await expect(set(runs[2], 'low')).rejects.toThrow('the run has started');
    await expect(set(999, 'low')).rejects.toThrow(NotFound);
  });

  it('that waits for a slot of a cap decides who gets the next one, and is found by its owner', async () => {
    await store.setRunCaps({ caps: { runs: 1, tenants: {} }, revision: 0, by: 'lw', now: NOW });
    const [first, second, third] = await submit(3);
    await claimStarts(store, self, 9);
    expect((await store.readRun({ id: third }))?.run).toMatchObject({ state: 'waiting', owner: null });
    await set(third, 'highest');
    await commit(
      store,
      self,
      changeOf(first, {
        fields: fieldsOf('success'),
        endedAt: NOW,
        release: true,
        limits: { free: true },
      }),
    );
    expect(await claimOrphans(store, self, 9)).toEqual([third]);
    const [found] = await store.loadRuns({ runs: [third] });
    expect(found.request.priority).toBe('highest');
    await expect(set(third, 'low')).rejects.toThrow('the run is starting');
    expect((await store.readRun({ id: second }))?.run).toMatchObject({ state: 'waiting' });
  });

  it('is in the history of the run and in the audit, with the one before', async () => {
    const [run] = await submit(1);
    await store.setRunPriority({ run, priority: 'low', reason: 'not today', by: 'lw', now: NOW });
    expect((await store.listAudit({ limit: 1 }))[0]).toMatchObject({
      actor: 'lw',
      action: 'run.set-priority',
      subject: String(run),
      detail: { before: 'medium', after: 'low', reason: 'not today' },
    });
  });
});
