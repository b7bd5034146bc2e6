/**
 * Collects what a worker sends apart from hello and beats, once per turn: started attempts, reports, and the
 * take. Exactly one take is open while there is room. It is resent with the same number when the room has
 * grown a lot or is gone.
 * States: closed -> open <-> held up (the connection asked to wait) -> closed.
 */
import type { Clock } from '@orrery/core/timing';
import type { AttemptId, WorkerFrame } from '@orrery/wire/frames';
import type { Link } from './link.ts';
import type { Spool } from './spool.ts';

/** What it works with. */
export interface OutboxPorts {
  readonly link: Link;
  readonly spool: Spool;
  readonly clock: Clock;
  /** Runs something at the end of this turn. */
  readonly soon: (run: () => void) => void;
  /** How many more attempts there is room for; 0 if none may be taken. */
  readonly room: () => number;
  /** How many held attempts take no slot. */
  readonly waiting: () => number;
  readonly isHeld: (attempt: AttemptId) => boolean;
}

/** One for each session. */
export class Outbox {
  private readonly ports: OutboxPorts;
  private epoch: number | undefined;
  private lastTake = 0;
  /** The room in the open take; undefined when none is open. */
  private asked: number | undefined;
  private heldUp = false;
  private scheduled = false;
  private news: AttemptId[] = [];

  constructor(ports: OutboxPorts) {
    this.ports = ports;
  }

  /** A connection is open; takes continue after `lastTake`. */
  opened(epoch: number, lastTake: number): void {
    this.epoch = epoch;
    this.lastTake = lastTake;
    this.asked = undefined;
    this.heldUp = false;
    this.ports.spool.sendAgain();
    this.flushSoon();
  }

  /** The connection is gone, and with it the open take. */
  closed(): void {
    this.epoch = undefined;
    this.news = [];
  }

  /** A take was answered. */
  given(take: number): void {
    this.lastTake = take;
    this.asked = undefined;
  }

  /** An attempt has started. Those that end in the same turn are not announced. */
  begun(attempt: AttemptId): void {
    this.news.push(attempt);
  }

  /** Sends everything at the end of this turn. */
  flushSoon(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    this.ports.soon(() => {
      this.scheduled = false;
      this.flush();
    });
  }

  /** Sends everything now. */
  flush(): void {
    const { spool, clock } = this.ports;
    spool.write();
    if (this.epoch === undefined) return;
    const attempts = this.news.filter(this.ports.isHeld);
    this.news = [];
    if (attempts.length > 0) this.send({ type: 'begun', epoch: this.epoch, attempts });
    while (!this.heldUp) {
      const next = spool.next(clock.monotonic());
      if (!next) break;
      if (next.reports.length > 0) this.send({ type: 'report', ...next });
    }
    if (!this.heldUp) this.take(this.epoch);
  }

  private take(epoch: number): void {
    const { asked } = this;
    const room = this.ports.room();
    if (asked === undefined ? room === 0 : room > 0 ? room < 2 * asked : asked === 0) return;
    this.asked = room;
    const waiting = this.ports.waiting() || undefined;
    this.send({ type: 'take', epoch, number: this.lastTake + 1, room, waiting });
  }

  private send(frame: WorkerFrame): void {
    const { link } = this.ports;
    if (link.send(frame)) return;
    this.heldUp = true;
    void link.drained().then(() => {
      this.heldUp = false;
      this.flushSoon();
    });
  }
}
