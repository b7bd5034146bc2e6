/**
 * A node's membership: joins with an epoch, beats, follows the store's orders (drain, undrain), pauses while
 * its
 * judge doubts it, fences nodes its judge declares dead, and leaves. It is the gate that every system asks.
 *
 * States and transitions: `life.ts`.
 */
import type { Log } from '@orrery/core/log';
import { type LoadLimits, type LoadReading, overload } from '@orrery/core/queue';
import { QuietLog } from '@orrery/core/quiet-log';
import { isFinal, move } from '@orrery/core/state';
import type { ClockTimer } from '@orrery/core/timing';
import { type BeatAnswer, type Peer, type Self, StaleEpoch, type Store } from '@orrery/store';
import { BeatJudge, type Judge } from './judge.ts';
import { type Deed, deeds, type Gate, type LifeEvent, type LifeState, lifeMachine } from './life.ts';
import type { StoreClock } from './store-clock.ts';
import { WorkerWatch } from './workers.ts';

/** Dependencies of a membership. */
export interface MembershipPorts {
  /** Measured by each beat. */
  readonly clock: StoreClock;
  readonly store: Store;
  readonly log: Log;
  /** Tells the master at an address that it was fenced. */
  readonly tellFenced?: (fenced: Self, address: string) => void;
  /** Measures the load of this machine and process; without it nothing counts as overload. */
  readonly measure?: () => LoadReading;
  /** Decides that nodes are dead. Default: the beat. */
  readonly judge?: Judge;
}

/** Configuration of a membership; all times in milliseconds. */
export interface MembershipConfig {
  /** Node name. When two processes use one name, the later one wins. */
  readonly id: string;
  readonly roles: readonly string[];
  readonly address: string;
  /** Settings in force, published for others. */
  readonly info: Readonly<Record<string, string>>;
  readonly beatEvery: number;
  readonly sessionTimeout: number;
  /** Lease of workers plus grace; without it this node judges no workers. */
  readonly workerLimit?: number;
  /** Joins again after losing its epoch: for a node that holds nothing. */
  readonly rejoins?: boolean;
  /** The registry in use, if one judges liveness. */
  readonly registry?: string;
  /** Load above which it starts nothing. */
  readonly loadLimits?: LoadLimits;
}

/** Callbacks of a membership. */
export interface Member {
  /** Called after each good beat. */
  beat?(answer: BeatAnswer): Promise<void> | void;
  /** Runs of a dead node are free, or inboxes report attempts of a lost worker. */
  freed?(): void;
  /** The adopted plan, reported by the next beat. */
  plan?(): { readonly number: number; readonly hash: string } | undefined;
  /** Called once when the membership is over: its epoch was taken from it, or it was ended. */
  over?(reason: string): void;
}

/** A period in which the node was paused. */
interface Outage {
  readonly from: number;
  readonly to: number;
  readonly reason: string;
}

/** Limit of remembered outages. */
const MOST_OUTAGES = 20;

export class Membership implements Gate {
  private readonly config: MembershipConfig;
  private readonly ports: MembershipPorts;
  private readonly judge: Judge;
  private readonly workers: WorkerWatch | undefined;
  private readonly away: QuietLog;
  private member: Member = {};
  private current: LifeState = 'joining';
  private epoch = 0;
  private timer: ClockTimer | undefined;
  /** Masters named by the last beat. */
  private masters: readonly string[] = [];
  private retiring = false;
  private overloaded: string | undefined;
  private pause: { readonly from: number; readonly reason: string } | undefined;
  /** The last pauses that have ended. */
  private readonly outages: Outage[] = [];
  /** Why the life is over. */
  endedBy: string | undefined;

  private constructor(config: MembershipConfig, ports: MembershipPorts) {
    this.config = config;
    this.ports = ports;
    this.away = new QuietLog(ports.log, ports.clock);
    this.judge = ports.judge ?? new BeatJudge(ports.clock, config.sessionTimeout);
    this.workers = config.workerLimit === undefined ? undefined : new WorkerWatch(ports, config.workerLimit);
  }

  /** Joins. Does nothing else yet: `begin` starts the beats. */
  static async join(config: MembershipConfig, ports: MembershipPorts): Promise<Membership> {
    const membership = new Membership(config, ports);
    await membership.join();
    return membership;
  }

  get self(): Self {
    return { node: this.config.id, epoch: this.epoch };
  }

  /** Current state; a node past its deadline counts as paused from that moment. */
  get state(): LifeState {
    const doubt = this.mayPause() ? this.judge.doubt() : undefined;
    if (doubt !== undefined) this.go('pause', doubt);
    return this.current;
  }

  refusal(deed: Deed): string | undefined {
    const { state } = this;
    if (!deeds[state].includes(deed))
      return `${this.config.id} is ${state}${this.pause ? `: ${this.pause.reason}` : ''}`;
    return deed === 'start' ? this.overloaded : undefined;
  }

  outage(from: number, to: number): string | undefined {
    const { pause, outages, config, ports } = this;
    const all = pause ? [...outages, { ...pause, to: ports.clock.now() }] : outages;
    const found = all.find((outage) => outage.from <= to && outage.to >= from);
    if (!found) return undefined;
    const [begin, end] = [found.from, found.to].map((time) => new Date(time).toISOString());
    return `${config.id} was paused from ${begin} to ${end}: ${found.reason}`;
  }

  /** Starts the beats, one at a time. Settles after the first. */
  async begin(member: Member): Promise<void> {
    this.member = member;
    await this.beat();
  }

  /** Restarts a worker's silence, because it was told that the store is away. */
  forgetWorker(worker: string): void {
    this.workers?.forget(worker);
  }

  /**
   * Takes nothing new from now on, because the node is about to leave; the store's drain orders no longer
   * matter.
   */
  retire(): void {
    this.retiring = true;
    if (this.state === 'acting') this.go('drain', 'it leaves');
  }

  /** Ends this life: the node does nothing afterwards. */
  end(reason: string): void {
    if (isFinal(lifeMachine, this.current)) return;
    this.go('end', reason);
    this.endedBy = reason;
    this.timer?.cancel();
    this.member.over?.(reason);
  }

  /** Leaves in good order, after `end`, and frees what it still owned. */
  async leave(): Promise<void> {
    const { store, clock } = this.ports;
    await store.leaveNode({ self: this.self, now: clock.now() });
  }

  private async join(): Promise<void> {
    const { store, clock } = this.ports;
    const { id, roles, address, info, registry } = this.config;
    const sentAt = clock.monotonic();
    const { epoch } = await store.joinNode({ id, roles, address, info, registry, now: clock.now() });
    if (isFinal(lifeMachine, this.current)) return;
    this.epoch = epoch;
    this.judge.confirmed(sentAt);
    this.go('joined');
  }

  private async beat(): Promise<void> {
    const { clock } = this.ports;
    try {
      if (this.current === 'joining') await this.join();
      else await this.signAndFollow();
      this.away.over('the store answers again');
    } catch (error) {
      this.workers?.forget();
      if (error instanceof StaleEpoch) this.lose(error.message);
      else {
        this.judge.forget();
        this.away.met(`the store does not answer: ${(error as Error).message}`);
      }
    }
    if (!isFinal(lifeMachine, this.current))
      this.timer = clock.setTimer(this.nextBeat(), () => void this.beat());
  }

  /**
   * Delay until the next beat, shortened to the moment a silent node can be fenced or a worker declared lost.
   */
  private nextBeat(): number {
    const { beatEvery } = this.config;
    if (!this.workers) return beatEvery;
    const verdicts = [this.judge.verdictIn(), this.workers.verdictIn()].map((time) => time ?? beatEvery);
    return Math.max(beatEvery / 10, Math.min(beatEvery, ...verdicts));
  }

  private async signAndFollow(): Promise<void> {
    const { store, clock } = this.ports;
    this.measure();
    const { state, self } = this;
    const sentAt = clock.moment();
    const report = { offset: clock.offset, fault: clock.doubt ?? null };
    const reason = this.pause?.reason ?? this.overloaded ?? null;
    const plan = this.member.plan?.();
    const answer = await store.beat({ self, state, reason, clock: report, plan, now: clock.now() });
    clock.learn(sentAt, clock.moment(), answer.storeTime);
    if (isFinal(lifeMachine, this.current)) return;
    this.judge.confirmed(sentAt.monotonic);
    this.follow(answer);
    const freed = this.workers ? await this.watch(answer, this.workers) : false;
    await this.member.beat?.(answer);
    // The beat's answer was already read: without this call the freed work would wait for the next beat.
    if (freed) this.member.freed?.();
  }

  /** Follows the store's orders for this node. */
  private follow(answer: BeatAnswer): void {
    const draining = answer.draining || this.retiring;
    if (this.state === 'paused' && this.judge.doubt() === undefined) this.go('resume');
    if (draining && this.current === 'acting') this.go('drain', 'asked to');
    if (!draining && this.current === 'draining') this.go('undrain');
  }

  /** Fences dead nodes and declares silent workers lost; returns whether that freed work. */
  private async watch({ peers, workers }: BeatAnswer, watched: WorkerWatch): Promise<boolean> {
    const { store, clock, log, tellFenced } = this.ports;
    const masters = peers.filter(isMaster).map(({ id }) => id);
    // A departed master may have told its workers until now to go on without the store.
    if (this.masters.some((id) => !masters.includes(id))) watched.restart();
    this.masters = masters;
    let freed = false;
    for (const { peer, reason } of this.judge.dead(peers)) {
      const { id, epoch, beat, address } = peer;
      const answer = await store.fence({ self: this.self, peer: { id, epoch, beat }, now: clock.now() });
      if (!answer.fenced) continue;
      freed = true;
      log('warn', `node ${id} epoch ${epoch} ${reason} and is fenced; ${answer.runs} runs are free`, {
        peer: id,
        epoch,
      });
      // The node may only be cut off from the store: then it must stop telling its workers to go on.
      tellFenced?.({ node: id, epoch }, address);
    }
    return (await watched.watch(workers, this.self)) || freed;
  }

  private measure(): void {
    const { measure, log } = this.ports;
    const { loadLimits, id } = this.config;
    if (!measure || !loadLimits) return;
    const { overloaded, reasons } = overload(measure(), loadLimits);
    const text = overloaded ? `${id} is overloaded: ${reasons.join(', ')}` : undefined;
    if (overloaded !== (this.overloaded !== undefined))
      log(overloaded ? 'warn' : 'info', text ?? `${id} is no longer overloaded`);
    this.overloaded = text;
  }

  /** The store says that this node's epoch is over. */
  private lose(reason: string): void {
    if (isFinal(lifeMachine, this.current)) return;
    if (this.config.rejoins) this.go('lost', reason);
    else this.end(reason);
  }

  private mayPause(): boolean {
    return lifeMachine.transitions[this.current].pause !== undefined;
  }

  /** Records when a pause begins and ends. */
  private note(event: LifeEvent, reason = ''): void {
    const now = this.ports.clock.now();
    if (this.pause) {
      this.outages.push({ ...this.pause, to: now });
      if (this.outages.length > MOST_OUTAGES) this.outages.shift();
    }
    this.pause = event === 'pause' ? { from: now, reason } : undefined;
  }

  private go(event: LifeEvent, reason?: string): void {
    const before = this.current;
    this.current = move(lifeMachine, before, event);
    this.note(event, reason);
    if (before === 'joining' && event === 'joined') return;
    const why = reason === undefined ? '' : `: ${reason}`;
    this.ports.log(event === 'pause' ? 'warn' : 'info', `node ${this.config.id} is ${this.current}${why}`, {
      state: this.current,
    });
  }
}

/** Whether the last beats show this node as an acting master. */
export function isActing({ roles, state }: Peer): boolean {
  return isMaster({ roles }) && state === 'acting';
}

function isMaster({ roles }: Pick<Peer, 'roles'>): boolean {
  return roles.split(',').includes('master');
}
