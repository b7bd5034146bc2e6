/**
 * A master on a real store, in virtual time, with a worker whose frames a test sends itself: for tests that say in
 * which order a master does things, and how often it asks its store.
 */
import { StoreClock } from '@orrery/cluster';
import { VirtualClock } from '@orrery/core/timing';
import { Master, type MasterConfig, masterDefaults } from '@orrery/master';
import type { Store } from '@orrery/store';
import type { Channel } from '@orrery/wire/channel';
import type { Assignment, AttemptId, MasterFrame, WorkerFrame } from '@orrery/wire/frames';
import { channelPair } from '@orrery/wire/in-process';

const START = 1_700_000_000_000;
const later = () => new Promise<void>((resolve) => setImmediate(resolve));

export class SimStage {
  readonly clock = new VirtualClock(START);
  readonly store: Store;
  /** The operations that the master has asked for. */
  readonly asked: string[] = [];
  /** What the worker was given, and which of its reports were acknowledged. */
  readonly given: Assignment[] = [];
  readonly acknowledged: AttemptId[] = [];
  /** Why takes got nothing. */
  readonly refused: string[] = [];
  /** While set, the master may do nothing for this reason. */
  pausedBy: string | undefined;
  readonly slots: number;
  private epoch = 0;
  private take = 0;
  private open = 0;
  private master: Master | undefined;
  private channel: Channel<WorkerFrame, MasterFrame> | undefined;

  private constructor(store: Store, slots: number) {
    this.store = store;
    this.slots = slots;
  }

  /** Starts a master and joins a worker, which has not asked for anything yet. */
  static async start(store: Store, slots: number, config: Partial<MasterConfig> = {}): Promise<SimStage> {
    const stage = new SimStage(store, slots);
    const { clock } = stage;
    const full = { ...masterDefaults, ...config, id: 'm1', address: 'm1' };
    stage.master = await Master.start(full, {
      clock: StoreClock.unmeasured(clock),
      store: stage.watched(),
      log: () => {},
      gateOver: (gate) => ({ refusal: (deed) => stage.pausedBy ?? gate.refusal(deed) }),
    });
    stage.connect();
    await stage.settle();
    return stage;
  }

  /** Connects the worker again, with its present epoch. */
  connect(): void {
    const [mine, its] = channelPair<WorkerFrame, MasterFrame>((act) => act());
    this.channel = mine;
    mine.onFrame((frame) => this.onFrame(frame));
    this.master?.accept(its);
    const { epoch, take, slots } = this;
    const resume = epoch > 0 ? { epoch, take } : undefined;
    this.send({ type: 'hello', worker: 'w1', address: '', groups: ['default'], slots, resume });
  }

  /** The worker's connection is lost. */
  cut(): void {
    this.channel?.close('connection lost');
  }

  /** The worker asks for work. */
  ask(room = this.slots): void {
    this.send({ type: 'take', epoch: this.epoch, number: this.take + 1, room });
  }

  /** The worker says that it lives. */
  beat(...held: readonly AttemptId[]): void {
    const { epoch, take } = this;
    this.send({
      type: 'beat',
      epoch,
      beat: 1,
      take,
      held,
      load: { cpu: 0, memory: 0, running: held.length },
    });
  }

  /** The worker says that an attempt ended well. */
  report(...attempts: readonly AttemptId[]): void {
    const now = this.clock.now();
    const outcome = { state: 'success', worker: 'w1' } as const;
    const reports = attempts.map((attempt) => ({ attempt, outcome, startedAt: now, endedAt: now }));
    this.send({ type: 'report', epoch: this.epoch, reports });
  }

  /** Tells the master that the store has changed. */
  hint(): void {
    this.master?.hint();
  }

  /** Lets the master do all it can without time passing. */
  async settle(): Promise<void> {
    do await later();
    while (this.open > 0);
  }

  /** Lets virtual time pass. */
  pass(ms: number): Promise<void> {
    return this.clock.advanceAsync(ms, () => this.settle());
  }

  async stop(): Promise<void> {
    await this.master?.stop();
  }

  private send(frame: WorkerFrame): void {
    this.channel?.send(frame);
  }

  private onFrame(frame: MasterFrame): void {
    if (frame.type === 'welcome') this.epoch = frame.epoch;
    if (frame.type === 'acknowledge') this.acknowledged.push(...frame.attempts);
    if (frame.type === 'nothing') this.refused.push(frame.reason);
    if (frame.type !== 'give') return;
    this.take = frame.take;
    this.given.push(...frame.assignments);
  }

  /** The store as the master sees it: records calls, and how many are in flight. */
  private watched(): Store {
    return new Proxy(this.store, {
      get: (target, name) => {
        const operation = Reflect.get(target, name);
        if (typeof operation !== 'function') return operation;
        return async (...input: never[]) => {
          this.asked.push(String(name));
          this.open++;
          return operation(...input).finally(() => this.open--);
        };
      },
    });
  }
}
