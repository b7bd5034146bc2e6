import { testDatabases } from '@orrery/testkit/databases';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { Self, Store } from '../../index.ts';
import {
  attemptOf,
  changeOf,
  commit,
  joinMaster,
  NOW,
  outcomeOf,
  readInboxes,
  readyOf,
  startRuns,
} from '../../testing.ts';

describe.each(testDatabases())('who is a worker, on $name:', ({ open, close }) => {
  let store: Store;
  let self: Self;
  beforeEach(async () => {
    store = await open();
    self = await joinMaster(store);
  });
  afterAll(close);

  const join = async (worker: string, keyHash?: string, invited = false) => {
    const base = { self, worker, address: '', slots: 4, groups: ['default'], now: NOW };
    return (await store.joinWorker({ ...base, keyHash, invited })).epoch;
  };

  it('a live worker is not driven out without its key; one that is gone is', async () => {
    const epoch = await join('w1', 'right');
    expect(epoch).toBeGreaterThan(0);
    const before = await store.listWorkers();
    expect(await join('w1', 'wrong')).toBe(0);
    expect(await join('w1')).toBe(0);
    expect(await store.listWorkers()).toEqual(before);
    expect(await join('w1', 'right')).toBe(epoch + 1);
    await store.leaveWorker({ self, worker: 'w1', epoch: epoch + 1, now: NOW });
    expect(await join('w1', 'another')).toBe(epoch + 2);
  });

  it('an invitation is found by its hash until it is replaced or revoked', async () => {
    const invite = (hash: string) =>
      store.inviteWorker({ worker: 'w1', groups: ['a', 'b'], hash, by: 'ann', now: NOW });
    await invite('one');
    expect(await store.findInvitation({ hash: 'one' })).toMatchObject({ worker: 'w1', groups: '["a","b"]' });
    await invite('two');
    expect(await store.findInvitation({ hash: 'one' })).toBeUndefined();
    const epoch = await join('w1', 'key', true);
    expect(await store.listInvitations()).toMatchObject([{ worker: 'w1', hash: 'two', usedAt: NOW }]);
    expect(await store.revokeInvitation({ worker: 'w1', by: 'ann', now: NOW })).toBe(true);
    expect(await store.revokeInvitation({ worker: 'w1', by: 'ann', now: NOW })).toBe(false);
    expect(await store.listWorkers()).toMatchObject([{ id: 'w1', epoch, lost: 1 }]);
    const entries = (await store.listAudit({ limit: 9 })).filter(({ subject }) => subject === 'w1');
    const actions = entries.map(({ action }) => action);
    expect(actions).toEqual(['worker.uninvite', 'worker.join', 'worker.invite', 'worker.invite']);
  });

  it('a report on an attempt of another worker changes neither its history nor its run', async () => {
    const [run] = await startRuns(store, self);
    const epoch = await join('w1', 'key');
    await join('w2', 'other');
    const attempt = attemptOf(run, 0);
    await commit(store, self, changeOf(run, { enqueue: [readyOf(attempt)] }));
    await store.take({ self, worker: 'w1', epoch, number: 1, room: 1, groups: ['default'], now: NOW });
    const report = (worker: string, logTail: string) => ({
      ...outcomeOf(attempt, epoch, { worker, logTail }),
      outcome: { state: 'success' as const, worker },
    });
    await store.recordElsewhere({ self, reports: [report('w2', 'forged')], now: NOW });
    expect(await store.listAttempts({ run })).toEqual([]);
    expect(await readInboxes(store, self)).toEqual([]);
    await store.recordElsewhere({ self, reports: [report('w1', 'true')], now: NOW });
    await store.recordElsewhere({ self, reports: [report('w2', 'forged')], now: NOW });
    expect(await store.listAttempts({ run })).toMatchObject([{ worker: 'w1', logTail: 'true' }]);
  });
});
