/**
 * A board of any registry. All jobs of a process share one session. When it is lost a new one is opened, with back-off,
 * and every job sits down again with a new instance id.
 */
import type { JobBoard, JobSeat, SeatRequest } from './board.ts';
import type { Connection, SeatPorts } from './seat.ts';

/** Waits between attempts to open a session, in milliseconds; the last one repeats. */
const BACK_OFF = [100, 300, 1_000, 3_000, 10_000];

/** A seat that can be given another session. */
interface SessionSeat<C> extends JobSeat {
  attach(connection: C): Promise<void>;
  lost(reason: string): void;
}

/** How a board opens sessions and makes seats. */
export interface SessionBoardOptions<C extends Connection> {
  readonly open: () => Promise<C>;
  readonly newSeat: (request: SeatRequest, onLeave: () => void) => SessionSeat<C>;
}

export class SessionBoard<C extends Connection> implements JobBoard {
  private readonly options: SessionBoardOptions<C>;
  private readonly ports: Pick<SeatPorts, 'clock' | 'log'>;
  private readonly seats = new Set<SessionSeat<C>>();
  /** The newest session. */
  private current: C;
  /** The session that the next request uses: the newest, or the one that is being opened. */
  private next: Promise<C>;
  private closed = false;

  private constructor(
    options: SessionBoardOptions<C>,
    ports: Pick<SeatPorts, 'clock' | 'log'>,
    connection: C,
  ) {
    this.options = options;
    this.ports = ports;
    this.current = connection;
    this.next = Promise.resolve(connection);
    this.follow(connection);
  }

  /** Opens a session; fails if the registry cannot be reached. */
  static async open<C extends Connection>(
    options: SessionBoardOptions<C>,
    ports: Pick<SeatPorts, 'clock' | 'log'>,
  ): Promise<SessionBoard<C>> {
    return new SessionBoard(options, ports, await options.open());
  }

  /** The session that may be used now, for operators. */
  connection(): Promise<C> {
    return this.next;
  }

  async join(request: SeatRequest): Promise<JobSeat> {
    const seat: SessionSeat<C> = this.options.newSeat(request, () => this.seats.delete(seat));
    await seat.attach(await this.next);
    this.seats.add(seat);
    return seat;
  }

  async close(): Promise<void> {
    this.closed = true;
    for (const seat of [...this.seats]) await seat.leave();
    await this.current.close();
  }

  private follow(connection: C): void {
    const { session } = connection;
    const check = () => {
      if (session.state === 'lost') this.lost(connection);
    };
    session.onState(check);
    check();
  }

  private lost(connection: C): void {
    if (this.closed || this.current !== connection) return;
    const reason = connection.session.lostBecause ?? 'the registry session was lost';
    for (const seat of this.seats) seat.lost(reason);
    this.next = this.reopen(0);
    // Handled here because no caller may be waiting; the log reports the attempt.
    this.next.catch(() => {});
    void connection.close();
  }

  private async reopen(failures: number): Promise<C> {
    try {
      const connection = await this.options.open();
      if (this.closed) await connection.close();
      this.current = connection;
      for (const seat of this.seats) void this.seatAgain(seat, connection, 0);
      this.follow(connection);
      return connection;
    } catch (error) {
      await this.backOff(failures, `cannot open a registry session: ${(error as Error).message}`);
      if (this.closed) throw error;
      return this.reopen(failures + 1);
    }
  }

  /** Seats a job with a new session. Each job separately: an unreadable one must not stop the others. */
  private async seatAgain(seat: SessionSeat<C>, connection: C, failures: number): Promise<void> {
    try {
      await seat.attach(connection);
    } catch (error) {
      const isOver = () =>
        this.closed ||
        this.current !== connection ||
        !this.seats.has(seat) ||
        connection.session.state === 'lost';
      if (isOver()) return;
      await this.backOff(failures, `cannot join again: ${(error as Error).message}`);
      if (!isOver()) await this.seatAgain(seat, connection, failures + 1);
    }
  }

  private async backOff(failures: number, text: string): Promise<void> {
    const delay = BACK_OFF[Math.min(failures, BACK_OFF.length - 1)];
    this.ports.log('warn', `${text}; next try in ${delay} ms`);
    await new Promise<void>((resolve) => this.ports.clock.setTimer(delay, resolve));
  }
}
