/**
 * One master, one worker and an embedded store in virtual time: for tests that say what an engine does with a
 * workflow. The test decides how each attempt ends.
 */
import { StoreClock } from '@orrery/cluster';
import { admissionOf } from '@orrery/core/admit';
import { InvalidInput } from '@orrery/core/errors';
import type { Parameters, Workflow } from '@orrery/core/model';
import { priorityNumber } from '@orrery/core/queue';
import type { Control } from '@orrery/core/run';
import { VirtualClock } from '@orrery/core/timing';
import { Master, type MasterConfig, masterDefaults, type Ports } from '@orrery/master';
import { openSqlite, type Store } from '@orrery/store';
import type { Channel } from '@orrery/wire/channel';
import type { Assignment, MasterFrame, WorkerFrame } from '@orrery/wire/frames';
import { channelPair } from '@orrery/wire/in-process';
import { InFlight } from './in-flight.ts';
import { Random } from './random.ts';
import { SimNode, type StoreFaults } from './sim-node.ts';
import { type Play, SimWorker, type SimWorkerOptions } from './sim-worker.ts';

const START = 1_700_000_000_000;

/** Where an engine works, and from when on. */
export interface EngineStage {
  /** In memory unless given. */
  readonly store?: Store;
  readonly now?: number;
  /** Secrets by name, or by `project/name`. */
  readonly secrets?: Readonly<Record<string, string>>;
  /** The workers it begins with; `w1` unless given. */
  readonly workers?: Readonly<Record<string, SimWorkerOptions>>;
  /** What takes how long is chosen by it. */
  readonly seed?: number;
  /** How often operations of the master's store go wrong; never unless given. */
  readonly faults?: () => StoreFaults;
  /** Sends messages about alerts; nobody does unless given. */
  readonly sendDelivery?: Ports['sendDelivery'];
  /** Measures the master's machine; nothing counts as overload unless given. */
  readonly measure?: Ports['measure'];
}

export class Engine {
  readonly clock: VirtualClock;
  readonly store: Store;
  /** What the worker was given, in order. */
  readonly executed: Assignment[] = [];
  /** What the master said. */
  readonly said: string[] = [];
  /** Makes every store operation of the master fail while it is set. */
  away = false;
  private readonly config: Partial<MasterConfig>;
  private readonly play: Play;
  private readonly secrets: Readonly<Record<string, string>>;
  private readonly random: Random;
  private readonly faults: () => StoreFaults;
  private readonly ports: Pick<Ports, 'sendDelivery' | 'measure'>;
  private readonly inFlight = new InFlight();
  private masterNode: SimNode;
  private readonly channels: Channel<MasterFrame, WorkerFrame>[] = [];
  private master: Master | undefined;
  /** Its store has the same virtual time, so that the master can measure it. */
  private isMeasured = false;

  private constructor(
    store: Store,
    clock: VirtualClock,
    play: Play,
    config: Partial<MasterConfig>,
    { seed = 1, secrets = {}, faults = () => ({ fails: 0, unknown: 0 }), sendDelivery, measure }: EngineStage,
  ) {
    this.clock = clock;
    this.random = new Random(seed);
    this.faults = faults;
    this.ports = { sendDelivery, measure };
    this.store = this.inFlight.watch(store);
    this.config = config;
    this.play = play;
    this.secrets = secrets;
    this.masterNode = new SimNode('m1', this.clock, this.random);
  }

  /** Starts an engine; `play` says how attempts go (at once and well, unless told otherwise). */
  static async start(
    play: Partial<ReturnType<Play>> | Play = {},
    config: Partial<MasterConfig> = {},
    stage: EngineStage = {},
  ): Promise<Engine> {
    const always: Play = typeof play === 'function' ? play : () => ({ after: 10, state: 'success', ...play });
    const clock = new VirtualClock(stage.now ?? START);
    const { store = await openSqlite(':memory:', { now: () => clock.now() }), workers = { w1: {} } } = stage;
    const engine = new Engine(store, clock, always, config, stage);
    engine.isMeasured = stage.store === undefined;
    engine.startMaster();
    for (const [name, options] of Object.entries(workers)) engine.startWorker(name, options);
    await engine.pass(100);
    return engine;
  }

  /** Publishes a workflow; `due` says when each of its schedules fires first. */
  async publish(
    workflow: Workflow,
    due: Readonly<Record<string, number | null>> = {},
  ): Promise<{ id: number; version: number }> {
    const published = await publishTo(this.store, workflow, this.clock.now(), due);
    this.master?.hint();
    return published;
  }

  /** Publishes a workflow and asks for a run of it. */
  async submit(workflow: Workflow, params: Parameters = {}, businessTime = START): Promise<number> {
    const run = await submitTo(this.store, workflow, this.clock.now(), params, businessTime);
    this.master?.hint();
    return run;
  }

  /** Asks a run's owner for a change. */
  async control(run: number, control: Control): Promise<void> {
    await this.store.sendControl({
      run,
      message: { type: 'control', control, by: 'test' },
      now: this.clock.now(),
    });
    this.master?.hint();
  }

  /** Lets virtual time pass. */
  async pass(ms: number): Promise<void> {
    await this.clock.advanceAsync(ms, this.inFlight.settle);
  }

  /** The state of a run and of its tasks, by name. */
  async states(run: number): Promise<{ run: string; tasks: Record<string, string> }> {
    const found = await this.store.readRun({ id: run });
    if (!found) return { run: 'queued', tasks: {} };
    const { workflow } =
      (await this.store.readWorkflow({ id: found.workflow, version: found.run.version })) ?? {};
    const tasks = found.tasks.map(({ task, state }) => [workflow?.tasks[task].name ?? task, state]);
    return { run: found.run.state, tasks: Object.fromEntries(tasks) };
  }

  /** The master's process dies and another takes its name. */
  crashMaster(): void {
    this.masterNode.crashed = true;
    for (const channel of this.channels.splice(0)) channel.close('connection lost');
    this.master = undefined;
    this.masterNode = new SimNode('m1', this.clock, this.random);
    this.startMaster();
  }

  /** The master stops in order. Time has to pass for it to settle. */
  async stopMaster(): Promise<void> {
    await this.master?.stop();
  }

  /** Tells the master that something has changed in the store. */
  hint(): void {
    this.master?.hint();
  }

  /** A worker joins. */
  startWorker(name: string, options?: SimWorkerOptions): SimWorker {
    const node = new SimNode(name, this.clock, this.random);
    const play: Play = (assignment) => {
      this.executed.push(assignment);
      return this.play(assignment);
    };
    const connect = (from: SimNode) => {
      if (!this.master || this.master.over !== undefined) return undefined;
      const master = this.masterNode;
      const [mine, its] = channelPair<WorkerFrame, MasterFrame>((act, toLeft) =>
        (toLeft ? from : master).deliver(act),
      );
      this.master.accept(its);
      this.channels.push(its);
      return mine;
    };
    const witness = { began: () => {}, ended: () => {} };
    return new SimWorker(node, this.clock, this.random, witness, connect, play, options);
  }

  private startMaster(): void {
    const node = this.masterNode;
    const store = node.storeOver(this.store, () => (this.away ? { fails: 1, unknown: 0 } : this.faults()));
    const config = { ...masterDefaults, ...this.config, id: 'm1', address: 'm1' };
    const log = (level: string, text: string) => this.said.push(`${level}: ${text}`);
    const readSecret = async (name: string, project?: string) => {
      const value = this.secrets[`${project}/${name}`] ?? this.secrets[name];
      if (value === undefined) throw new InvalidInput(`there is no secret "${name}"; looked in the test`);
      return value;
    };
    const join = () => {
      const clock = this.isMeasured ? new StoreClock(node.clock) : StoreClock.unmeasured(node.clock);
      Master.start(config, { ...this.ports, clock, store, log, readSecret }).then(
        (master) => {
          if (!node.crashed) this.master = master;
        },
        () => node.clock.setTimer(500, join),
      );
    };
    join();
  }
}

/** Publishes a workflow and asks for a run of it, in any store; the run's id. */
export async function submitTo(
  store: Store,
  workflow: Workflow,
  now: number,
  params: Parameters = {},
  businessTime = START,
): Promise<number> {
  const { id, version } = await publishTo(store, workflow, now);
  const { project, name, priority, onFailure, timezone } = workflow;
  const request = { project, priority, onFailure, businessTime, timezone, dryRun: false, depth: 0 };
  const { run } = await store.submitCommand({
    command: {
      workflow: id,
      version,
      project,
      name,
      priority: priorityNumber(priority),
      kind: 'normal',
      trigger: 'manual',
      request,
      params,
      scope: { kind: 'all', tasks: [] },
      tenant: workflow.tenant,
      admission: admissionOf(workflow, false),
      onePerPeriod: workflow.onePerPeriod,
      onNoRoom: workflow.onNoRoom,
    },
    now,
  });
  return run;
}

function publishTo(
  store: Store,
  workflow: Workflow,
  now: number,
  due: Readonly<Record<string, number | null>> = {},
): Promise<{ id: number; version: number }> {
  const hash = JSON.stringify(workflow);
  return store.publishWorkflow({ workflow, hash, source: 'test', note: '', author: '', due, now });
}
