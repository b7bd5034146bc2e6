/**
 * A whole cluster in one process and virtual time: masters that are the real ones, workers, a store, and faults
 * chosen by a seed. The laws are checked while it runs and on the whole state at the end; a seed replays exactly.
 */

import { openGate, StoreClock } from '@orrery/cluster';
import type { OwnershipSettings } from '@orrery/core/balance';
import type { ScheduleSpec } from '@orrery/core/model';
import { VirtualClock } from '@orrery/core/timing';
import { Master, type MasterConfig, masterDefaults } from '@orrery/master';
import { type Command, openSqlite, type Store } from '@orrery/store';
import type { Channel } from '@orrery/wire/channel';
import { type AttemptId, attemptText, type MasterFrame, type WorkerFrame } from '@orrery/wire/frames';
import { channelPair } from '@orrery/wire/in-process';
import { Random } from './random.ts';
import { SimNode } from './sim-node.ts';
import { SimRegistry } from './sim-registry.ts';
import { SimWorker } from './sim-worker.ts';
import { randomFlow } from './workflows.ts';

/** What a simulation is made of. */
export interface ClusterOptions {
  readonly masters: number;
  readonly workers: number;
  readonly runs: number;
  /** Virtual milliseconds of faults before everything heals. */
  readonly trouble: number;
  /** Who fires what; by hash unless given. */
  readonly ownership?: OwnershipSettings;
  /** A registry judges who is alive, and its leader says who fires what. */
  readonly registry?: boolean;
  /** Lets every master believe that it leads: the laws must notice. */
  readonly doubledLeader?: boolean;
  /** Lets a fenced master write all the same: the laws must notice. */
  readonly brokenFence?: boolean;
  /** Lets a master take work whatever its life says: the laws must notice. */
  readonly brokenGate?: boolean;
  /** Hears what the masters say. */
  readonly log?: (line: string) => void;
}

const START = 1_700_000_000_000;
const EVERY = 7_000;
/** Once everything has healed, workers are declared lost and late reports arrive within this time. */
const AFTERMATH = masterDefaults.lease + masterDefaults.leaseGrace + 10_000;
/** What a master still has to write after the last run has ended. */
const LAST_WRITES = 5_000;
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

interface LiveMaster {
  readonly node: SimNode;
  master: Master | undefined;
  readonly channels: Channel<MasterFrame, WorkerFrame>[];
}

export class ClusterSim {
  readonly clock: VirtualClock;
  private readonly random: Random;
  private readonly options: ClusterOptions;
  private readonly store: Store;
  private readonly registry: SimRegistry | undefined;
  private readonly masters: LiveMaster[] = [];
  private readonly workers: SimWorker[] = [];
  private readonly submitted: number[] = [];
  private troubled = true;
  private healedAt = 0;
  /** Lines (run, task, shard) that run somewhere now, and attempts that ever ran. */
  private readonly lines = new Map<string, string>();
  private readonly ran = new Set<string>();
  private broken: string | undefined;
  private readonly drained = new Set<string>();

  private constructor(seed: number, options: ClusterOptions, clock: VirtualClock, store: Store) {
    this.clock = clock;
    this.random = new Random(seed);
    this.options = options;
    this.store = store;
    this.registry = options.registry
      ? new SimRegistry(clock, this.random, options.doubledLeader ?? false)
      : undefined;
  }

  /** Plays one seed to its end; throws with what broke. */
  static async play(
    seed: number,
    options: ClusterOptions,
  ): Promise<{ runs: number; states: Record<string, number> }> {
    const clock = new VirtualClock(START);
    const store = await openSqlite(':memory:', { now: () => clock.now() });
    const sim = new ClusterSim(seed, options, clock, store);
    try {
      return await sim.play();
    } finally {
      await sim.store.close();
    }
  }

  private async play(): Promise<{ runs: number; states: Record<string, number> }> {
    const { masters, workers, runs, trouble, ownership } = this.options;
    if (ownership) await this.store.setOwnership({ settings: ownership, by: 'sim', now: START });
    for (let i = 0; i < masters; i++) this.startMaster(`m${i}`);
    for (let i = 0; i < workers; i++) this.startWorker(`w${i}`);
    await this.publishSchedule();
    await this.submit(runs);
    for (let passed = 0; passed < trouble; ) {
      const step = 200 + this.random.int(2_000);
      await this.pass(step);
      passed += step;
      this.disturb();
    }
    this.heal();
    await this.pass(10_000);
    if (this.registry) {
      await this.pass(20_000);
      if (this.options.ownership?.mode !== 'claim') await this.registry.check(this.store);
    }
    await this.checkHolders();
    await this.stopSchedule();
    for (let waited = 0; waited < 1_800_000; waited += 5_000) {
      await this.pass(5_000);
      if ((await this.openRuns()).length === 0) return this.check();
    }
    const open = await this.openRuns();
    throw new Error(
      `runs do not end: ${open.map(({ id, state, owner }) => `${id} ${state} of ${owner}`).join(', ')}`,
    );
  }

  private async pass(ms: number): Promise<void> {
    await this.clock.advanceAsync(ms, settle);
    const broken = this.broken ?? this.registry?.broken;
    if (broken) throw new Error(broken);
  }

  private async submit(count: number): Promise<void> {
    for (let i = 0; i < count; i++) {
      const workflow = randomFlow(this.random, `flow${i}`, 1 + this.random.int(6));
      const { id, version } = await this.store.publishWorkflow({
        workflow,
        hash: `h${i}`,
        source: 'test',
        note: '',
        author: '',
        due: {},
        now: START,
      });
      const command: Command = {
        workflow: id,
        version,
        project: workflow.project,
        name: workflow.name,
        priority: 2,
        kind: 'normal',
        trigger: 'manual',
        request: {
          project: workflow.project,
          priority: 'medium',
          onFailure: workflow.onFailure,
          businessTime: 0,
          timezone: 'UTC',
          dryRun: false,
          depth: 0,
        },
        params: {},
        scope: { kind: 'all', tasks: [] },
      };
      this.submitted.push((await this.store.submitCommand({ command, now: START })).run);
    }
  }

  /** A workflow that fires every seven seconds, all the time. */
  private async publishSchedule(): Promise<void> {
    const schedule: ScheduleSpec = {
      name: 'often',
      every: EVERY,
      timezone: 'UTC',
      misfire: { policy: 'fire-all', threshold: 60_000 },
      params: {},
      enabled: true,
    };
    const due = { often: Math.ceil((START + 1) / EVERY) * EVERY };
    const workflow = { ...randomFlow(this.random, 'ticker', 2), schedules: [schedule] };
    await this.store.publishWorkflow({
      workflow,
      hash: 'ticker',
      source: 'test',
      note: '',
      author: '',
      due,
      now: START,
    });
  }

  /** Everything healed: in claim mode a live master holds the schedule. */
  private async checkHolders(): Promise<void> {
    if (this.options.ownership?.mode !== 'claim') return;
    const { view, free } = await this.store.readHoldings();
    const held = view.masters.reduce((sum, master) => sum + master.held, 0);
    if (held !== 1 || free !== 0) throw new Error(`${held} schedules are held and ${free} free, of 1`);
  }

  /** Turns the schedule off, and checks that every tick until then was fired once and became a run. */
  private async stopSchedule(): Promise<void> {
    const [schedule] = await this.store.listSchedules({});
    await this.store.setSchedule({ id: schedule.id, enabled: false, nextDue: null, now: this.clock.now() });
    const ticks = (await this.store.listTicks({ schedule: schedule.id, limit: 10_000 })).toReversed();
    const last = ticks.at(-1)?.due ?? 0;
    if (last < this.clock.now() - 30_000)
      throw new Error(`no tick has fired since ${this.clock.now() - last} ms`);
    ticks.forEach(({ due, run }, k) => {
      const expected = Math.ceil((START + 1) / EVERY) * EVERY + k * EVERY;
      if (due !== expected || run === null)
        throw new Error(`tick ${k} was due at ${expected}, fired ${due} as run ${run}`);
      this.submitted.push(run);
    });
  }

  private startMaster(name: string): void {
    const node = new SimNode(name, this.clock, this.random);
    const entry: LiveMaster = { node, master: undefined, channels: [] };
    this.masters.push(entry);
    const small = { room: 50, claimBatch: 10, beginBatch: 2 };
    const config: MasterConfig = { ...masterDefaults, ...small, id: name, address: name };
    const faults = () => (this.troubled ? { fails: 0.01, unknown: 0.01 } : { fails: 0, unknown: 0 });
    const shared = this.options.brokenFence ? withoutFence(this.store) : this.store;
    const store = node.storeOver(this.guarded(name, shared), faults);
    const join = () => {
      Master.start(config, {
        clock: new StoreClock(node.clock),
        store,
        log: (level, text) => this.options.log?.(`${this.clock.now() - START} ${name} ${level} ${text}`),
        gateOver: this.options.brokenGate ? () => openGate : undefined,
        registry: this.registry?.port(node),
        // As its process does: one that was fenced joins again.
        onOver: this.registry && (() => node.clock.setTimer(1_000, join)),
      }).then(
        (master) => {
          entry.master = master;
        },
        () => node.clock.setTimer(1_000, join),
      );
    };
    join();
  }

  private startWorker(name: string): void {
    const node = new SimNode(name, this.clock, this.random);
    const witness = { began: this.began.bind(this), ended: this.ended.bind(this) };
    this.workers.push(
      new SimWorker(
        node,
        this.clock,
        this.random,
        witness,
        (from) => this.connect(from),
        () => ({ after: 1 + this.random.int(3_000), state: this.random.chance(0.1) ? 'failed' : 'success' }),
      ),
    );
  }

  /** Joins a worker to a random master that is up. */
  private connect(from: SimNode): Channel<WorkerFrame, MasterFrame> | undefined {
    const up = this.masters.filter(
      ({ master, node }) => master && master.over === undefined && !node.crashed,
    );
    if (up.length === 0) return undefined;
    const { master, node, channels } = this.random.pick(up);
    const [mine, its] = channelPair<WorkerFrame, MasterFrame>(this.inOrder(from, node));
    channels.push(its);
    master?.accept(its);
    return mine;
  }

  /** Frames take a moment each, and keep their order. */
  private inOrder(left: SimNode, right: SimNode): (act: () => void, toLeft: boolean) => void {
    const last = { left: 0, right: 0 };
    return (act, toLeft) => {
      const [side, node] = toLeft ? (['left', left] as const) : (['right', right] as const);
      const now = this.clock.monotonic();
      last[side] = Math.max(last[side], now + 1 + this.random.int(5));
      this.clock.setTimer(last[side] - now, () => node.deliver(act));
    };
  }

  /** One fault. */
  private disturb(): void {
    const { masters, workers } = this;
    if (masters.length === 0 || workers.length === 0) return;
    if (this.registry && this.random.chance(0.3)) {
      this.registry.disturb();
      return;
    }
    switch (this.random.int(9)) {
      case 0: {
        const entry = this.random.pick(masters);
        entry.node.crashed = true;
        for (const channel of entry.channels) channel.close('connection lost');
        masters.splice(masters.indexOf(entry), 1);
        this.clock.setTimer(1 + this.random.int(20_000), () => this.startMaster(entry.node.name));
        break;
      }
      case 1: {
        const { node } = this.random.pick(masters);
        node.pause();
        this.clock.setTimer(1 + this.random.int(20_000), () => node.resume());
        break;
      }
      case 2: {
        const worker = this.random.pick(workers);
        worker.crash();
        workers.splice(workers.indexOf(worker), 1);
        this.clock.setTimer(1 + this.random.int(60_000), () => this.startWorker(worker.node.name));
        break;
      }
      case 3: {
        const { node } = this.random.pick(workers);
        node.pause();
        this.clock.setTimer(1 + this.random.int(60_000), () => node.resume());
        break;
      }
      case 4: {
        const { channels } = this.random.pick(masters);
        for (const channel of channels.splice(0)) channel.close('connection lost');
        break;
      }
      case 6:
        this.drain(this.random.pick([...masters, ...workers]).node.name, true);
        break;
      case 7:
        for (const name of this.drained) this.drain(name, false);
        break;
      case 5:
        this.random.pick(masters).node.skew += this.random.int(4_000) - 2_000;
        break;
    }
  }

  /** Asks that a node drains, or takes work again; it is refused where the others could not carry on. */
  private drain(node: string, drain: boolean): void {
    if (drain) this.drained.add(node);
    else this.drained.delete(node);
    const timeout = this.random.pick([0, 5_000]);
    const asked = { node, drain, timeout, silentAfter: 10_000, actor: 'sim', now: this.clock.now() };
    this.store.drainNode(asked).catch((error) => {
      this.broken ??= `drain of ${node}: ${error.message}`;
    });
  }

  /** The store as a master uses it: one that drains, or whose last beat is long ago, must not take anything. */
  private guarded(name: string, store: Store): Store {
    let beatAt = this.clock.monotonic();
    const check = async (what: string, count: number) => {
      if (count === 0) return;
      this.registry?.took(name, `${count} ${what}`);
      const row = (await this.store.listNodes()).find(({ id }) => id === name);
      const silent = this.clock.monotonic() - beatAt;
      if (row?.state === 'draining' && row.draining === 1)
        this.broken ??= `${name} is draining and took ${count} ${what}`;
      if (silent > masterDefaults.sessionTimeout)
        this.broken ??= `${name} took ${count} ${what} ${silent} ms after its last beat`;
    };
    return {
      ...store,
      beat: async (input) => {
        const answer = await store.beat(input);
        beatAt = this.clock.monotonic();
        return answer;
      },
      claimWork: async (input) => {
        const claimed = await store.claimWork(input);
        await check('runs', claimed.orphans.length + claimed.starts.length);
        return claimed;
      },
      claimSchedules: async (input) => {
        const answer = await store.claimSchedules(input);
        await check('schedules', answer.claimed.length);
        if (answer.claimed.length > 0 && answer.held > answer.limit)
          this.broken ??= `${name} claimed and holds ${answer.held} schedules of at most ${answer.limit}`;
        return answer;
      },
      fireTicks: async (input) => {
        const answer = await store.fireTicks(input);
        const fired = answer.outcomes.filter(({ outcome }) => outcome === 'fired');
        await check('ticks', fired.length);
        return answer;
      },
    };
  }

  private heal(): void {
    this.troubled = false;
    this.healedAt = this.clock.monotonic();
    this.registry?.heal();
    for (const name of this.drained) this.drain(name, false);
    for (const { node } of [...this.masters, ...this.workers]) node.resume();
  }

  private async openRuns(): Promise<{ id: number; state: string; owner: string | null }[]> {
    const known = await this.store.listRuns({ limit: 10_000 });
    const missing = this.submitted.filter((id) => !known.some((run) => run.id === id));
    const open = known.filter(
      ({ state }) => state !== 'success' && state !== 'failed' && state !== 'stopped',
    );
    return [...open, ...missing.map((id) => ({ id, state: 'unclaimed', owner: null }))];
  }

  /** The whole state at the end. */
  private async check(): Promise<{ runs: number; states: Record<string, number> }> {
    await this.pass(Math.max(LAST_WRITES, this.healedAt + AFTERMATH - this.clock.monotonic()));
    const states: Record<string, number> = {};
    for (const id of this.submitted) {
      const found = await this.store.readRun({ id });
      if (!found) throw new Error(`run ${id} is gone`);
      states[found.run.state] = (states[found.run.state] ?? 0) + 1;
      if (found.queued.length > 0) throw new Error(`run ${id} ended and still has open attempts`);
      const attempts = await this.store.listAttempts({ run: id });
      for (const { task, state } of found.tasks) {
        const good = attempts.filter(
          (attempt) => attempt.task === task && attempt.state === 'success' && attempt.late === 0,
        );
        if (good.length > 1) throw new Error(`task ${id}.${task} succeeded ${good.length} times`);
        if (state === 'success' && good.length === 0)
          throw new Error(`task ${id}.${task} succeeded without an attempt that did`);
      }
    }
    return { runs: this.submitted.length, states };
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

/** A store that does not look who writes: a commit passes as if the owner of its runs had made it. */
function withoutFence(store: Store): Store {
  return new Proxy(store, {
    get: (target, name) => {
      const operation = Reflect.get(target, name);
      if (name !== 'commitRuns') return operation;
      return async (input: Parameters<Store['commitRuns']>[0]) => {
        const [first] = input.changes;
        const owner = first && (await target.readRun({ id: first.run }))?.run.owner;
        const node = (await target.listNodes()).find(({ id, fenced }) => id === owner && fenced === 0);
        return operation({ ...input, self: node ? { node: node.id, epoch: node.epoch } : input.self });
      };
    },
  });
}
