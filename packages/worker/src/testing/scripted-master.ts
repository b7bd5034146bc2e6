/**
 * The masters' end of the wire, controlled by a test: it answers as scripted and records what workers sent.
 */
import type { Channel } from '@orrery/wire/channel';
import {
  type Assignment,
  type AttemptId,
  attemptText,
  type MasterFrame,
  type Report,
  type WorkerFrame,
} from '@orrery/wire/frames';
import { channelPair } from '@orrery/wire/in-process';

/** A frame of one type. */
export type FrameOf<Type extends WorkerFrame['type']> = Extract<WorkerFrame, { type: Type }>;

/** Its automatic answers; a test may change them at any time. */
interface Manners {
  /**
   * The answer to hello; undefined gives none. Like a real master, `store-away` also closes the connection.
   */
  hello: 'welcome' | 'store-away' | undefined;
  beats: 'commit' | 'store-away' | undefined;
  acknowledges: boolean;
  /** The answer to handles; undefined gives none. */
  keeps: boolean | undefined;
  /** Whether connections close at once. */
  unreachable: boolean;
}

/** All masters of a test in one object; `at` is the master that a worker connected to. */
export class ScriptedMaster {
  readonly manners: Manners = {
    hello: 'welcome',
    beats: 'commit',
    acknowledges: true,
    keeps: true,
    unreachable: false,
  };
  readonly frames: WorkerFrame[] = [];
  readonly reports: Report[] = [];
  /** Addresses in the order of the worker's connections. */
  readonly dialled: string[] = [];
  /** Called after reports arrived. */
  onReports: () => void = () => {};
  masters: string[] = [];
  lease = 30_000;
  epoch = 1;
  take = 0;
  /** Given with the next open take. */
  private readonly queue: Assignment[] = [];
  private openTake: { number: number; room: number } | undefined;
  private channel: Channel<MasterFrame, WorkerFrame> | undefined;
  private readonly deliver: (delivery: () => void) => void;

  constructor(deliver: (delivery: () => void) => void = queueMicrotask) {
    this.deliver = deliver;
  }

  readonly connect = (address: string): Channel<WorkerFrame, MasterFrame> => {
    const [worker, master] = channelPair<WorkerFrame, MasterFrame>(this.deliver);
    this.dialled.push(address);
    this.openTake = undefined;
    if (this.manners.unreachable) {
      master.close('nobody here');
      return worker;
    }
    this.channel = master;
    master.onFrame((frame) => {
      if (this.channel === master) this.hear(frame);
    });
    return worker;
  };

  get at(): string | undefined {
    return this.dialled.at(-1);
  }

  said<Type extends WorkerFrame['type']>(type: Type): FrameOf<Type>[] {
    return this.frames.filter((frame): frame is FrameOf<Type> => frame.type === type);
  }

  say(frame: MasterFrame): void {
    this.channel?.send(frame);
  }

  /** Gives attempts as soon as takes are open. */
  give(...assignments: Assignment[]): void {
    for (const assignment of assignments) this.queue.push(assignment);
    this.serve();
  }

  kill(...attempts: AttemptId[]): void {
    this.say({ type: 'kill', attempts });
  }

  /** Breaks the connection. */
  cut(): void {
    const { channel } = this;
    this.channel = undefined;
    this.openTake = undefined;
    channel?.close('cut');
  }

  reportOf(attempt: AttemptId): Report | undefined {
    return this.reports.find((report) => attemptText(report.attempt) === attemptText(attempt));
  }

  private hear(frame: WorkerFrame): void {
    this.frames.push(frame);
    if (frame.type === 'hello') this.onHello(frame);
    else if (frame.type === 'take') {
      this.openTake = frame;
      this.serve();
    } else if (frame.type === 'report') {
      for (const report of frame.reports) this.reports.push(report);
      const attempts = frame.reports.map(({ attempt }) => attempt);
      if (this.manners.acknowledges) this.say({ type: 'acknowledge', attempts });
      this.onReports();
    } else if (frame.type === 'beat') {
      if (this.manners.beats === 'commit') this.say({ type: 'beat-committed', beat: frame.beat });
      else if (this.manners.beats) this.say({ type: 'store-away' });
    } else if (frame.type === 'handle') {
      if (this.manners.keeps !== undefined)
        this.say({ type: 'handle-kept', attempt: frame.attempt, kept: this.manners.keeps });
    } else if (frame.type === 'leave') this.channel?.close('it has left');
  }

  private onHello({ resume }: FrameOf<'hello'>): void {
    if (this.manners.hello === 'store-away') {
      this.say({ type: 'store-away' });
      this.channel?.close('it could not join');
    }
    if (this.manners.hello !== 'welcome') return;
    if (resume?.epoch !== this.epoch) this.take = 0;
    const { epoch, lease, take, masters } = this;
    this.say({ type: 'welcome', epoch, lease, take, masters });
  }

  private serve(): void {
    const { openTake } = this;
    if (!openTake || openTake.room === 0 || this.queue.length === 0) return;
    this.openTake = undefined;
    this.take = openTake.number;
    const assignments = this.queue.splice(0, openTake.room).map((one) => ({ ...one, take: this.take }));
    this.say({ type: 'give', take: this.take, assignments });
  }
}

let runs = 0;

/** An assignment of a new run. */
export function assignment(changes: Partial<Assignment> = {}): Assignment {
  return {
    attempt: { run: ++runs, task: 0, shard: -1, number: 1 },
    take: 0,
    owner: 'm1',
    project: 'default',
    workflow: 'etl',
    taskName: 'load',
    type: 'noop',
    with: {},
    params: {},
    secrets: [],
    environment: {},
    shardCount: 0,
    shardParameter: '',
    onLostContact: 'kill',
    ...changes,
  };
}
