/**
 * Elastic jobs on any registry. All jobs of a process share one session. When it is lost a new one is opened, with
 * back-off, and every job sits down again with a new instance id.
 */
import type { Registry } from '@orrery/registry';
import type { JobBoard, JobSeat, SeatRequest } from '../board/board.ts';
import { NativeSeat, type SeatPorts } from './seat.ts';

/** Waits between attempts to open a session, in milliseconds; the last one repeats. */
const BACK_OFF = [100, 300, 1_000, 3_000, 10_000];

export class NativeBoard implements JobBoard {
  private readonly open: () => Promise<Registry>;
  private readonly ports: SeatPorts;
  private readonly seats = new Set<NativeSeat>();
  /** The newest session. */
  private registry: Registry;
  /** The session that the next request uses: the newest, or the one that is being opened. */
  private next: Promise<Registry>;
  private closed = false;

  private constructor(open: () => Promise<Registry>, ports: SeatPorts, registry: Registry) {
    this.open = open;
    this.ports = ports;
    this.registry = registry;
    this.next = Promise.resolve(registry);
    this.follow(registry);
  }

  /** Opens a session; fails if the registry cannot be reached. */
  static async open(open: () => Promise<Registry>, ports: SeatPorts): Promise<NativeBoard> {
    return new NativeBoard(open, ports, await open());
  }

  /** The session that may be used now, for operators. */
  session(): Promise<Registry> {
    return this.next;
  }

  async join(request: SeatRequest): Promise<JobSeat> {
    const seat = new NativeSeat(request, this.ports, () => this.seats.delete(seat));
    await seat.attach(await this.next);
    this.seats.add(seat);
    return seat;
  }

  async close(): Promise<void> {
    this.closed = true;
    for (const seat of [...this.seats]) await seat.leave();
    await this.registry.close();
  }

  private follow(registry: Registry): void {
    registry.session.onState((state) => {
      if (state !== 'lost' || this.closed) return;
      const reason = registry.session.lostBecause ?? 'the registry session was lost';
      for (const seat of this.seats) seat.lost(reason);
      this.next = this.reopen(0);
      this.next.catch(() => {});
      void registry.close();
    });
  }

  private async reopen(failures: number): Promise<Registry> {
    try {
      const registry = await this.open();
      if (this.closed) await registry.close();
      this.registry = registry;
      this.follow(registry);
      for (const seat of this.seats) void this.seatAgain(seat, registry, 0);
      return registry;
    } catch (error) {
      await this.backOff(failures, `cannot open a registry session: ${(error as Error).message}`);
      if (this.closed) throw error;
      return this.reopen(failures + 1);
    }
  }

  /** Seats a job with a new session. Each on its own: one that cannot be read must not stop the others. */
  private async seatAgain(seat: NativeSeat, registry: Registry, failures: number): Promise<void> {
    try {
      await seat.attach(registry);
    } catch (error) {
      const { session } = registry;
      const isOver = () =>
        this.closed || this.registry !== registry || !this.seats.has(seat) || session.state === 'lost';
      if (isOver()) return;
      await this.backOff(failures, `cannot join again: ${(error as Error).message}`);
      if (!isOver()) await this.seatAgain(seat, registry, failures + 1);
    }
  }

  private async backOff(failures: number, text: string): Promise<void> {
    const delay = BACK_OFF[Math.min(failures, BACK_OFF.length - 1)];
    this.ports.log('warn', `${text}; next try in ${delay} ms`);
    await new Promise<void>((resolve) => this.ports.clock.setTimer(delay, resolve));
  }
}
