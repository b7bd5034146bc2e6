import { StoreClock } from '@orrery/cluster';
import type { TaskSpec } from '@orrery/core/model';
import { VirtualClock } from '@orrery/core/timing';
import { openSqlite, type Store, StoreAway } from '@orrery/store';
import { submitTo } from '@orrery/testkit/engine';
import { task, workflow } from '@orrery/testkit/workflows';
import type { Channel } from '@orrery/wire/channel';
import type { Hint, MasterFrame, WorkerFrame } from '@orrery/wire/frames';
import { channelPair } from '@orrery/wire/in-process';
import { describe, expect, it } from 'vitest';
import { Master } from '../master.ts';
import { masterDefaults } from '../ports.ts';

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A master in virtual time, with workers that say what the test says. */
class Stage {
  readonly clock = new VirtualClock(1_700_000_000_000);
  readonly store: Store;
  /** What the other masters were told. */
  readonly told: Hint[] = [];
  readonly masters: Master[] = [];

  constructor(store: Store) {
    this.store = store;
  }

  async master(id: string, store = this.store): Promise<Master> {
    const master = await Master.start(
      { ...masterDefaults, id, address: `${id}:7071` },
      {
        clock: StoreClock.unmeasured(this.clock),
        store,
        log: () => {},
        tellPeers: (hint) => this.told.push(hint),
        readSecret: async () => 'hush',
      },
    );
    this.masters.push(master);
    return master;
  }

  /** A worker connects to a master and says hello. */
  worker(
    master: Master,
    changes: Partial<Extract<WorkerFrame, { type: 'hello' }>> = {},
    confidential = true,
  ) {
    const [mine, its] = channelPair<WorkerFrame, MasterFrame>(queueMicrotask);
    const heard: MasterFrame[] = [];
    const closed: string[] = [];
    mine.onFrame((frame) => heard.push(frame));
    mine.onClose((reason) => closed.push(reason));
    master.accept(
      Object.assign(
        its as {
          -readonly [K in keyof Channel<MasterFrame, WorkerFrame>]: Channel<MasterFrame, WorkerFrame>[K];
        },
        { confidential },
      ),
    );
    mine.send({ type: 'hello', worker: 'w1', address: 'w1:7072', groups: ['default'], slots: 8, ...changes });
    return {
      heard,
      closed,
      send: (frame: WorkerFrame) => mine.send(frame),
      close: () => mine.close('lost'),
      said: <Type extends MasterFrame['type']>(type: Type) =>
        heard.filter((frame): frame is Extract<MasterFrame, { type: Type }> => frame.type === type),
      beat: (epoch: number, beat: number) =>
        mine.send({ type: 'beat', epoch, beat, take: 0, held: [], load: { cpu: 0, memory: 0, running: 0 } }),
      take: (epoch: number) => mine.send({ type: 'take', epoch, number: 1, room: 8 }),
    };
  }

  submit(tasks: readonly TaskSpec[]): Promise<number> {
    return submitTo(this.store, workflow(tasks), this.clock.now());
  }

  pass(ms: number): Promise<void> {
    return this.clock.advanceAsync(ms, settle);
  }
}

const start = async (store?: Store) => {
  const stage = new Stage(store ?? (await openSqlite(':memory:')));
  return { stage, master: await stage.master('m1') };
};

describe('a worker at a master', () => {
  it('learns of all live masters with its welcome, and of others as soon as its master does', async () => {
    const { stage, master } = await start();
    const second = await stage.master('m2');
    const { store, clock } = stage;
    await store.joinNode({ id: 'api', roles: ['api'], address: 'http://x', info: {}, now: clock.now() });
    await stage.pass(1_100);
    const worker = stage.worker(master);
    await stage.pass(10);
    expect(worker.said('welcome')[0].masters).toEqual(['m1:7071', 'm2:7071']);
    await stage.master('m3');
    await second.stop();
    await stage.pass(1_100);
    expect(worker.said('masters')).toEqual([{ type: 'masters', masters: ['m1:7071', 'm3:7071'] }]);
    await stage.pass(5_000);
    expect(worker.said('masters')).toHaveLength(1);
  });

  it('that leaves is forgotten at once, and its name is free', async () => {
    const { stage, master } = await start();
    const worker = stage.worker(master);
    await stage.pass(10);
    worker.send({ type: 'leave', epoch: 1 });
    await stage.pass(10);
    expect(worker.closed).toEqual(['it has left']);
    expect(await stage.store.listWorkers()).toMatchObject([{ id: 'w1', lost: 1 }]);
  });

  it('is refused for good, at once, when a newer process has its name', async () => {
    const { stage, master } = await start();
    const older = stage.worker(master);
    await stage.pass(10);
    const newer = stage.worker(master);
    await stage.pass(10);
    expect(newer.said('welcome')).toMatchObject([{ epoch: 2 }]);
    expect(older.said('refused')).toEqual([
      {
        type: 'refused',
        reason: 'another process has joined as worker w1; give each worker a name of its own',
        rejoin: false,
      },
    ]);
    expect(older.closed).toEqual(['its epoch is over']);
    const back = stage.worker(master, { resume: { epoch: 1, take: 0 } });
    await stage.pass(10);
    expect(back.said('refused')).toMatchObject([{ rejoin: false }]);
    expect(newer.closed).toEqual([]);
  });

  it('that was given up may come back as a new one', async () => {
    const { stage, master } = await start();
    stage.worker(master);
    await stage.pass(masterDefaults.lease + masterDefaults.leaseGrace + 3_000);
    const back = stage.worker(master, { resume: { epoch: 1, take: 0 } });
    await stage.pass(10);
    expect(back.said('refused')).toMatchObject([
      { rejoin: true, reason: expect.stringContaining('counts as lost') },
    ]);
  });

  it('has one connection: when it comes again, the broken one is closed', async () => {
    const { stage, master } = await start();
    const broken = stage.worker(master);
    await stage.pass(10);
    const again = stage.worker(master, { resume: { epoch: 1, take: 0 } });
    await stage.pass(10);
    expect(broken.closed).toEqual(['it has connected again']);
    expect(again.said('welcome')).toMatchObject([{ epoch: 1 }]);
  });
});

describe('a worker at a master without its store', () => {
  /** A master whose store can be away, or slow to answer, for workers. */
  const startAway = async () => {
    const inner = await openSqlite(':memory:');
    let answer = async (): Promise<void> => {};
    const started = await start({
      ...inner,
      listWorkers: async () => {
        await answer();
        return inner.listWorkers();
      },
      beatWorker: async (input) => {
        await answer();
        return inner.beatWorker(input);
      },
    });
    const { promise, resolve } = Promise.withResolvers<void>();
    return {
      ...started,
      inner,
      away: () => {
        answer = () => Promise.reject(new StoreAway('no answer', false));
      },
      slow: () => {
        answer = () => promise;
      },
      back: () => {
        answer = async () => {};
        resolve();
      },
    };
  };
  const resume = { epoch: 1, take: 0 };
  const { lease, leaseGrace } = masterDefaults;

  it('is told so when it comes, before its connection is closed', async () => {
    const { stage, master, away } = await startAway();
    stage.worker(master);
    await stage.pass(10);
    away();
    const worker = stage.worker(master, { resume });
    await stage.pass(10);
    expect(worker.heard).toEqual([{ type: 'store-away' }]);
    expect(worker.closed).toEqual(['it could not join']);
  });

  it('is told so when the store is slow, once for each question, and served when it answers', async () => {
    const { stage, master, slow, back } = await startAway();
    const first = stage.worker(master);
    await stage.pass(10);
    slow();
    first.beat(1, 1);
    const second = stage.worker(master, { worker: 'w2', resume });
    await stage.pass(lease / 10);
    expect(first.heard.at(-1)).toEqual({ type: 'store-away' });
    expect(second.heard).toEqual([{ type: 'store-away' }]);
    await stage.pass(lease / 10);
    back();
    await stage.pass(10);
    expect(first.heard.slice(1)).toEqual([{ type: 'store-away' }, { type: 'beat-committed', beat: 1 }]);
    expect(second.heard.map(({ type }) => type)).toEqual(['store-away', 'refused']);
  });

  it('is given its whole time again, although the master itself reaches the store', async () => {
    const { stage, master, inner, away } = await startAway();
    const worker = stage.worker(master);
    await stage.pass(lease - 1_000);
    away();
    worker.beat(1, 1);
    await stage.pass(lease + leaseGrace - 1_000);
    expect(worker.said('store-away')).toHaveLength(1);
    const isLost = async () => (await inner.listWorkers())[0].lost === 1;
    expect(await isLost()).toBe(false);
    await stage.pass(4_000);
    expect(await isLost()).toBe(true);
  });
});

describe('a master that is cut off from the store', () => {
  it('is told by the one that takes over, and stops before its workers are given up', async () => {
    const store = await openSqlite(':memory:');
    const stage = new Stage(store);
    let isCut = false;
    const orCut =
      <Input, Answer>(call: (input: Input) => Promise<Answer>) =>
      async (input: Input): Promise<Answer> => {
        if (isCut) throw new StoreAway('no answer', false);
        return call(input);
      };
    const link = { ...store, beat: orCut(store.beat), beatWorker: orCut(store.beatWorker) };
    const master = await stage.master('m1', link);
    const worker = stage.worker(master);
    await stage.pass(1_000);
    isCut = true;
    await stage.master('m2');
    const { lease, leaseGrace, sessionTimeout } = masterDefaults;
    await stage.pass(sessionTimeout - 1_000);
    worker.beat(1, 1);
    await stage.pass(2_000);
    expect(worker.heard.at(-1)).toEqual({ type: 'store-away' });
    expect(stage.told).toEqual([{ fenced: { node: 'm1', epoch: 1 } }, { inboxes: true }]);
    master.hint({ fenced: { node: 'm1', epoch: 2 } });
    expect(worker.closed).toEqual([]);
    for (const hint of stage.told) master.hint(hint);
    await stage.pass(10);
    expect(worker.closed).toEqual(['another master has taken over from m1']);
    const isLost = async () => (await store.listWorkers())[0].lost === 1;
    await stage.pass(lease + leaseGrace - 3_000);
    expect(await isLost()).toBe(false);
    await stage.pass(4_000);
    expect(await isLost()).toBe(true);
  });
});

describe('a worker that is gone', () => {
  it('is given up although a master comes and goes all the time', async () => {
    const { stage, master } = await start();
    stage.worker(master);
    for (let times = 0; times < 8; times++) {
      const other = await stage.master('m2');
      await stage.pass(5_000);
      await other.stop();
      await stage.pass(15_000);
    }
    expect((await stage.store.listWorkers())[0].lost).toBe(1);
  });
});

describe('an assignment', () => {
  it('that is too large for a message fails alone, with the sizes', async () => {
    const { stage, master } = await start();
    const large = task('large', { with: { script: 'x'.repeat(950_000) } });
    const run = await stage.submit([large, task('small')]);
    await stage.pass(1_100);
    const worker = stage.worker(master);
    worker.take(1);
    await stage.pass(100);
    expect(worker.said('give').flatMap((give) => give.assignments.map(({ taskName }) => taskName))).toEqual([
      'small',
    ]);
    const attempt = await stage.store.readAttempt({ run, task: 0, shard: -1, number: 1 });
    expect(attempt).toMatchObject({
      state: 'failed',
      error: expect.stringMatching(
        /^its settings and parameters take 950\d{3} bytes; at most 900000 can be sent/,
      ),
    });
  });

  it.each([true, false])('with secrets is given where nobody else can read it: %j', async (confidential) => {
    const { stage, master } = await start();
    const run = await stage.submit([task('a', { with: { x: '${secret.a}' } })]);
    await stage.pass(1_100);
    const worker = stage.worker(master, {}, confidential);
    worker.take(1);
    await stage.pass(100);
    const given = worker.said('give').flatMap(({ assignments }) => assignments);
    expect(given.map(({ secrets }) => secrets)).toEqual(confidential ? [['hush']] : []);
    const attempt = await stage.store.readAttempt({ run, task: 0, shard: -1, number: 1 });
    expect(attempt?.error ?? '').toContain(confidential ? '' : 'only sent to workers over TLS');
  });
});

describe('other masters', () => {
  it('are told what waits in the queue, and of reports for their runs', async () => {
    const { stage, master } = await start();
    const second = await stage.master('m2');
    await stage.submit([task('a'), task('b', { needs: ['a'] })]);
    second.hint();
    await stage.pass(100);
    expect(stage.told).toEqual([{ queue: true }]);
    const worker = stage.worker(master);
    worker.take(1);
    await stage.pass(10);
    const [{ assignments }] = worker.said('give');
    const { attempt } = assignments[0];
    stage.told.length = 0;
    const reports = [{ attempt, outcome: { state: 'success' as const }, startedAt: 1, endedAt: 2 }];
    worker.send({ type: 'report', epoch: 1, reports });
    await stage.pass(10);
    expect(stage.told).toEqual([{ inboxes: true }]);
    second.hint({ inboxes: true });
    await stage.pass(100);
    expect(await stage.store.readAttempt({ ...attempt, task: 1 })).toMatchObject({ state: 'queued' });
  });

  it('are told to end attempts whose worker has left before it could be given them', async () => {
    const inner = await openSqlite(':memory:');
    const gate = Promise.withResolvers<void>();
    const { stage, master } = await start({
      ...inner,
      take: async (input) => {
        const answer = await inner.take(input);
        await gate.promise;
        return answer;
      },
    });
    const worker = stage.worker(master);
    const run = await stage.submit([task('a')]);
    await stage.pass(2_000);
    worker.take(worker.said('welcome')[0].epoch);
    await stage.pass(100);
    worker.close();
    await stage.pass(100);
    gate.resolve();
    await stage.pass(100);
    const message = { type: 'control', control: { type: 'stop' }, by: 'me' } as const;
    await stage.store.sendControl({ run, message, now: stage.clock.now() });
    master.hint();
    await stage.pass(1_000);
    expect(stage.told.flatMap(({ kill = [] }) => kill)).toMatchObject([{ run }]);
  });

  it('end attempts that they gave out when the owner of the run tells them', async () => {
    const { stage, master } = await start();
    const second = await stage.master('m2');
    const run = await stage.submit([task('a')]);
    second.hint();
    await stage.pass(100);
    const worker = stage.worker(master);
    worker.take(1);
    await stage.pass(10);
    const { attempt } = worker.said('give')[0].assignments[0];
    stage.told.length = 0;
    await stage.store.sendControl({
      run,
      message: { type: 'control', control: { type: 'stop' }, by: 'test' },
      now: 1,
    });
    second.hint();
    await stage.pass(100);
    expect(stage.told).toMatchObject([{ kill: [attempt] }]);
    for (const hint of stage.told) master.hint(hint);
    await stage.pass(10);
    expect(worker.said('kill')).toMatchObject([{ attempts: [attempt] }]);
  });
});
