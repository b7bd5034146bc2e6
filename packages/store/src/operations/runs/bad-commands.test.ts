import { damageableDatabases } from '@orrery/testkit/databases';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { Self, Store } from '../../index.ts';
import { claimStarts, commandOf, joinMaster, NOW, publish, readInboxes, startRuns } from '../../testing.ts';

describe.each(damageableDatabases())(
  'a command of a child that cannot be read, on $name',
  ({ open, close, damage }) => {
    let store: Store;
    let self: Self;
    let parent: number;
    let child: number;
    beforeEach(async () => {
      store = await open();
      self = await joinMaster(store);
      const workflow = await publish(store);
      [parent] = await startRuns(store, self, 1, { workflow });
      const of = { run: parent, task: 2, round: 1, element: 4 };
      ({ run: child } = await store.submitCommand({
        command: commandOf(workflow, { parent: of, trigger: 'child' }),
        now: NOW,
      }));
      await damage(`UPDATE command SET body = '{' WHERE seq = ${child}`);
    });
    afterAll(close);

    it('is a broken run of its parent, which hears that it failed', async () => {
      expect(await claimStarts(store, self, 9)).toEqual([]);
      expect(await readInboxes(store, self)).toMatchObject([
        {
          run: parent,
          message: {
            type: 'child',
            task: 2,
            round: 1,
            element: 4,
            run: child,
            state: 'failed',
            reason: expect.stringContaining('what it is to be started with cannot be read'),
          },
        },
      ]);
      expect(await store.listChildRuns({ run: parent, limit: 9 })).toMatchObject([
        { id: child, state: 'broken' },
      ]);
    });

    it('is found by its parent, and can be asked to stop', async () => {
      expect(await store.findChildren({ parent, task: 2, element: 4 })).toEqual([
        { run: child, round: 1, element: 4 },
      ]);
      const message = { type: 'control', control: { type: 'stop' }, by: 'parent' } as const;
      await store.sendControl({ run: child, message, now: NOW });
      expect(await store.listChildRuns({ run: parent, limit: 9 })).toMatchObject([{ state: 'broken' }]);
      expect(await readInboxes(store, self)).toMatchObject([{ run: parent, message: { state: 'failed' } }]);
    });
  },
);
