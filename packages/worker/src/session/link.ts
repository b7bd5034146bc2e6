/**
 * A worker's connection to one master at a time; when it breaks, to the same or the next.
 * States: down -> connecting -> open (welcomed by the master) -> down …, with growing pauses while no master
 * can be reached -> closed.
 */
import type { Clock, ClockTimer } from '@orrery/core/timing';
import type { Channel } from '@orrery/wire/channel';
import type { MasterFrame, WorkerFrame } from '@orrery/wire/frames';

const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 5_000;

/** What a link needs. */
export interface LinkPorts {
  readonly clock: Clock;
  readonly connect: (address: string) => Channel<WorkerFrame, MasterFrame>;
  /** Between 0 and 1: spreads workers that lost the same master. */
  readonly random: () => number;
  readonly onConnected: () => void;
  readonly onFrame: (frame: MasterFrame) => void;
  readonly onDown: (reason: string, address: string) => void;
}

/** One for each session. */
export class Link {
  private readonly ports: LinkPorts;
  /** Limit of the wait for a master's welcome. */
  private readonly patience: number;
  private readonly configured: readonly string[];
  private addresses: readonly string[];
  private at = 0;
  private failures = 0;
  private state: 'down' | 'connecting' | 'open' | 'closed' = 'down';
  private channel: Channel<WorkerFrame, MasterFrame> | undefined;
  private timer: ClockTimer | undefined;

  constructor(configured: readonly string[], patience: number, ports: LinkPorts) {
    this.configured = configured;
    this.addresses = configured;
    this.patience = patience;
    this.ports = ports;
  }

  /** The current master, or the next to connect to. */
  get address(): string {
    return this.addresses[this.at];
  }

  /** Whether the master has welcomed us. */
  get open(): boolean {
    return this.state === 'open';
  }

  /** Turns to the current master. */
  connect(): void {
    this.state = 'connecting';
    const channel = this.dial();
    if (!channel) return;
    this.channel = channel;
    this.timer?.cancel();
    this.timer = this.ports.clock.setTimer(this.patience, () => channel.close('no welcome in time'));
    channel.onFrame((frame) => {
      if (this.channel === channel) this.ports.onFrame(frame);
    });
    // The end that closes a channel gets this event too.
    channel.onClose((reason) => {
      if (this.channel === channel) this.lost(reason);
    });
    if (this.channel === channel) this.ports.onConnected();
  }

  /** The master has welcomed the worker and named all masters. */
  welcomed(masters: readonly string[]): void {
    this.state = 'open';
    this.failures = 0;
    this.timer?.cancel();
    this.learn(masters);
  }

  /** Replaces the known masters. The configured ones stay: if all others are gone, they lead to new ones. */
  learn(masters: readonly string[]): void {
    const { address } = this;
    this.addresses = [...new Set([...masters, address, ...this.configured])];
    this.at = this.addresses.indexOf(address);
  }

  /**
   * Sends a frame. Returns false to ask the caller to wait for `drained`. A frame sent while down is dropped.
   */
  send(frame: WorkerFrame): boolean {
    return this.channel?.send(frame) ?? true;
  }

  drained(): Promise<void> {
    return this.channel?.drained() ?? Promise.resolve();
  }

  /** Leaves this master for another: the next, or the one named. */
  moveOn(reason: string, to?: string): void {
    this.disconnect(reason);
    const named = to === undefined ? -1 : this.addresses.indexOf(to);
    this.at = named >= 0 ? named : this.next();
    this.connectLater(0);
  }

  /** Disconnects from this master and stays so until `reconnect`. */
  disconnect(reason: string): void {
    this.abandon(reason);
    if (this.state !== 'closed') this.state = 'down';
    this.ports.onDown(reason, this.address);
  }

  /** Connects to the current master after a pause that grows with each attempt without a welcome. */
  reconnect(): void {
    this.connectLater(this.pause());
  }

  close(reason: string): void {
    this.abandon(reason);
    this.state = 'closed';
  }

  private dial(): Channel<WorkerFrame, MasterFrame> | undefined {
    try {
      return this.ports.connect(this.address);
    } catch (error) {
      this.lost(String(error));
      return undefined;
    }
  }

  private lost(reason: string): void {
    // A master that had welcomed the worker may only have restarted; one that never did is left.
    const leave = this.state !== 'open';
    this.disconnect(reason);
    if (leave) this.at = this.next();
    this.reconnect();
  }

  private abandon(reason: string): void {
    const { channel } = this;
    this.channel = undefined;
    this.timer?.cancel();
    channel?.close(reason);
  }

  private connectLater(pause: number): void {
    if (this.state === 'closed') return;
    this.timer?.cancel();
    this.timer = this.ports.clock.setTimer(pause, () => this.connect());
  }

  private pause(): number {
    const longest = Math.min(FIRST_PAUSE * 2 ** this.failures++, LONGEST_PAUSE);
    return longest * (0.5 + this.ports.random() / 2);
  }

  private next(): number {
    return (this.at + 1) % this.addresses.length;
  }
}
