/**
 * The beats of a worker: one as soon as a master welcomes it, then three per lease. A worker that gets no
 * answer to its last beat turns to the next master. While the store is away it asks all masters in turn,
 * since only together can they extend the lease.
 * States: resting (no connection) -> beating -> resting.
 */
import type { Clock, ClockTimer } from '@orrery/core/timing';
import type { WorkerFrame } from '@orrery/wire/frames';
import type { Lease } from './lease.ts';
import type { Link } from './link.ts';

/** What it works with. */
export interface HeartbeatPorts {
  readonly clock: Clock;
  readonly link: Link;
  readonly lease: Lease;
  /** Builds the frame of a beat. */
  readonly say: (beat: number) => WorkerFrame;
  /** Called with every regular beat. */
  readonly onBeat: () => void;
}

/** One for each session. */
export class Heartbeat {
  private readonly ports: HeartbeatPorts;
  private beats = 0;
  private timer: ClockTimer | undefined;
  private asking: ClockTimer | undefined;

  constructor(ports: HeartbeatPorts) {
    this.ports = ports;
  }

  /** A connection is open. */
  start(): void {
    this.askNobody();
    this.beat();
  }

  /** The connection is gone. The other masters are still asked if the store is away. */
  rest(): void {
    this.timer?.cancel();
  }

  /** Stops for good, or until the next start. */
  stop(): void {
    this.timer?.cancel();
    this.askNobody();
  }

  /** Sends a beat now. */
  send(): void {
    const beat = ++this.beats;
    this.ports.lease.beatSent(beat);
    this.ports.link.send(this.ports.say(beat));
  }

  /** The current master reports the store away: soon turns to the master not asked for the longest time. */
  askOthers(masters: readonly string[]): void {
    const { clock, link, lease } = this.ports;
    this.askNobody();
    if (masters.every((each) => each === link.address)) return;
    this.asking = clock.setTimer(lease.length / (3 * (masters.length + 1)), () => {
      link.moveOn('the store is away', lease.longestUnasked(masters));
    });
  }

  /** Stops asking other masters. */
  askNobody(): void {
    this.asking?.cancel();
  }

  private beat(): void {
    const { clock, link, lease, onBeat } = this.ports;
    if (lease.unanswered) {
      link.moveOn('no answer to a beat');
      return;
    }
    this.send();
    onBeat();
    this.timer = clock.setTimer(lease.length / 3, () => this.beat());
  }
}
