/**
 * A worker in a simulation: it speaks the frames, takes virtual time for each attempt, reports until it is
 * acknowledged, and loses its attempts when its lease runs out, also while it is paused (its keeper sees to that).
 */
import type { Clock, ClockTimer } from '@orrery/core/timing';
import type { Channel } from '@orrery/wire/channel';
import {
  type Assignment,
  type AttemptId,
  attemptText,
  type MasterFrame,
  type Report,
  type WorkerFrame,
} from '@orrery/wire/frames';
import type { Random } from './random.ts';
import type { SimNode } from './sim-node.ts';

/** Sees what really runs where; throws when a law breaks. */
export interface Witness {
  began(worker: string, attempt: AttemptId): void;
  ended(worker: string, attempt: AttemptId): void;
}

/** What an attempt will do: how long it takes in virtual time, and how it ends. */
export type Play = (assignment: Assignment) => {
  readonly after: number;
  readonly state: 'success' | 'failed';
  readonly outputs?: Readonly<Record<string, string>>;
  /** What goes with the report of its end. */
  readonly error?: string;
  /** Another attempt would fail too, so none is made. */
  readonly fatal?: boolean;
  readonly logTail?: string;
  readonly exitCode?: number;
  readonly cpuTime?: number;
  readonly peakMemory?: number;
  /** How long it takes to die when it is killed; at once unless given. */
  readonly dies?: number;
};

/** Connects to some master, if one can be reached. */
export type Connect = (node: SimNode) => Channel<WorkerFrame, MasterFrame> | undefined;

/** What a worker offers. */
export interface SimWorkerOptions {
  readonly slots?: number;
  readonly groups?: readonly string[];
}

interface Running {
  readonly attempt: AttemptId;
  readonly play: ReturnType<Play>;
  readonly startedAt: number;
}

export class SimWorker {
  readonly node: SimNode;
  private readonly world: Clock;
  private readonly random: Random;
  private readonly witness: Witness;
  private readonly connect: Connect;
  private readonly play: Play;
  private readonly slots: number;
  private readonly groups: readonly string[];
  private channel: Channel<WorkerFrame, MasterFrame> | undefined;
  private welcomedBy: Channel<WorkerFrame, MasterFrame> | undefined;
  private epoch = 0;
  private take = 0;
  private lease = 30_000;
  private beatNumber = 0;
  private nextBeat: ClockTimer | undefined;
  private readonly sent = new Map<number, number>();
  private leaseUntil = 0;
  private readonly held = new Map<string, AttemptId>();
  private readonly running = new Map<string, Running>();
  private readonly spool = new Map<string, Report>();

  constructor(
    node: SimNode,
    world: Clock,
    random: Random,
    witness: Witness,
    connect: Connect,
    play: Play,
    { slots = 8, groups = ['default'] }: SimWorkerOptions = {},
  ) {
    this.slots = slots;
    this.groups = groups;
    this.node = node;
    this.world = world;
    this.random = random;
    this.witness = witness;
    this.connect = connect;
    this.play = play;
    this.reconnect();
    this.keep();
  }

  /** A master has taken it in over the connection that it has now. */
  get isWelcome(): boolean {
    return this.channel !== undefined && this.channel === this.welcomedBy;
  }

  /** The machine is gone: so is everything that ran on it. */
  crash(): void {
    this.node.crashed = true;
    this.killAll();
  }

  private reconnect(): void {
    const channel = this.connect(this.node);
    if (!channel) {
      this.node.clock.setTimer(500, () => this.reconnect());
      return;
    }
    this.channel = channel;
    channel.onFrame((frame) => this.onFrame(frame));
    channel.onClose(() => {
      if (this.channel !== channel) return;
      this.channel = undefined;
      this.node.clock.setTimer(200 + this.random.int(500), () => this.reconnect());
    });
    const resume = this.epoch > 0 ? { epoch: this.epoch, take: this.take } : undefined;
    channel.send({
      type: 'hello',
      worker: this.node.name,
      address: '',
      groups: this.groups,
      slots: this.slots,
      resume,
    });
  }

  private onFrame(frame: MasterFrame): void {
    switch (frame.type) {
      case 'welcome':
        this.welcomedBy = this.channel;
        if (frame.epoch !== this.epoch) this.startEpoch(frame.epoch);
        this.take = Math.max(this.take, frame.take);
        this.lease = frame.lease;
        this.leaseUntil = Math.max(this.leaseUntil, this.world.monotonic() + frame.lease);
        this.report([...this.spool.values()]);
        this.beat();
        this.ask();
        break;
      case 'give':
        if (frame.take !== this.take + 1) {
          // A take whose answer was lost: its assignments are not ours any more unless they are in this one.
          if (frame.take <= this.take) break;
        }
        this.take = frame.take;
        for (const assignment of frame.assignments) this.execute(assignment);
        this.ask();
        break;
      case 'acknowledge':
        for (const attempt of frame.attempts) this.spool.delete(attemptText(attempt));
        break;
      case 'beat-committed': {
        const at = this.sent.get(frame.beat);
        if (at !== undefined) this.leaseUntil = Math.max(this.leaseUntil, at + this.lease);
        break;
      }
      case 'kill':
        for (const attempt of frame.attempts) this.kill(attempt);
        break;
      case 'refused':
        this.killAll();
        this.epoch = 0;
        break;
      case 'store-away':
        break;
    }
  }

  private startEpoch(epoch: number): void {
    this.killAll();
    this.epoch = epoch;
    this.take = 0;
    this.spool.clear();
    this.sent.clear();
    this.leaseUntil = 0;
  }

  private ask(): void {
    this.channel?.send({
      type: 'take',
      epoch: this.epoch,
      number: this.take + 1,
      room: this.slots - this.held.size,
    });
  }

  private execute(assignment: Assignment): void {
    const { attempt } = assignment;
    const key = attemptText(attempt);
    // What comes after the lease has run out was given to a worker that others may count as lost.
    if (this.world.monotonic() > this.leaseUntil || this.held.has(key) || this.spool.has(key)) return;
    const { epoch } = this;
    this.held.set(key, attempt);
    const play = this.play(assignment);
    this.running.set(key, { attempt, play, startedAt: this.node.clock.now() });
    this.witness.began(this.node.name, attempt);
    this.channel?.send({ type: 'begun', epoch, attempts: [attempt] });
    this.endAfter(play.after, attempt, play.state);
  }

  private kill(attempt: AttemptId): void {
    const { dies } = this.running.get(attemptText(attempt))?.play ?? {};
    if (dies === undefined) this.finish(attempt, 'killed');
    else this.endAfter(dies, attempt, 'killed');
  }

  private endAfter(delay: number, attempt: AttemptId, state: 'success' | 'failed' | 'killed'): void {
    const { epoch } = this;
    this.node.clock.setTimer(delay, () => {
      if (this.epoch === epoch) this.finish(attempt, state);
    });
  }

  private finish(attempt: AttemptId, state: 'success' | 'failed' | 'killed'): void {
    const key = attemptText(attempt);
    const running = this.running.get(key);
    if (!running) return;
    this.running.delete(key);
    this.held.delete(key);
    this.witness.ended(this.node.name, attempt);
    const { outputs, error, fatal, logTail, exitCode, cpuTime, peakMemory } = running.play;
    const ending = state === 'success' ? { outputs } : state === 'failed' ? { error, fatal } : {};
    const report: Report = {
      attempt,
      outcome: { state, worker: this.node.name, ...ending },
      startedAt: running.startedAt,
      endedAt: this.node.clock.now(),
      cpuTime,
      peakMemory,
      ...(state !== 'killed' && { exitCode }),
      ...(state !== 'success' && { logTail }),
    };
    this.spool.set(key, report);
    this.report([report]);
    this.ask();
  }

  private report(reports: readonly Report[]): void {
    if (reports.length > 0) this.channel?.send({ type: 'report', epoch: this.epoch, reports });
  }

  private beat(): void {
    if (this.node.crashed) return;
    if (this.channel && this.epoch > 0) {
      this.beatNumber++;
      this.sent.set(this.beatNumber, this.world.monotonic());
      const held = [...this.held.values(), ...[...this.spool.values()].map(({ attempt }) => attempt)];
      this.channel.send({
        type: 'beat',
        epoch: this.epoch,
        beat: this.beatNumber,
        take: this.take,
        held,
        load: { cpu: 0, memory: 0, running: this.running.size },
      });
      this.report([...this.spool.values()]);
    }
    // One at a time, however often it was welcomed.
    this.nextBeat?.cancel();
    this.nextBeat = this.node.clock.setTimer(this.lease / 3, () => this.beat());
  }

  /** The keeper: a process of its own, so a pause of the worker does not stop it. */
  private keep(): void {
    this.world.setTimer(Math.min(500, this.lease / 10), () => {
      if (this.node.crashed) return;
      if (this.epoch > 0 && this.leaseUntil > 0 && this.world.monotonic() > this.leaseUntil) this.killAll();
      this.keep();
    });
  }

  private killAll(): void {
    for (const { attempt } of this.running.values()) this.witness.ended(this.node.name, attempt);
    this.running.clear();
    this.held.clear();
  }
}
