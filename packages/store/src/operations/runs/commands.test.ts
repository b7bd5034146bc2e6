import { testDatabases } from '@orrery/testkit/databases';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { actFor, NotFound, type Store } from '../../index.ts';
import {
  changeOf,
  claimStarts,
  commandOf,
  commit,
  fieldsOf,
  joinMaster,
  NOW,
  publish,
  readInboxes,
  startRuns,
} from '../../testing.ts';

describe.each(testDatabases())('commands on $name', ({ open, close }) => {
  let store: Store;
  let workflow: number;
  beforeEach(async () => {
    store = await open();
    workflow = await publish(store);
  });
  afterAll(close);

  const submit = (...priorities: number[]) =>
    store.submitCommands({
      commands: priorities.map((priority) => commandOf(workflow, { priority })),
      now: NOW,
    });
  const stop = (run: number) =>
    store.sendControl({ run, message: { type: 'control', control: { type: 'stop' }, by: 'me' }, now: NOW });

  it('are claimed by priority, then in the order they came', async () => {
    const self = await joinMaster(store);
    const [a, b, c, d] = await submit(2, 1, 2, 0);
    const first = await claimStarts(store, self, 3);
    expect(first.map(({ run }) => run)).toEqual([d, b, a]);
    const rest = await claimStarts(store, self, 3);
    expect(rest.map(({ run }) => run)).toEqual([c]);
    expect(await claimStarts(store, self, 3)).toEqual([]);
  });

  it('are claimed once, whichever master asks', async () => {
    const one = await joinMaster(store, 'm1');
    const two = await joinMaster(store, 'm2');
    const runs = await submit(2, 2, 2, 2, 2);
    const claims = await Promise.all([one, two, one, two].map((self) => claimStarts(store, self, 2)));
    expect(
      claims
        .flat()
        .map(({ run }) => run)
        .sort((a, b) => a - b),
    ).toEqual(runs);
  });

  it('become runs of their claimer, with what they were asked for', async () => {
    const self = await joinMaster(store);
    const parent = { run: 7, task: 1, round: 2, element: 3 };
    const [run] = await startRuns(store, self, 1, { workflow, params: { a: 'b' }, parent });
    const [loaded] = await store.loadRuns({ runs: [run], self });
    expect(loaded).toMatchObject({ workflow, version: 1, owner: 'm1', ownerEpoch: self.epoch, parent });
    expect(loaded.request).toMatchObject({ id: run, priority: 'medium', scope: { kind: 'all' } });
    expect(loaded.rows).toMatchObject({ fields: { state: 'running', params: { a: 'b' } }, tasks: [] });
    expect(await store.loadRuns({ runs: [run], self: { node: 'm1', epoch: 99 } })).toEqual([]);
  });

  it('asked for at once have an answer each: of equal keys one run, of a refused one its reason', async () => {
    const onePerPeriod = commandOf(workflow, { onePerPeriod: true });
    const [taken] = await store.submitCommands({ commands: [onePerPeriod], now: NOW });
    const who = (name: string) => ({ name, token: 1, address: '::1', request: name });
    const start = (k: number) =>
      actFor(who(`caller ${k % 3}`), () =>
        store.submitCommand({
          command: k === 7 ? onePerPeriod : commandOf(workflow),
          key: k % 2 === 0 ? undefined : `key ${k % 10}`,
          now: NOW + k,
        }),
      );
    const answers = await Promise.allSettled(Array.from({ length: 40 }, (_, k) => start(k)));
    const refused = answers.flatMap((answer, k) =>
      answer.status === 'rejected' ? [[k, answer.reason]] : [],
    );
    expect(refused).toMatchObject([[7, { tag: 'conflict', runs: [taken] }]]);
    const runs = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
    // Twenty without a key, and one for each of five keys; the refused one has not used its key up.
    expect(new Set(runs.map(({ run }) => run)).size).toBe(25);
    expect(runs.filter(({ repeated }) => !repeated)).toHaveLength(25);
    const audited = await store.listAudit({ limit: 100 });
    expect(audited.filter(({ action }) => action === 'run.start')).toHaveLength(25);
    const { body } = (await store.readCommand({ run: runs[0].run })) ?? { body: '{}' };
    expect(JSON.parse(body).startedBy).toBe('caller 0');
  });

  it('answer a repeated key with the first run', async () => {
    const command = commandOf(workflow);
    const first = await store.submitCommand({ command, key: 'k', now: NOW });
    expect(first.repeated).toBe(false);
    expect(await store.submitCommand({ command, key: 'k', now: NOW })).toEqual({
      run: first.run,
      repeated: true,
    });
    expect((await store.submitCommand({ command, key: 'other', now: NOW })).repeated).toBe(false);
    expect((await store.submitCommand({ command, now: NOW })).repeated).toBe(false);
    expect(await store.listCommands({ limit: 10 })).toHaveLength(3);
  });

  it('forget keys by age, a few at a time', async () => {
    const command = commandOf(workflow);
    for (const [key, now] of [
      ['a', 1],
      ['b', 2],
      ['c', 3],
      ['d', 9],
    ] as const)
      await store.submitCommand({ command, key, now });
    expect(await store.sweepKeys({ before: 5, limit: 2 })).toBe(2);
    expect((await store.submitCommand({ command, key: 'c', now: 9 })).repeated).toBe(true);
    expect(await store.sweepKeys({ before: 5, limit: 2 })).toBe(1);
    expect((await store.submitCommand({ command, key: 'a', now: 9 })).repeated).toBe(false);
    expect((await store.submitCommand({ command, key: 'd', now: 9 })).repeated).toBe(true);
  });

  it('say how many stand before them', async () => {
    const [a, b, c] = await submit(2, 1, 2);
    expect((await store.readCommand({ run: c }))?.ahead).toBe(2);
    expect((await store.readCommand({ run: a }))?.ahead).toBe(1);
    expect((await store.readCommand({ run: b }))?.ahead).toBe(0);
    expect(await store.readCommand({ run: 999_999 })).toBeUndefined();
  });

  it('are listed newest first by page', async () => {
    const runs = await submit(2, 0, 1, 2);
    const page = await store.listCommands({ limit: 3 });
    expect(page.map(({ run }) => run)).toEqual(runs.toReversed().slice(0, 3));
    expect((await store.listCommands({ before: page[2].run, limit: 3 })).map(({ run }) => run)).toEqual([
      runs[0],
    ]);
    expect(await store.listCommands({ workflow: workflow + 1, limit: 3 })).toEqual([]);
  });

  it('that are stopped before anyone claimed them become stopped runs, and tell parents and dependents', async () => {
    const self = await joinMaster(store);
    const [parent] = await startRuns(store, self, 1, { workflow });
    const [run] = await store.submitCommands({
      commands: [commandOf(workflow, { parent: { run: parent, task: 1, round: 1, element: 4 } })],
      now: NOW,
    });
    expect(await stop(run)).toEqual({ owner: null });
    expect(await claimStarts(store, self, 5)).toEqual([]);
    expect((await store.readRun({ id: run }))?.run).toMatchObject({ state: 'stopped', endedAt: NOW });
    expect(await readInboxes(store, self)).toMatchObject([
      { run: parent, message: { type: 'child', task: 1, round: 1, element: 4, run, state: 'stopped' } },
    ]);
    const facts = await store.readFacts({ wanted: [{ workflow, from: 0, to: 1 }] });
    expect(facts).toMatchObject([{ run, state: 'stopped', round: 1 }]);
  });

  it('keep other controls for whoever claims them', async () => {
    const self = await joinMaster(store);
    const [run] = await submit(2);
    const message = { type: 'control', control: { type: 'pause' }, by: 'me' } as const;
    expect(await store.sendControl({ run, message, now: NOW })).toEqual({ owner: null });
    await claimStarts(store, self, 1);
    expect((await readInboxes(store, self)).map((entry) => entry.message)).toEqual([message]);
  });

  it('that were claimed are stopped by their owner', async () => {
    const self = await joinMaster(store);
    const [run] = await startRuns(store, self, 1, { workflow });
    expect(await stop(run)).toEqual({ owner: 'm1' });
    await commit(store, self, changeOf(run, { fields: fieldsOf('stopped'), release: true }));
    expect(await stop(run)).toEqual({ owner: null });
    await expect(stop(999_999)).rejects.toThrow(NotFound);
  });
});
