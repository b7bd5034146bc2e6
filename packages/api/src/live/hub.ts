/**
 * The only reader of the feed in this process: it turns each section into one frame for every listener.
 * Writes of this process wake it; writes of others are found at the next poll. Without listeners it does not
 * poll.
 *
 * quiet (no listeners) -> turning (reads, sends) -> resting until woken or due -> turning … -> quiet
 */
import { liveRules } from '@orrery/contract/live';
import type { Clock, ClockTimer } from '@orrery/core/timing';
import { type FeedPosition, type Store, StoreAway } from '@orrery/store';
import type { Identity } from '../access/identity.ts';
import { type Changes, readChanges, type Stretch } from './changes.ts';
import { send, topicsOf } from './delivery.ts';
import { type Frame, makeFrame } from './frame.ts';
import type { Listener } from './listener.ts';
import { seqText } from './seq.ts';

/** Between two looks when no write in this process wakes it. */
const LOOK_EVERY = 500;

const FRAME_GAP = 1_000 / liveRules.framesPerSecond;

/** A turn that took long is followed by a rest this many times as long: listeners never take all of a database. */
const REST = 3;

/** The ports of the hub. */
interface HubPorts {
  readonly store: Store;
  readonly clock: Clock;
  readonly onDefect: (error: unknown) => void;
  /** Whether an admitted listener may continue. */
  readonly isValid: (identity: Identity) => Promise<boolean>;
  /** Called with the age of the oldest change just sent, in milliseconds. */
  readonly onSent?: (lag: number) => void;
}

/** Reads the feed for everybody. */
export class Hub {
  private readonly ports: HubPorts;
  private readonly listeners = new Set<Listener>();
  private readonly joining = new Set<Listener>();
  /** Where the listeners stand; undefined while there are none. */
  private position: FeedPosition | undefined;
  private timer: ClockTimer | undefined;
  private turning: Promise<void> | undefined;
  /** When the next turn may begin. */
  private mayTurn = Number.NEGATIVE_INFINITY;
  private woken = false;
  private unwatch: (() => void) | undefined;
  private beatTimer: ClockTimer | undefined;

  constructor(ports: HubPorts) {
    this.ports = ports;
  }

  /** How many listen. */
  get size(): number {
    return this.listeners.size + this.joining.size;
  }

  /** Takes a listener in: it is greeted, given what it missed, and from then on what comes. */
  join(listener: Listener): void {
    this.joining.add(listener);
    this.unwatch ??= this.ports.store.onWrite(() => this.wake());
    this.beatTimer ??= this.ports.clock.setTimer(liveRules.beatEvery, () => this.beat());
    this.wake();
  }

  /** Lets a listener go. */
  leave(listener: Listener): void {
    this.joining.delete(listener);
    this.listeners.delete(listener);
    if (this.size === 0) this.rest();
  }

  /** Ends every connection. */
  async stop(): Promise<void> {
    for (const listener of [...this.listeners, ...this.joining]) listener.end();
    this.listeners.clear();
    this.joining.clear();
    this.rest();
    await this.turning;
  }

  /** The feed has changed, or a listener has joined. */
  private wake(): void {
    if (this.woken) return;
    this.woken = true;
    if (!this.turning) this.turnIn(0);
  }

  private rest(): void {
    this.position = undefined;
    this.unwatch?.();
    this.unwatch = undefined;
    this.timer?.cancel();
    this.timer = undefined;
    this.beatTimer?.cancel();
    this.beatTimer = undefined;
    this.woken = false;
  }

  /** Turns after a delay, or later if the last turn was a moment ago. */
  private turnIn(delay: number): void {
    const { clock } = this.ports;
    this.timer?.cancel();
    this.timer = clock.setTimer(Math.max(delay, this.mayTurn - clock.monotonic(), 0), () => {
      this.turning = this.turn().finally(() => {
        this.turning = undefined;
        if (this.size > 0) this.turnIn(this.woken ? 0 : LOOK_EVERY);
      });
    });
  }

  private async turn(): Promise<void> {
    const { clock } = this.ports;
    const begun = clock.monotonic();
    this.woken = false;
    try {
      await this.admit();
      await this.tell();
    } catch (error) {
      // Listeners stay where they stand: once the store answers again they are given what they missed.
      if (!(error instanceof StoreAway)) this.ports.onDefect(error);
    }
    if (this.listeners.size === 0) this.position = undefined;
    const ended = clock.monotonic();
    this.mayTurn = Math.max(begun + FRAME_GAP, ended + REST * (ended - begun));
  }

  /** Sends the news to the listeners. */
  private async tell(): Promise<void> {
    if (this.position === undefined) return;
    const { changes, position, resync, more, since } = await this.read(this.position, this.listeners);
    const frame = await this.frameOf(changes, this.listeners);
    this.position = position;
    this.woken ||= more;
    const seq = seqText(position);
    for (const listener of this.listeners) {
      if (resync || listener.needsResync) listener.resync(seq);
    }
    send(frame, seq, this.listeners);
    if (since !== undefined) this.ports.onSent?.(this.ports.clock.now() - since);
  }

  /**
   * Admits waiting listeners with the changes they missed. After an outage many have the same position, so it
   * is read once for all of them. They are admitted at or after the position of the others, so they miss no
   * event; a repeated event does no harm.
   */
  private async admit(): Promise<void> {
    for (const group of Map.groupBy(this.joining, ({ after }) => after && JSON.stringify(after)).values()) {
      try {
        await this.catchUp(group);
      } catch (error) {
        for (const listener of group) {
          this.joining.delete(listener);
          listener.end();
        }
        throw error;
      }
    }
  }

  private async catchUp(group: readonly Listener[]): Promise<void> {
    const [{ after }] = group;
    const stretch = await this.read(after, group);
    const lost = stretch.resync || stretch.more;
    const { position } = lost ? await this.ports.store.readFeed({ limit: 0 }) : stretch;
    const frame = await this.frameOf(stretch.changes, group);
    const seq = seqText(position);
    // Listeners that left meanwhile are no longer in `joining`.
    const present = group.filter((listener) => this.joining.delete(listener));
    for (const listener of present) {
      listener.greet(after === undefined || lost ? seq : seqText(after));
      if (lost) listener.resync(seq);
      this.listeners.add(listener);
    }
    if (!lost) send(frame, seq, present);
    this.position ??= position;
  }

  private read(from: FeedPosition | undefined, listeners: Iterable<Listener>): Promise<Stretch> {
    const topics = topicsOf(listeners);
    return readChanges(this.ports.store, from, (run) => topics.has(`run:${run}`));
  }

  private frameOf(changes: Changes, listeners: Iterable<Listener>): Promise<Frame> {
    return makeFrame(this.ports.store, changes, topicsOf(listeners));
  }

  private beat(): void {
    const { position } = this;
    if (position !== undefined) for (const listener of this.listeners) listener.beat(seqText(position));
    this.dismiss().catch(this.ports.onDefect);
    this.beatTimer = this.ports.clock.setTimer(liveRules.beatEvery, () => this.beat());
  }

  /** Closes the connections of listeners whose token has ended. */
  private async dismiss(): Promise<void> {
    for (const held of Map.groupBy(this.listeners, ({ identity }) => identity.token).values()) {
      // A store that is away has not refused the token.
      const valid = await this.ports.isValid(held[0].identity).catch(() => true);
      for (const listener of valid ? [] : held) {
        listener.end();
        this.leave(listener);
      }
    }
  }
}
