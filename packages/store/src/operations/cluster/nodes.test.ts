import { testDatabases } from '@orrery/testkit/databases';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { StaleEpoch, type Store } from '../../index.ts';
import {
  attemptOf,
  changeOf,
  claimOrphans,
  claimStarts,
  commandOf,
  commit,
  joinMaster,
  joinWorker,
  NOW,
  publish,
  readyOf,
  scheduleOf,
  startRuns,
} from '../../testing.ts';

describe.each(testDatabases())('nodes on $name', ({ open, close }) => {
  let store: Store;
  beforeEach(async () => {
    store = await open();
  });
  afterAll(close);

  it('gives a new epoch at each join and refuses the one before', async () => {
    const first = await joinMaster(store);
    const second = await joinMaster(store);
    expect(second.epoch).toBe(first.epoch + 1);
    await expect(store.beat({ self: first, now: NOW })).rejects.toThrow(StaleEpoch);
    await expect(claimStarts(store, first, 1)).rejects.toMatchObject({
      tag: 'stale-epoch',
      node: 'm1',
      epoch: first.epoch,
    });
    await expect(store.beat({ self: second, now: NOW })).resolves.toBeDefined();
  });

  it('frees what the earlier process of that name owned', async () => {
    const first = await joinMaster(store);
    const [run] = await startRuns(store, first);
    const second = await joinMaster(store);
    expect(await claimOrphans(store, second, 10)).toEqual([run]);
    const [loaded] = await store.loadRuns({ runs: [run] });
    expect(loaded).toMatchObject({ owner: 'm1', ownerEpoch: second.epoch });
    expect(loaded.inbox.map(({ message }) => message)).toEqual([
      {
        type: 'owner-lost',
        reason: 'm1 joined again',
        lost: { node: 'm1', epoch: first.epoch, how: 'joined-again', at: NOW },
      },
    ]);
    await expect(commit(store, first, changeOf(run))).rejects.toThrow(StaleEpoch);
  });

  it('fences a peer, frees its runs and refuses its writes', async () => {
    const dead = await joinMaster(store, 'dead');
    const runs = await startRuns(store, dead, 2);
    const self = await joinMaster(store, 'm1');
    const [peer] = (await store.beat({ self, now: NOW })).peers;
    expect(peer).toEqual({
      id: 'dead',
      roles: 'master',
      address: 'dead:1',
      epoch: dead.epoch,
      beat: 0,
      state: 'acting',
      registry: null,
    });
    expect(await store.fence({ self, peer, now: NOW })).toEqual({ fenced: true, runs: 2 });
    await expect(commit(store, dead, changeOf(runs[0]))).rejects.toThrow(StaleEpoch);
    await expect(store.beat({ self: dead, now: NOW })).rejects.toThrow(StaleEpoch);
    const claimed = await claimOrphans(store, self, 10);
    expect(claimed.toSorted((a, b) => a - b)).toEqual(runs);
    expect(await store.listOwned({ self })).toHaveLength(2);
  });

  it('does not fence a peer that has beaten since, nor twice', async () => {
    const peer = await joinMaster(store, 'peer');
    const self = await joinMaster(store, 'm1');
    const [seen] = (await store.beat({ self, now: NOW })).peers;
    await store.beat({ self: peer, now: NOW });
    expect(await store.fence({ self, peer: seen, now: NOW })).toEqual({ fenced: false, runs: 0 });
    const [again] = (await store.beat({ self, now: NOW })).peers;
    expect((await store.fence({ self, peer: again, now: NOW })).fenced).toBe(true);
    expect((await store.fence({ self, peer: again, now: NOW })).fenced).toBe(false);
  });

  it('lets a fenced node fence nobody', async () => {
    const peer = await joinMaster(store, 'peer');
    const self = await joinMaster(store, 'm1');
    const [other] = (await store.beat({ self, now: NOW })).peers;
    const [mine] = (await store.beat({ self: peer, now: NOW })).peers;
    await store.fence({ self, peer: { ...other, beat: 1 }, now: NOW });
    await expect(store.fence({ self: peer, peer: mine, now: NOW })).rejects.toThrow(StaleEpoch);
  });

  it('tells with a beat whether something waits, and when a schedule is due', async () => {
    const self = await joinMaster(store);
    expect(await store.beat({ self, now: NOW })).toEqual({
      draining: false,
      nextAlert: null,
      free: false,
      ownership: null,
      drainBy: null,
      peers: [],
      workers: [],
      commands: false,
      messages: false,
      ready: false,
      triggers: false,
      bulks: false,
      nextDue: null,
      nextLook: null,
      nextDeadline: null,
      scheduleRevision: 0,
      storeTime: expect.any(Number),
    });
    const workflow = await publish(store, 'flow', [scheduleOf()]);
    const { run } = await store.submitCommand({ command: commandOf(workflow), now: NOW });
    expect(await store.beat({ self, now: NOW })).toMatchObject({ commands: true, nextDue: NOW + 1_000 });
    await claimStarts(store, self, 1);
    await store.sendControl({
      run,
      message: { type: 'control', control: { type: 'pause' }, by: 'me' },
      now: NOW,
    });
    expect(await store.beat({ self, now: NOW })).toMatchObject({ commands: false, messages: true });
    const enqueue = [readyOf(attemptOf(run))];
    const waits = { open: [{ task: 0, round: 1, on: [workflow], lookAt: NOW + 7 }] };
    await commit(store, self, changeOf(run, { enqueue, waits }));
    expect(await store.beat({ self, now: NOW })).toMatchObject({ ready: true, nextLook: NOW + 7 });
  });

  it('hears with a beat of live nodes and workers only', async () => {
    const self = await joinMaster(store);
    await store.leaveNode({ self: await joinMaster(store, 'gone'), now: NOW });
    await joinMaster(store, 'm2');
    const epoch = await joinWorker(store, self, 'w1');
    await joinWorker(store, self, 'w2');
    await store.leaveWorker({ self, worker: 'w1', epoch, now: NOW });
    const { peers, workers } = await store.beat({ self, now: NOW });
    expect(peers.map(({ id }) => id)).toEqual(['m2']);
    expect(workers).toEqual([{ id: 'w2', epoch: 1, beat: 0, take: 0 }]);
  });

  it('tells of messages to runs that it owns or nobody does, not of those to the runs of others', async () => {
    const self = await joinMaster(store);
    const other = await joinMaster(store, 'm2');
    const [run] = await startRuns(store, other);
    const message = { type: 'control', control: { type: 'pause' }, by: 'me' } as const;
    await store.sendControl({ run, message, now: NOW });
    expect((await store.beat({ self, now: NOW })).messages).toBe(false);
    expect((await store.beat({ self: other, now: NOW })).messages).toBe(true);
    await store.leaveNode({ self: other, now: NOW });
    expect((await store.beat({ self, now: NOW })).messages).toBe(true);
  });

  it('leaves in good order: runs are free, and the epoch is over', async () => {
    const self = await joinMaster(store);
    await startRuns(store, self);
    await store.leaveNode({ self, now: NOW });
    await expect(store.beat({ self, now: NOW })).rejects.toThrow(StaleEpoch);
    const other = await joinMaster(store, 'm2');
    expect(await claimOrphans(store, other, 10)).toHaveLength(1);
    expect((await store.listNodes()).map(({ id, fenced }) => [id, fenced])).toEqual([
      ['m1', 1],
      ['m2', 0],
    ]);
  });
});
