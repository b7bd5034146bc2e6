/**
 * The pings of a ZooKeeper session: one every sixth of the timeout, at most one in flight. After a third of
 * the timeout without an answer the connection is broken, so that another server is tried before the client's
 * deadline.
 */
import type { Clock, ClockTimer } from '@orrery/core/timing';
import type { Connection } from './connection.ts';
import { opcodes, xids } from './records.ts';

const PINGS_PER_TIMEOUT = 6;
const SILENCE = 1 / 3;

export class Pings {
  readonly #clock: Clock;
  #timer: ClockTimer | undefined;
  /** When the ping in flight was sent. */
  #sent: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Starts to ping on this connection; reads the session's timeout at each ping. */
  start(connection: Connection, session: { readonly timeout: number }): void {
    this.#sent = undefined;
    this.#later(connection, session);
  }

  stop(): void {
    this.#timer?.cancel();
  }

  /** A request sent at this time was answered. */
  answered(sent: number): void {
    if (this.#sent !== undefined && sent >= this.#sent) this.#sent = undefined;
  }

  #later(connection: Connection, session: { readonly timeout: number }): void {
    this.stop();
    const every = session.timeout / PINGS_PER_TIMEOUT;
    const due = this.#clock.monotonic() + every;
    this.#timer = this.#clock.setTimer(every, () => {
      if (this.#ping(connection, session.timeout, due)) this.#later(connection, session);
    });
  }

  /** Sends a ping unless one is in flight; false if it broke the connection. */
  #ping(connection: Connection, timeout: number, due: number): boolean {
    const now = this.#clock.monotonic();
    // A process that was suspended reads the answers already waiting first.
    const isLate = now - due > timeout / 12;
    if (this.#sent !== undefined && now - this.#sent > timeout * SILENCE && !isLate) {
      connection.destroy(`no answer for ${Math.round(now - this.#sent)} ms`);
      return false;
    }
    if (this.#sent === undefined) {
      this.#sent = now;
      const ping = connection.request(
        opcodes.ping,
        () => {},
        () => undefined,
        undefined,
        xids.ping,
      );
      ping.catch(() => undefined);
    }
    return true;
  }
}
