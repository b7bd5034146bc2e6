/**
 * A worker's life with its masters. Frames are its only input and output; time, connections, attempts and
 * disk are ports, so that a simulation can run it.
 * States: joining -> serving (it has an epoch, connected or not) -> leaving (it takes no more) -> ended;
 * serving -> fenced (the masters gave it up: all its attempts are killed) -> joining again, or ended.
 */
import { QuietLog } from '@orrery/core/quiet-log';
import type { Assignment, AttemptId, MasterFrame, Report, WorkerFrame } from '@orrery/wire/frames';
import { Handles } from './handles.ts';
import { Heartbeat } from './heartbeat.ts';
import { HeldAttempts } from './held-attempts.ts';
import { Lease } from './lease.ts';
import { Link } from './link.ts';
import { Outbox } from './outbox.ts';
import type { SessionConfig, SessionPorts, SessionStatus } from './ports.ts';
import { Spool } from './spool.ts';
import { Waits } from './waits.ts';

type FrameOf<Type extends MasterFrame['type']> = Extract<MasterFrame, { type: Type }>;

/** Above this many unacknowledged reports a worker takes no more work. */
const MOST_UNACKNOWLEDGED = 20_000;

/** How long a leaving worker waits for answers. */
const LAST_WORD = 5_000;

/** One life of a worker. */
export class Session {
  /** Settles with the reason when the worker has ended, by itself or because it was stopped. */
  readonly ended: Promise<string>;
  /** Settles when a master has welcomed it for the first time. */
  readonly joined: Promise<void>;
  private readonly config: SessionConfig;
  private readonly ports: SessionPorts;
  private readonly link: Link;
  private readonly lease: Lease;
  private readonly held: HeldAttempts;
  private readonly spool: Spool;
  private readonly outbox: Outbox;
  private readonly handles: Handles;
  private readonly heartbeat: Heartbeat;
  private readonly waits: Waits;
  private readonly unconnected: QuietLog;
  private readonly resolveEnded: (reason: string) => void;
  private readonly resolveJoined: () => void;
  private state: SessionStatus['state'] = 'joining';
  private epoch: number | undefined;
  private lastTake = 0;
  private masters: readonly string[];
  /** When each master answered that it gives out no work. */
  private readonly nothingFrom = new Map<string, number>();
  /** The problem last reported to the masters. */
  private unhealthy: string | undefined;

  constructor(config: SessionConfig, ports: SessionPorts) {
    this.config = config;
    this.ports = ports;
    this.masters = config.masters;
    const { clock, connect, executor, random } = ports;
    const { promise, resolve } = Promise.withResolvers<string>();
    this.ended = promise;
    this.resolveEnded = resolve;
    const welcomed = Promise.withResolvers<void>();
    this.joined = welcomed.promise;
    this.resolveJoined = welcomed.resolve;
    this.waits = new Waits(clock);
    this.spool = new Spool(ports.spool);
    this.unconnected = new QuietLog(ports.log, ports.clock);
    this.lease = new Lease(
      clock,
      (left) => executor.extend(left),
      () => this.onLeaseRunOut(),
    );
    this.held = new HeldAttempts({
      worker: config.name,
      slots: config.slots,
      clock,
      executor,
      leaseHolds: () => this.lease.holds(),
      onEnded: (epoch, report) => this.onEnded(epoch, report),
      keep: (epoch, attempt, handle) => this.handles.keep(epoch, attempt, handle),
    });
    this.link = new Link(config.masters, config.connectTimeout, {
      clock,
      connect,
      random,
      onConnected: () => this.onConnected(),
      onFrame: (frame) => this.onFrame(frame),
      onDown: (reason, address) => this.onDown(reason, address),
    });
    this.handles = new Handles((frame) => {
      if (this.link.open) this.link.send(frame);
    });
    this.outbox = new Outbox({
      link: this.link,
      spool: this.spool,
      clock,
      soon: ports.soon,
      room: () => this.room(),
      waiting: () => this.held.withoutSlot,
      isHeld: (attempt) => this.held.has(attempt),
    });
    this.heartbeat = new Heartbeat({
      clock,
      link: this.link,
      lease: this.lease,
      onBeat: () => {
        ports.health?.refresh();
        this.spool.sendAgain(clock.monotonic() - this.lease.length / 3);
        this.outbox.flushSoon();
      },
      say: (beat) => this.beatFrame(beat),
    });
    ports.health?.listen(() => this.onHealth());
  }

  /** Connects to the first master. */
  start(): void {
    this.link.connect();
  }

  status(): SessionStatus {
    const { state, epoch } = this;
    return {
      state,
      epoch,
      master: this.link.address,
      connected: this.link.open,
      leaseHolds: this.lease.holds(),
      held: this.held.ids(),
      unacknowledged: this.spool.size,
      unhealthy: this.unhealthy,
    };
  }

  /** Takes no more, lets attempts run for `grace` milliseconds, kills the rest, reports all and leaves. */
  async stop(grace: number): Promise<void> {
    if (this.state === 'ended') return;
    if (this.state !== 'fenced') this.state = 'leaving';
    await this.withdrawTake();
    this.held.stopWaits('worker-stopped');
    await this.waits.until(() => this.held.size === 0, grace);
    this.held.stopAll('worker-stopped');
    await this.waits.until(() => this.held.size === 0);
    await this.waits.until(() => this.spool.size === 0 || !this.link.open, LAST_WORD);
    await this.leave();
    this.end('stopped');
  }

  /**
   * Announces that it leaves, so that no master waits for its lease. The master answers by closing the
   * connection.
   */
  private async leave(): Promise<void> {
    const { epoch } = this;
    if (epoch === undefined || !this.link.open || this.spool.size > 0) return;
    this.link.send({ type: 'leave', epoch });
    await this.waits.until(() => !this.link.open, LAST_WORD);
  }

  /**
   * Frames arrive in order: attempts given before the master saw this arrive before its answer to the beat.
   */
  private async withdrawTake(): Promise<void> {
    if (!this.link.open) return;
    this.outbox.flush();
    this.heartbeat.send();
    await this.waits.until(() => !this.lease.unanswered || !this.link.open, LAST_WORD);
  }

  /** How many more attempts there is room for; 0 while the worker may take none. */
  private room(): number {
    if (this.state !== 'serving' || !this.lease.holds() || this.spool.size > MOST_UNACKNOWLEDGED) return 0;
    const room = Math.max(0, this.config.slots - (this.held.size - this.held.withoutSlot));
    return room > 0 && (this.ports.health?.mayTake() ?? true) ? room : 0;
  }

  private onConnected(): void {
    const { name: worker, address, groups, slots, taskTypes, cores, memory, key } = this.config;
    const { epoch, lastTake: take } = this;
    const resume = epoch === undefined ? undefined : { epoch, take };
    this.lease.helloSent();
    this.link.send({ type: 'hello', worker, address, groups, slots, resume, taskTypes, cores, memory, key });
  }

  private onFrame(frame: MasterFrame): void {
    // First after a freeze: nothing may start on a lease that has expired meanwhile.
    this.lease.holds();
    if (frame.type === 'welcome') this.onWelcome(frame);
    else if (frame.type === 'refused') this.onRefused(frame);
    else if (frame.type === 'give') this.onGive(frame);
    else if (frame.type === 'acknowledge') this.onAcknowledge(frame.attempts);
    else if (frame.type === 'beat-committed') this.onBeatCommitted(frame);
    else if (frame.type === 'masters') this.onMasters(frame.masters);
    else if (frame.type === 'store-away') this.onStoreAway();
    else if (frame.type === 'nothing') this.onNothing(frame);
    else if (frame.type === 'handle-kept') this.handles.answered(frame.attempt, frame.kept);
    else if (frame.type === 'end') this.onEnd(frame.assignment);
    else if (frame.type === 'kill') for (const attempt of frame.attempts) this.held.stop(attempt, 'killed');
    else this.ports.log('error', `unknown frame ${JSON.stringify((frame as { type?: unknown }).type)}`);
  }

  private onWelcome({ epoch, lease, take, masters, restores = 0 }: FrameOf<'welcome'>): void {
    if (this.link.open) {
      this.ports.log('error', `a second welcome, with epoch ${epoch}, is ignored`);
      return;
    }
    if (masters.length > 0) this.learn(masters);
    this.link.welcomed(masters);
    this.lease.length = lease;
    if (epoch !== this.epoch) {
      // The masters did not continue the old epoch: its attempts no longer belong to this worker.
      this.held.stopAll('lost-contact');
      this.epoch = epoch;
      this.lastTake = take;
      this.ports.onRestores?.(restores);
      this.lease.begin();
    }
    if (this.state === 'joining') this.state = 'serving';
    this.resolveJoined();
    this.unconnected.over();
    this.ports.log('info', `serving ${this.link.address} with epoch ${epoch}`, {
      master: this.link.address,
      epoch,
    });
    this.handles.opened(epoch);
    this.outbox.opened(epoch, this.lastTake);
    this.heartbeat.start();
  }

  /** Kills everything, then rejoins if that may help, or ends. */
  private onRefused({ reason, rejoin }: FrameOf<'refused'>): void {
    this.ports.log('error', `refused by ${this.link.address}: ${reason}`, { master: this.link.address });
    const stay = rejoin && this.state !== 'leaving';
    this.state = 'fenced';
    this.epoch = undefined;
    this.lease.drop();
    this.heartbeat.stop();
    this.link.disconnect(reason);
    this.held.stopAll('lost-contact');
    void this.waits
      .until(() => this.held.size === 0)
      .then(() => {
        if (!stay) this.end(`refused: ${reason}`);
        if (this.state !== 'fenced') return;
        this.state = 'joining';
        this.link.reconnect();
      });
  }

  private onGive({ take, assignments }: FrameOf<'give'>): void {
    const { epoch } = this;
    if (epoch === undefined || take <= this.lastTake) return;
    this.lastTake = take;
    this.outbox.given(take);
    for (const assignment of assignments) {
      const { attempt } = assignment;
      if (this.held.has(attempt) || this.spool.has(attempt)) continue;
      this.outbox.begun(attempt);
      this.held.add(assignment, epoch);
    }
    this.outbox.flushSoon();
  }

  /** Ends what an attempt of a lost worker left running elsewhere. If that fails, another worker is asked. */
  private onEnd(assignment: Assignment): void {
    const { epoch } = this;
    if (epoch === undefined || !this.lease.holds()) return;
    void this.ports.executor.end?.(assignment).then((over) => {
      if (over) void this.handles.keep(epoch, assignment.attempt, '');
    });
  }

  private onAcknowledge(attempts: readonly AttemptId[]): void {
    this.spool.acknowledged(attempts);
    this.waits.look();
    this.outbox.flushSoon();
  }

  private onBeatCommitted({ beat }: FrameOf<'beat-committed'>): void {
    this.lease.committed(beat);
    this.heartbeat.askNobody();
    this.waits.look();
    this.outbox.flushSoon();
  }

  private onMasters(masters: readonly string[]): void {
    this.learn(masters);
    this.link.learn(masters);
  }

  private learn(masters: readonly string[]): void {
    const listed = masters.toSorted().join(', ');
    if (listed !== this.masters.toSorted().join(', '))
      this.ports.log('info', `the masters are now ${listed}`);
    this.masters = masters;
  }

  private onStoreAway(): void {
    this.lease.storeAway(this.link.address, this.masters);
    this.waits.look();
    // A worker that has not joined has no lease to keep: it tries other masters at its own pace.
    if (this.epoch !== undefined) this.heartbeat.askOthers(this.masters);
  }

  /** Turns to a master that has not recently answered that it gives out no work; if there is none, stays. */
  private onNothing({ take, reason }: FrameOf<'nothing'>): void {
    const { masters, link, lease, ports } = this;
    if (take !== this.lastTake + 1) return;
    const now = ports.clock.monotonic();
    this.nothingFrom.set(link.address, now);
    const other = masters.find((each) => now - (this.nothingFrom.get(each) ?? -Infinity) > lease.length);
    if (other !== undefined) link.moveOn(`it gives out no work: ${reason}`, other);
  }

  /**
   * The beat lists the attempts it holds, including those whose report may be uncommitted; unlisted ones
   * count as lost.
   */
  private beatFrame(beat: number): WorkerFrame {
    const { epoch = 0, lastTake: take } = this;
    const held = [...this.held.ids(), ...this.spool.attemptsOf(epoch)];
    const load = { ...this.ports.executor.load(), running: this.held.size, idle: this.held.idle };
    return { type: 'beat', epoch, beat, take, held, load, unhealthy: this.unhealthy };
  }

  /** Masters learn at once that a worker became unhealthy or healthy, and why. */
  private onHealth(): void {
    const problem = this.ports.health?.problem;
    if (problem !== this.unhealthy) {
      this.unhealthy = problem;
      if (problem === undefined) this.ports.log('info', 'healthy again: takes work');
      else this.ports.log('error', `unhealthy, takes no work: ${problem}`);
      if (this.link.open) this.heartbeat.send();
    }
    this.outbox.flushSoon();
  }

  private onEnded(epoch: number, report: Report): void {
    const { state, error = 'unknown' } = report.outcome;
    if (state === 'withdrawn' && this.state !== 'leaving') this.ports.health?.failed(error);
    else if (state === 'success') this.ports.health?.succeeded();
    this.spool.add(epoch, report);
    this.outbox.flushSoon();
    this.waits.look();
  }

  private onDown(reason: string, address: string): void {
    const text = `no connection to master ${address}: ${reason}`;
    if (this.state === 'leaving') this.ports.log('info', text, { master: address });
    else this.unconnected.met(text, { master: address });
    this.heartbeat.rest();
    this.outbox.closed();
    this.waits.look();
  }

  private onLeaseRunOut(): void {
    this.ports.log('error', 'the lease has run out: no master has confirmed a beat in time');
    this.outbox.flushSoon();
    this.held.stopAll('lost-contact', ({ onLostContact }) => onLostContact === 'kill');
  }

  private end(reason: string): void {
    if (this.state === 'ended') return;
    this.state = 'ended';
    this.lease.drop();
    this.heartbeat.stop();
    this.ports.health?.stop();
    this.outbox.closed();
    this.spool.write();
    this.link.close(reason);
    this.ports.executor.close();
    this.resolveEnded(reason);
  }
}
