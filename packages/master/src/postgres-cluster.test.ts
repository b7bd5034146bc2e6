/**
 * Two masters and two workers on PostgreSQL, in real time with short settings. One of them is killed at each pause
 * point; afterwards every run has ended well, once, and nothing is left lying about.
 */
import { StoreClock } from '@orrery/cluster';
import type { Workflow } from '@orrery/core/model';
import { realClock } from '@orrery/core/timing';
import { openPostgres, type Store } from '@orrery/store';
import { type TestSchema, testSchema } from '@orrery/testkit/databases';
import { AFTER_ORPHANS, masterPoints, PausePoint, workerPoints } from '@orrery/testkit/pause-points';
import { Random } from '@orrery/testkit/random';
import { SimNode } from '@orrery/testkit/sim-node';
import { SimWorker } from '@orrery/testkit/sim-worker';
import { edges, task, workflow } from '@orrery/testkit/workflows';
import type { Channel } from '@orrery/wire/channel';
import { type AttemptId, attemptText, type MasterFrame, type WorkerFrame } from '@orrery/wire/frames';
import { channelPair } from '@orrery/wire/in-process';
import { describe, it } from 'vitest';
import { Master } from './master.ts';
import { masterDefaults } from './ports.ts';

const settings = {
  ...masterDefaults,
  beatEvery: 100,
  sessionTimeout: 600,
  lease: 1_000,
  leaseGrace: 200,
  claimBatch: 1,
};
const RUNS = 5;
const EVERY = 300;
const PATIENCE = 90_000;

const clock = realClock({
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimeout: (run, delay) => setTimeout(run, delay),
  clearTimeout: (timeout) => clearTimeout(timeout),
});
const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

const diamond: Workflow = {
  ...edges([
    ['a', 'b'],
    ['a', 'c'],
    ['b', 'd'],
    ['c', 'd'],
  ]),
  name: 'diamond',
};
const ticker = workflow([task('x'), task('y', { needs: ['x'] })], {
  name: 'ticker',
  schedules: [
    {
      name: 'often',
      every: EVERY,
      timezone: 'UTC',
      misfire: { policy: 'fire-all', threshold: 60_000 },
      params: {},
      enabled: true,
    },
  ],
});

interface LiveMaster {
  readonly node: SimNode;
  readonly store: Store;
  master: Master | undefined;
  readonly channels: Channel<MasterFrame, WorkerFrame>[];
}

class Cluster {
  private readonly point: PausePoint;
  private readonly schema: TestSchema;
  private readonly store: Store;
  private readonly random = new Random(1);
  private readonly masters: LiveMaster[] = [];
  private readonly workers: SimWorker[] = [];
  /** Lines (run, task, shard) that run somewhere now, and attempts that ever ran. */
  private readonly lines = new Map<string, string>();
  private readonly ran = new Set<string>();
  private readonly deadline = clock.monotonic() + PATIENCE;
  private connections = 0;
  private killedAt = 0;
  private broken: string | undefined;
  private stopping = false;

  private constructor(point: PausePoint, schema: TestSchema, store: Store) {
    this.point = point;
    this.schema = schema;
    this.store = store;
  }

  /** Plays one kill to its end; throws with what broke. */
  static async play(name: string, nth: number): Promise<void> {
    const schema = await testSchema();
    const cluster = new Cluster(new PausePoint(name, nth), schema, await openPostgres(schema.options));
    try {
      await cluster.play();
    } catch (error) {
      throw new Error(`killed ${name} (time ${nth}): ${(error as Error).message}`, { cause: error });
    } finally {
      await cluster.stop();
      await schema.drop();
    }
  }

  private async play(): Promise<void> {
    const { name, nth } = this.point;
    const now = clock.now();
    const firstDue = Math.floor(now / EVERY + 1) * EVERY;
    await this.publish(ticker, now, { often: firstDue });
    // Some points are only reached when others have died; those, or their runs, must be as many as its hits.
    const doomedMasters = name.endsWith('fence') || name === AFTER_ORPHANS ? nth : 0;
    const doomedWorkers = name.endsWith('loseWorker') ? nth : 0;
    const doomed = await this.startMasters('doomed-m', doomedMasters);
    const early = doomedMasters > 0 ? await this.submit() : [];
    await this.until('the doomed own the runs', () => this.areClaimed(early));
    this.point.arm();
    for (const entry of doomed) this.killMaster(entry);
    await this.startMasters('m', 2);
    // Who connects first is served first, so these have work when they die.
    const dying = this.startWorkers('doomed-w', doomedWorkers);
    await this.until('the doomed workers join', () => this.haveJoined(dying));
    this.startWorkers('w', 2);
    const runs = early.length > 0 ? early : await this.submit();
    await this.until('a doomed worker works', async () => dying.length === 0 || this.isWorking(dying));
    for (const worker of dying) worker.crash();

    // A report reaches a master that is not the owner only when its worker has changed masters meanwhile.
    const roam = name.endsWith('recordElsewhere') ? this.every(250, () => this.cutConnections()) : () => {};
    await this.until('the point is reached', async () => {
      roam();
      return this.point.isReached;
    });
    await this.until('a tick fires after the kill', async () =>
      (await this.ticks()).some(({ due }) => due > this.killedAt),
    );
    // Before the runs are waited for: a machine that has much else to do would get more and more of them.
    const fired = await this.stopSchedule(firstDue);
    await this.until('the submitted runs end', () => this.haveEnded(runs));
    await this.until('the runs of ticks end', () => this.haveEnded(fired));
    await this.until('nothing is left', async () => (await this.leftovers()).length === 0);
    await this.check([...runs, ...fired]);
  }

  async stop(): Promise<void> {
    this.stopping = true;
    for (const worker of this.workers) worker.crash();
    for (const { node, master, store } of this.masters) {
      if (!node.crashed) await master?.stop();
      node.crashed = true;
      await store.close();
    }
    await this.store.close();
  }

  private async until(what: string, isSo: () => Promise<boolean>): Promise<void> {
    while (!(await isSo())) {
      if (this.broken) throw new Error(this.broken);
      if (clock.monotonic() > this.deadline)
        throw new Error(`in vain waited until ${what}: ${await this.state()}`);
      await sleep(30);
    }
  }

  /** What a reader of a failure wants to see. */
  private async state(): Promise<string> {
    const open = await this.schema.query(
      `SELECT id, state, owner, owner_epoch FROM run WHERE state <> 'success'`,
    );
    const nodes = await this.schema.query('SELECT id, epoch, fenced, beat FROM node');
    const workers = await this.schema.query('SELECT id, epoch, lost, take, beat FROM worker');
    const { hits } = this.point;
    return JSON.stringify({ hits, open, nodes, workers, left: await this.leftovers() });
  }

  private async publish(
    flow: Workflow,
    now: number,
    due: Readonly<Record<string, number>>,
  ): Promise<{ id: number; version: number }> {
    const about = { hash: flow.name, source: 'test', note: '', author: '' };
    return this.store.publishWorkflow({ ...about, workflow: flow, due, now });
  }

  private async submit(): Promise<number[]> {
    const { id, version } = await this.publish(diamond, clock.now(), {});
    const { project, name, priority, onFailure, timezone } = diamond;
    const request = { project, priority, onFailure, businessTime: 0, timezone, dryRun: false, depth: 0 };
    const runs: number[] = [];
    for (let k = 0; k < RUNS; k++) {
      const { run } = await this.store.submitCommand({
        command: {
          workflow: id,
          version,
          project,
          name,
          priority: 2,
          kind: 'normal',
          trigger: 'manual',
          request,
          params: {},
          scope: { kind: 'all', tasks: [] },
        },
        now: clock.now(),
      });
      runs.push(run);
    }
    return runs;
  }

  /** Starts masters, each with connections of its own, and waits until they act or were killed at once. */
  private async startMasters(name: string, count: number): Promise<LiveMaster[]> {
    const started: LiveMaster[] = [];
    for (let k = 1; k <= count; k++) {
      const store = await openPostgres({ ...this.schema.options, readers: 2 });
      const node = new SimNode(`${name}${k}`, clock, this.random);
      started.push({ node, store, master: undefined, channels: [] });
    }
    this.masters.push(...started);
    for (const entry of started) this.joinMaster(entry);
    await this.until('masters act', async () => started.every((it) => it.master || it.node.crashed));
    return started;
  }

  /** A master that was taken for dead joins again, as its process would. */
  private joinMaster(entry: LiveMaster): void {
    const { node, store } = entry;
    const onOver = () => {
      entry.master = undefined;
      if (!this.stopping) node.clock.setTimer(100, () => this.joinMaster(entry));
    };
    const die = () => this.killed(() => this.killMaster(entry));
    Master.start(
      { ...settings, id: node.name, address: node.name },
      {
        clock: StoreClock.unmeasured(node.clock),
        store: this.point.storeOf(store, node, die),
        log: () => {},
        onOver,
      },
    ).then(
      (master) => {
        if (master.over === undefined) entry.master = master;
      },
      (error) => {
        this.broken ??= `${node.name} cannot start: ${error.message}`;
      },
    );
  }

  private startWorkers(name: string, count: number): SimWorker[] {
    const started = Array.from({ length: count }, (_, k) => this.startWorker(`${name}${k + 1}`));
    this.workers.push(...started);
    return started;
  }

  private startWorker(name: string): SimWorker {
    const node = new SimNode(name, clock, this.random);
    const witness = { began: this.began.bind(this), ended: this.ended.bind(this) };
    const die = () => this.killed(() => worker.crash());
    const connect = (from: SimNode) => {
      const channel = this.connect(from);
      return channel && this.point.channelOf(channel, from, die);
    };
    // Some attempts last half a lease, so that one which is taken for lost too early would run beside the next.
    const worker: SimWorker = new SimWorker(node, clock, this.random, witness, connect, ({ taskName }) => ({
      after: taskName === 'b' ? settings.lease / 2 : 20 + this.random.int(60),
      state: 'success',
    }));
    return worker;
  }

  /** Joins workers to the masters that are up, in turn, so that some reports reach a master that is not the owner. */
  private connect(from: SimNode): Channel<WorkerFrame, MasterFrame> | undefined {
    const up = this.masters.filter(({ master, node }) => master && !node.crashed);
    const entry = up[this.connections++ % up.length];
    if (!entry?.master) return undefined;
    const [mine, its] = channelPair<WorkerFrame, MasterFrame>((act, toLeft) =>
      setImmediate(() => (toLeft ? from : entry.node).deliver(act)),
    );
    entry.channels.push(its);
    entry.master.accept(its);
    return mine;
  }

  /**
   * Every worker loses its connection and comes back to the next master, with what it holds. Those that are not back yet
   * are waited for: on a slow machine they would never renew their leases, and lose what they hold again and again.
   */
  private cutConnections(): void {
    if (this.workers.some(({ node, isWelcome }) => !node.crashed && !isWelcome)) return;
    for (const { channels } of this.masters)
      for (const channel of channels.splice(0)) channel.close('connection lost');
  }

  /** Acts when called, but not sooner than this after the last time. */
  private every(pause: number, act: () => void): () => void {
    let next = clock.monotonic() + pause;
    return () => {
      if (clock.monotonic() < next) return;
      next = clock.monotonic() + pause;
      act();
    };
  }

  private killMaster({ node, channels }: LiveMaster): void {
    node.crashed = true;
    for (const channel of channels) channel.close('connection lost');
  }

  private killed(kill: () => void): void {
    this.killedAt = clock.now();
    kill();
  }

  private async haveEnded(runs: readonly number[]): Promise<boolean> {
    const ended = await this.schema.query('SELECT id FROM run WHERE id = ANY ($1) AND ended_at IS NOT NULL', [
      runs,
    ]);
    return ended.length === runs.length;
  }

  private async haveJoined(workers: readonly SimWorker[]): Promise<boolean> {
    const joined = new Set((await this.store.listWorkers()).map(({ id }) => id));
    return workers.every(({ node }) => joined.has(node.name));
  }

  private isWorking(workers: readonly SimWorker[]): boolean {
    const busy = new Set(this.lines.values());
    return workers.some(({ node }) => busy.has(node.name));
  }

  private async areClaimed(runs: readonly number[]): Promise<boolean> {
    return (
      (await this.store.listRuns({ limit: 1_000 })).filter(({ id }) => runs.includes(id)).length ===
      runs.length
    );
  }

  private async ticks(): Promise<{ due: number; run: number | null }[]> {
    const [schedule] = await this.store.listSchedules({});
    return (await this.store.listTicks({ schedule: schedule.id, limit: 1_000 })).toReversed();
  }

  /** Turns the schedule off; what it fired must be every tick from the first, each once. */
  private async stopSchedule(firstDue: number): Promise<number[]> {
    const [{ id }] = await this.store.listSchedules({});
    await this.store.setSchedule({ id, enabled: false, nextDue: null, now: clock.now() });
    return (await this.ticks()).map(({ due, run }, k) => {
      if (due !== firstDue + k * EVERY || run === null)
        throw new Error(`tick ${k} was due at ${firstDue + k * EVERY}, fired ${due} as run ${run}`);
      return run;
    });
  }

  private leftovers(): Promise<{ place: string; run: string }[]> {
    return this.schema.query(
      `SELECT 'command' AS place, seq AS run FROM command UNION ALL SELECT 'ready', run FROM ready
       UNION ALL SELECT 'assignment', run FROM assignment UNION ALL SELECT 'inbox', run FROM inbox`,
    );
  }

  /** The whole state at the end: these runs and no others, each task done once. */
  private async check(expected: readonly number[]): Promise<void> {
    if (this.broken) throw new Error(this.broken);
    const known = (await this.store.listRuns({ limit: 1_000 })).map(({ id }) => id).sort((a, b) => a - b);
    const wanted = [...expected].sort((a, b) => a - b);
    if (`${known}` !== `${wanted}`) throw new Error(`there are runs ${known}, not ${wanted}`);
    for (const id of expected) {
      const found = await this.store.readRun({ id });
      if (found?.run.state !== 'success' || found.run.owner !== null)
        throw new Error(`run ${id} is ${found?.run.state} of ${found?.run.owner}`);
      const attempts = await this.store.listAttempts({ run: id });
      for (const { task: index, state } of found.tasks) {
        const good = attempts.filter((it) => it.task === index && it.state === 'success' && it.late === 0);
        if (state !== 'success' || good.length !== 1)
          throw new Error(`task ${id}.${index} is ${state}, with ${good.length} good attempts`);
      }
    }
  }

  private began(worker: string, attempt: AttemptId): void {
    const line = `${attempt.run}.${attempt.task}.${attempt.shard}`;
    const other = this.lines.get(line);
    if (other !== undefined) this.broken ??= `${line} began on ${worker} while it runs on ${other}`;
    if (this.ran.has(attemptText(attempt))) this.broken ??= `attempt ${attemptText(attempt)} ran twice`;
    this.lines.set(line, worker);
    this.ran.add(attemptText(attempt));
  }

  private ended(worker: string, attempt: AttemptId): void {
    const line = `${attempt.run}.${attempt.task}.${attempt.shard}`;
    if (this.lines.get(line) === worker) this.lines.delete(line);
  }
}

const times = [1, 3];
const kills = (points: readonly string[]) => points.flatMap((point) => times.map((nth) => ({ point, nth })));

describe.concurrent('a cluster on PostgreSQL keeps every law', { timeout: PATIENCE + 20_000 }, () => {
  it.each(kills(masterPoints))('when a master dies $point, time $nth', ({ point, nth }) =>
    Cluster.play(point, nth),
  );

  it.each(kills(workerPoints))('when a worker dies $point, time $nth', ({ point, nth }) =>
    Cluster.play(point, nth),
  );
});
