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
  private registry: Promise<Registry>;
  private closed = false;

  private constructor(open: () => Promise<Registry>, ports: SeatPorts, registry: Registry) {
    this.open = open;
    this.ports = ports;
    this.registry = Promise.resolve(registry);
    this.follow(registry);
  }

  /** Opens a session; fails if the registry cannot be reached. */
  static async open(open: () => Promise<Registry>, ports: SeatPorts): Promise<NativeBoard> {
    return new NativeBoard(open, ports, await open());
  }

  async join(request: SeatRequest): Promise<JobSeat> {
    const seat = new NativeSeat(request, this.ports, () => this.seats.delete(seat));
    await seat.attach(await this.registry);
    this.seats.add(seat);
    return seat;
  }

  async close(): Promise<void> {
    this.closed = true;
    for (const seat of [...this.seats]) await seat.leave();
    await (await this.registry).close();
  }

  private follow(registry: Registry): void {
    registry.session.onState((state) => {
      if (state !== 'lost' || this.closed) return;
      const reason = registry.session.lostBecause ?? 'the registry session was lost';
      for (const seat of this.seats) seat.lost(reason);
      this.registry = this.reopen(0);
      void registry.close();
    });
  }

  private async reopen(failures: number): Promise<Registry> {
    const { clock, log } = this.ports;
    try {
      const registry = await this.open();
      this.follow(registry);
      for (const seat of [...this.seats]) await seat.attach(registry);
      return registry;
    } catch (error) {
      const delay = BACK_OFF[Math.min(failures, BACK_OFF.length - 1)];
      log('warn', `cannot open a registry session: ${(error as Error).message}; next try in ${delay} ms`);
      await new Promise<void>((resolve) => clock.setTimer(delay, resolve));
      if (this.closed) throw error;
      return this.reopen(failures + 1);
    }
  }
}
