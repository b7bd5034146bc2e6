import { StoreClock } from '@orrery/cluster';
import { VirtualClock } from '@orrery/core/timing';
import { openSqlite } from '@orrery/store';
import { submitTo } from '@orrery/testkit/engine';
import { task, workflow } from '@orrery/testkit/workflows';
import { type Caller, ownProcess } from '@orrery/wire/caller';
import type { AttemptId, MasterFrame, WorkerFrame } from '@orrery/wire/frames';
import { channelPair } from '@orrery/wire/in-process';
import { workerFrameKinds } from '@orrery/wire/testing/fuzz';
import { describe, expect, it } from 'vitest';
import { Master } from '../master.ts';
import { masterDefaults } from '../ports.ts';

type Hello = Extract<WorkerFrame, { type: 'hello' }>;

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A master at which worker w1, with the key `right`, holds one attempt; and callers who are not w1. */
async function start({ openJoin = false } = {}) {
  const clock = new VirtualClock(1_700_000_000_000);
  const store = await openSqlite(':memory:');
  const lines: string[] = [];
  const master = await Master.start(
    { ...masterDefaults, id: 'm1', address: 'm1:7071', openJoin },
    { clock: StoreClock.unmeasured(clock), store, log: (_, text) => lines.push(text) },
  );
  const pass = (ms: number) => clock.advanceAsync(ms, settle);
  const connect = (caller: Caller) => {
    const [mine, its] = channelPair<WorkerFrame, MasterFrame>(queueMicrotask);
    const heard: MasterFrame[] = [];
    const closed: string[] = [];
    mine.onFrame((frame) => heard.push(frame));
    mine.onClose((reason) => closed.push(reason));
    master.accept(its, caller);
    const hello = (changes: Partial<Hello> = {}) =>
      mine.send({ type: 'hello', worker: 'w1', address: '', groups: ['default'], slots: 8, ...changes });
    return { heard, closed, hello, send: (frame: WorkerFrame) => mine.send(frame) };
  };
  const worker = connect(ownProcess);
  worker.hello({ key: 'right' });
  await submitTo(store, workflow([task('a')]), clock.now());
  await submitTo(store, workflow([task('a')]), clock.now());
  await pass(2_000);
  const [{ epoch }] = await store.listWorkers();
  worker.send({ type: 'take', epoch, number: 1, room: 1 });
  await pass(10);
  const give = worker.heard.find((frame) => frame.type === 'give');
  const [{ attempt }] = give?.assignments ?? [];
  /** Everything of the worker that a frame could have changed. */
  const state = async () => ({
    worker: (await store.listWorkers()).filter(({ id }) => id === 'w1').map(({ beatAt, ...rest }) => rest),
    attempts: await store.listAttempts({ run: attempt.run }),
    held: (await store.countAssignments()).filter(({ worker }) => worker === 'w1'),
    queued: await store.readQueueDepth(),
  });
  return { master, store, connect, worker, attempt, epoch, pass, state, lines };
}

/** One frame of each kind, as a forger would send it in the name of w1. */
const forged = (epoch: number, attempt: AttemptId): readonly WorkerFrame[] => [
  { type: 'hello', worker: 'w1', address: 'evil:1', groups: ['default', 'gpu'], slots: 99 },
  {
    type: 'hello',
    worker: 'w1',
    address: 'evil:1',
    groups: ['default'],
    slots: 99,
    resume: { epoch, take: 1 },
  },
  { type: 'take', epoch, number: 2, room: 8 },
  {
    type: 'report',
    epoch,
    reports: [
      {
        attempt,
        outcome: { state: 'success', outputs: { a: 'forged' } },
        startedAt: 0,
        endedAt: 0,
        logTail: 'forged',
      },
    ],
  },
  { type: 'begun', epoch, attempts: [attempt] },
  { type: 'beat', epoch, beat: 9, take: 9, held: [], load: { cpu: 0, memory: 0, running: 0 } },
  { type: 'leave', epoch },
  { type: 'handle', epoch, attempt, body: 'forged' },
];

/** Who says it: how the call came in, and what it said before. */
const forgers: Record<string, { caller: Caller; before?: Partial<Hello> }> = {
  'without having said hello': { caller: ownProcess },
  'after a hello without the session key': { caller: ownProcess, before: {} },
  'after a hello with another session key': { caller: ownProcess, before: { key: 'wrong' } },
  'from another machine with the join token alone': { caller: { isLocal: false }, before: { key: 'right' } },
  'with an invitation of another worker': {
    caller: { isLocal: false, invited: { worker: 'w2', groups: ['default'] } },
    before: { key: 'right' },
  },
  'as another worker': {
    caller: { isLocal: false, invited: { worker: 'w2', groups: ['other'] } },
    before: { worker: 'w2', groups: ['other'], key: 'second' },
  },
};

describe.each(Object.entries(forgers))('a caller %s', (_, { caller, before }) => {
  it.each(
    ['hello', 'resume', 'take', 'report', 'begun', 'beat', 'leave', 'handle'].map(
      (name, k) => [name, k] as const,
    ),
  )('changes nothing of worker w1 by the frame: %s', async (name, k) => {
    const { connect, attempt, epoch, pass, state, worker } = await start();
    const forger = connect(caller);
    if (before) {
      forger.hello(before);
      await pass(10);
    }
    const held = await state();
    forger.send({
      ...forged(epoch, attempt)[k],
      ...(name === 'resume' && { key: before?.key }),
    } as WorkerFrame);
    await pass(100);
    expect(await state()).toEqual(held);
    expect(forger.heard.filter(({ type }) => type === 'give')).toEqual([]);
    expect(forger.heard.filter((frame) => frame.type === 'handle-kept' && frame.kept)).toEqual([]);
    expect(worker.closed).toEqual([]);
    // The worker itself goes on: its report counts.
    worker.send({
      type: 'report',
      epoch,
      reports: [{ attempt, outcome: { state: 'success' }, startedAt: 0, endedAt: 0 }],
    });
    await pass(100);
    const { attempts } = await state();
    expect(attempts).toMatchObject([{ state: 'success', worker: 'w1', logTail: null }]);
  });
});

it('every kind of frame that a worker can send is among those that are forged', () => {
  const kinds = forged(1, { run: 1, task: 0, shard: -1, number: 1 }).map(({ type }) =>
    type === 'report' ? 'reports' : type,
  );
  expect(new Set(kinds)).toEqual(new Set(workerFrameKinds));
});

describe('a worker', () => {
  it('resumes at any master with its key', async () => {
    const { connect, epoch, pass } = await start();
    const again = connect(ownProcess);
    again.hello({ key: 'right', resume: { epoch, take: 1 } });
    await pass(10);
    expect(again.heard).toMatchObject([{ type: 'welcome', epoch }]);
  });

  it('serves the groups that it is invited to, and no others', async () => {
    const { connect, pass, lines, store } = await start();
    const caller = { isLocal: false, invited: { worker: 'w2', groups: ['a', 'b'] } };
    const greedy = connect(caller);
    greedy.hello({ worker: 'w2', groups: ['a', 'default'], key: 'k' });
    await pass(10);
    const reason = 'worker w2 is invited to serve a, b, and not default';
    expect(greedy.heard).toEqual([{ type: 'refused', reason, rejoin: false }]);
    expect(lines).toContain(`worker w2 was refused: ${reason}`);
    const honest = connect(caller);
    honest.hello({ worker: 'w2', groups: ['b'], key: 'k' });
    await pass(10);
    expect(honest.heard).toMatchObject([{ type: 'welcome' }]);
    expect(await store.listWorkers()).toMatchObject([
      { id: 'w1', invited: 0 },
      { id: 'w2', invited: 1 },
    ]);
  });

  it('of another machine joins with the join token alone only where the master says so', async () => {
    for (const openJoin of [false, true]) {
      const { connect, pass } = await start({ openJoin });
      const far = connect({ isLocal: false });
      far.hello({ worker: 'w3', key: 'k' });
      await pass(10);
      expect(far.heard).toMatchObject([{ type: openJoin ? 'welcome' : 'refused' }]);
    }
  });

  it('whose life is over leaves its name to another key', async () => {
    const { worker, connect, epoch, pass, attempt } = await start();
    worker.send({
      type: 'report',
      epoch,
      reports: [{ attempt, outcome: { state: 'success' }, startedAt: 0, endedAt: 0 }],
    });
    worker.send({ type: 'leave', epoch });
    await pass(100);
    const next = connect(ownProcess);
    next.hello({ key: 'another' });
    await pass(10);
    expect(next.heard).toMatchObject([{ type: 'welcome' }]);
  });

  it('that says hello twice is cut off', async () => {
    const { worker, pass } = await start();
    worker.hello({ worker: 'w9', key: 'right' });
    await pass(10);
    expect(worker.closed).toEqual(['it said hello twice']);
  });
});
