import { testDatabases } from '@orrery/testkit/databases';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../index.ts';
import {
  attemptOf,
  changeOf,
  commandOf,
  commit,
  joinMaster,
  NOW,
  publish,
  readyOf,
  startRuns,
} from '../../testing.ts';

describe.each(testDatabases())('the depth of queues on $name', ({ open, close }) => {
  let store: Store;
  beforeEach(async () => {
    store = await open();
  });
  afterAll(close);

  it('is nothing where nothing waits', async () => {
    expect(await store.readQueueDepth()).toEqual({ groups: [], commands: { count: 0, oldest: null } });
  });

  it('counts attempts by worker group and commands, with the oldest of each', async () => {
    const self = await joinMaster(store);
    const [run] = await startRuns(store, self);
    const enqueue = [
      readyOf(attemptOf(run, 0)),
      readyOf(attemptOf(run, 1)),
      readyOf(attemptOf(run, 2), { workerGroup: 'gpu' }),
    ];
    await commit(store, self, changeOf(run, { enqueue }));
    const workflow = await publish(store, 'later');
    await store.submitCommands({ commands: [commandOf(workflow)], now: NOW + 5 });
    const { groups, commands } = await store.readQueueDepth();
    expect([...groups].sort((a, b) => (a.group < b.group ? -1 : 1))).toEqual([
      { group: 'default', count: 2, oldest: NOW },
      { group: 'gpu', count: 1, oldest: NOW },
    ]);
    expect(commands).toEqual({ count: 1, oldest: NOW + 5 });
  });

  it('tells whether more commands wait than a limit', async () => {
    const workflow = await publish(store, 'many');
    const command = commandOf(workflow);
    await store.submitCommands({ commands: [command, command, command], now: NOW });
    expect(await Promise.all([2, 3].map((limit) => store.hasBacklog({ limit })))).toEqual([true, false]);
  });
});
