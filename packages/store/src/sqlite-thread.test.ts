import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  Conflict,
  NotFound,
  openSqlite,
  openSqliteThread,
  StaleEpoch,
  type Store,
  StoreAway,
} from './index.ts';
import {
  attemptOf,
  changeOf,
  claimStarts,
  commandOf,
  commit,
  fieldsOf,
  joinMaster,
  joinWorker,
  NOW,
  outcomeOf,
  publish,
  readyOf,
  startRuns,
  takeFor,
} from './testing.ts';

describe('SQLite on threads', () => {
  let folder: string;
  let store: Store;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'orrery-store-'));
    store = await openSqliteThread(join(folder, 'orrery.db'));
  });
  afterEach(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });

  it('answers as SQLite in the same thread does', async () => {
    const play = async (on: Store) => {
      const self = await joinMaster(on);
      const epoch = await joinWorker(on, self);
      const [run] = await startRuns(on, self);
      const pool = new Map([['a', () => 'a function cannot be cloned']]) as never;
      const task = { state: 'submitted', round: 1, since: NOW, shards: [], pool } as const;
      const enqueue = [readyOf(attemptOf(run, 0))];
      return [
        { ...(await on.beat({ self, now: NOW })), storeTime: NOW },
        await commit(on, self, changeOf(run, { fields: fieldsOf('running'), tasks: [[0, task]], enqueue })),
        await takeFor(on, self, epoch, 1),
        await commit(on, self, changeOf(run, { outcomes: [outcomeOf(attemptOf(run, 0), epoch)] })),
        await on.readRun({ id: run }),
        await on.loadRuns({ runs: [run] }),
        await on.listAttempts({ run }),
        await on.readFeed({ position: {}, limit: 9 }),
        await on.checkStore(),
      ];
    };
    const inline = await openSqlite(':memory:');
    const plain = (answers: unknown) => JSON.parse(JSON.stringify(answers));
    expect(plain(await play(store))).toEqual(plain(await play(inline)));
    await inline.close();
  });

  it('has the same operations', async () => {
    const inline = await openSqlite(':memory:');
    expect(Object.keys(store).sort()).toEqual(Object.keys(inline).sort());
    await inline.close();
  });

  it('gives back errors as what they are', async () => {
    const self = await joinMaster(store);
    const [run] = await startRuns(store, self);
    const old = { node: 'm1', epoch: 0 };
    const stale = await store.beat({ self: old, now: NOW }).catch((error) => error);
    expect(stale).toBeInstanceOf(StaleEpoch);
    expect(stale).toMatchObject(old);
    const other = await joinMaster(store, 'm2');
    const conflict = await commit(store, other, changeOf(run)).catch((error) => error);
    expect(conflict).toBeInstanceOf(Conflict);
    expect(conflict.runs).toEqual([run]);
    const message = { type: 'control', control: { type: 'stop' }, by: 'me' } as const;
    await expect(store.sendControl({ run: 999, message, now: NOW })).rejects.toThrow(NotFound);
    await expect(store.setLimit({ name: 'x', slots: -1, now: NOW })).rejects.toMatchObject({
      tag: 'invalid-input',
    });
    const attempts = [readyOf(attemptOf(run)), readyOf(attemptOf(run))];
    await expect(commit(store, self, changeOf(run, { enqueue: attempts }))).rejects.toThrow(/UNIQUE/);
  });

  it('shows a read every write that was answered before it', async () => {
    const self = await joinMaster(store);
    const workflow = await publish(store);
    for (let k = 0; k < 50; k++) {
      const { run } = await store.submitCommand({ command: commandOf(workflow), now: NOW });
      expect(await store.readCommand({ run })).toMatchObject({ ahead: 0 });
      await claimStarts(store, self, 1);
      expect((await store.readRun({ id: run }))?.run.owner).toBe('m1');
    }
  });

  it('does many writes that come at once in their order, and each by itself', async () => {
    const self = await joinMaster(store);
    const workflow = await publish(store);
    const command = commandOf(workflow);
    const answers = await Promise.allSettled(
      Array.from({ length: 200 }, (_, k) =>
        k % 10 === 9
          ? store.beat({ self: { node: 'm1', epoch: 0 }, now: NOW })
          : store.submitCommand({ command, key: `key ${k}`, now: NOW }),
      ),
    );
    const refused = answers.filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(20);
    const runs = answers.flatMap((answer) =>
      answer.status === 'fulfilled' && 'run' in answer.value ? [answer.value.run] : [],
    );
    expect(runs).toEqual(runs.toSorted((a, b) => a - b));
    expect((await claimStarts(store, self, 500)).map(({ run }) => run)).toEqual(runs);
  });

  it('holds up nobody: the asking thread goes on while a write is under way', async () => {
    const self = await joinMaster(store);
    let done = false;
    const writing = startRuns(store, self, 2_000).finally(() => {
      done = true;
    });
    let turns = 0;
    while (!done) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      turns++;
    }
    await writing;
    expect(turns).toBeGreaterThan(10);
  });

  it('starts the reading thread with the first read', async () => {
    const atOpen = await threadsOf(async () => {
      store = await openSqliteThread(join(folder, 'second.db'));
      await joinMaster(store);
    }, store);
    expect(atOpen).toHaveLength(1);
    const { promise, resolve } = Promise.withResolvers<Worker>();
    process.once('worker', resolve);
    expect(await store.listNodes()).toHaveLength(1);
    expect(await promise).not.toBe(atOpen[0]);
  });

  it('starts a new thread when one died, and says that what was under way is in doubt', async () => {
    const threads = await threadsOf(async () => {
      store = await openSqliteThread(join(folder, 'second.db'));
      await store.listNodes();
    }, store);
    await joinMaster(store);
    const failed = publish(store).catch((error) => error);
    await Promise.all(threads.map((thread) => thread.terminate()));
    const error = await failed;
    expect(error).toBeInstanceOf(StoreAway);
    expect(error.unknown).toBe(true);
    expect((await store.listNodes()).map(({ id }) => id)).toEqual(['m1']);
    expect((await joinMaster(store)).epoch).toBe(2);
  });

  it('starts one new thread, which then serves, also when it is asked before the old one has ended', async () => {
    const [writer] = await threadsOf(async () => {
      store = await openSqliteThread(join(folder, 'second.db'));
    }, store);
    await joinMaster(store);
    // An error of a thread is heard of before its end.
    writer.emit('error', new Error('it died'));
    const asked = joinMaster(store).catch((error) => error);
    await writer.terminate();
    await asked;
    expect((await joinMaster(store)).epoch).toBeGreaterThan(1);
  });

  it('refuses a database in memory, and everything once it is closed', async () => {
    await expect(openSqliteThread(':memory:')).rejects.toMatchObject({ tag: 'invalid-input' });
    await store.close();
    await expect(store.listNodes()).rejects.toThrow(StoreAway);
  });
});

/** The threads that something starts; the store before it is closed. */
async function threadsOf(act: () => Promise<void>, earlier: Store): Promise<Worker[]> {
  const started: Worker[] = [];
  const listener = (worker: Worker) => started.push(worker);
  process.on('worker', listener);
  await act();
  process.off('worker', listener);
  await earlier.close();
  return started;
}
