/**
 * The part of a seat that is the same on every registry.
 *
 *   seated --(our deadline passes)--> away --(the session is good again)--> seated
 *   seated | away --(the session is lost)--> away, until `attach` seats it again with a new instance id
 */
import type { Log } from '@orrery/core/log';
import type { Job } from '@orrery/core/model';
import type { Clock, ClockTimer } from '@orrery/core/timing';
import type { Session, SessionState } from '@orrery/registry';
import { SingleFlight } from '../run/single-flight.ts';
import type { SeatRequest } from './board.ts';

/** What a seat needs from its host. */
export interface SeatPorts {
  readonly clock: Clock;
  /** The name operators disable: a host name or an address. */
  readonly server: string;
  /** An instance id that is never used again. */
  readonly newInstance: () => string;
  readonly log: Log;
}

/** A connection to a registry with its session. */
export interface Connection {
  readonly session: Session;
  close(): Promise<void>;
}

/** What belongs to one session of a seat. */
export interface SeatSession<C extends Connection> {
  readonly connection: C;
  readonly instance: string;
}

/** How long the leader waits for further changes before it divides the shards of an idle job again. */
export const SETTLE = 1_000;
/** Wait before something that a lost connection stopped is tried again. */
const RETRY = 300;

export abstract class Seat<C extends Connection, S extends SeatSession<C>> {
  protected readonly request: SeatRequest;
  protected readonly ports: SeatPorts;
  protected session: S | undefined;
  protected isAway = true;
  protected left = false;
  /** Shards this instance runs, with their tokens. */
  protected readonly held = new Map<number, number>();
  protected readonly duties = new SingleFlight(() => this.lead());
  private readonly onLeave: () => void;
  private readonly waiters = new Set<() => void>();
  private settling: ClockTimer | undefined;
  private reconciling: ClockTimer | undefined;
  /** Why it could not come back at the last try. */
  private trouble = '';

  constructor(request: SeatRequest, ports: SeatPorts, onLeave: () => void) {
    this.request = request;
    this.ports = ports;
    this.onLeave = onLeave;
  }

  abstract get job(): Job;
  abstract get isLeader(): boolean;
  /** Sits down with a session. All or nothing. */
  abstract attach(connection: C): Promise<void>;
  /** Reads what may have changed during the disconnection. */
  protected abstract refresh(session: S): Promise<void>;
  /** Stores what ended during the disconnection. */
  protected abstract catchUp(session: S): Promise<void>;
  /** Resyncs with all entries, regardless of events. */
  protected abstract reconcile(session: S): Promise<void>;
  /** After a change: does what it asks for. */
  protected abstract react(): void;
  /** The leader's duties. */
  protected abstract oversee(session: S): Promise<void>;
  /** Whether the shards are to be divided again. */
  protected abstract isMarked(session: S): boolean;
  /** Divides the shards, if nothing runs; whether it did. */
  protected abstract divide(session: S): Promise<boolean>;
  /** Deletes this instance's entries, however long the registry does not answer. */
  protected abstract clear(session: S): Promise<void>;
  /** Whether an error is trouble with the connection, which passes. */
  protected abstract isPassing(error: unknown): boolean;
  /** Whether the registry did not answer, so that a step may be tried again in the same session. */
  protected abstract isUnanswered(error: unknown): boolean;

  get instance(): string {
    return this.seated.instance;
  }

  get isOutdated(): boolean {
    const session = this.active();
    return session !== undefined && this.isMarked(session);
  }

  /** The registry session is over; `attach` follows with the next one. */
  lost(reason: string): void {
    this.goAway(reason);
  }

  async leave(): Promise<void> {
    if (this.left) return;
    this.left = true;
    this.settling?.cancel();
    this.reconciling?.cancel();
    this.onLeave();
    const { session } = this;
    if (!session || session.connection.session.state === 'lost') return;
    const cleared = this.clear(session);
    this.quietly(cleared);
    // Does not wait for an unreachable registry: the entries are removed when it is back, or with the
    // session.
    await Promise.race([cleared.catch(() => {}), notConnected(session.connection.session)]);
  }

  protected get seated(): S {
    if (!this.session) throw new Error('not seated');
    return this.session;
  }

  /** The session, if it may act now: asked in the first turn after a freeze as well. */
  protected present(): S {
    const { seated } = this;
    const { state } = seated.connection.session;
    if (this.isAway || state !== 'connected') throw new Error(`the registry session is ${state}`);
    return seated;
  }

  /** The session, unless this seat is away or was left. */
  protected active(): S | undefined {
    return this.isAway || this.left ? undefined : this.session;
  }

  /** The end of `attach`: from here on the seat acts. */
  protected sitDown(session: S, again: boolean): void {
    const { connection } = session;
    // A timer of the last session would keep this one from dividing.
    this.settling?.cancel();
    this.settling = undefined;
    this.isAway = false;
    connection.session.onState((state) => this.stateChanged(connection, state));
    if (again) this.request.onEvent({ type: 'back', lost: true });
    if (connection.session.state !== 'connected') this.stateChanged(connection, connection.session.state);
    this.react();
    this.reconcileLater();
  }

  /** Looks at everything again from time to time. */
  protected reconcileLater(): void {
    this.reconciling?.cancel();
    const { reconcileInterval } = this.job;
    if (reconcileInterval === 0 || this.left) return;
    this.reconciling = this.ports.clock.setTimer(reconcileInterval, () => {
      const session = this.active();
      if (session) this.quietly(this.reconcile(session));
      this.reconcileLater();
    });
  }

  /** Does a step, however long the registry does not answer; a session that ends takes its own entries along. */
  protected async insist(step: () => Promise<unknown>): Promise<void> {
    for (;;) {
      try {
        await step();
        return;
      } catch (error) {
        if (!this.isPassing(error)) throw error;
        if (!this.isUnanswered(error)) return;
        await new Promise<void>((resolve) => this.ports.clock.setTimer(RETRY, resolve));
      }
    }
  }

  /** Runs a step a little later if this seat is still active. */
  protected retryLater(step: (session: S) => Promise<unknown>): void {
    this.ports.clock.setTimer(RETRY, () => {
      const session = this.active();
      if (session) this.quietly(step(session));
    });
  }

  /** Work that no caller awaits: a resync repairs whatever a broken connection leaves undone. */
  protected quietly(work: Promise<unknown>): void {
    work.catch((error) => {
      if (this.isPassing(error)) return;
      this.ports.log('error', `job ${this.request.job.name}: ${(error as Error).message}`);
    });
  }

  protected wake(): void {
    for (const waiter of [...this.waiters]) waiter();
  }

  /** Resolves at the next change, or when the signal is aborted. */
  protected nextChange(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.waiters.delete(done);
        signal.removeEventListener('abort', done);
        resolve();
      };
      this.waiters.add(done);
      signal.addEventListener('abort', done, { once: true });
    });
  }

  /** The leader's duties; an idle job is divided again once its members have settled. */
  private async lead(): Promise<void> {
    const session = this.active();
    if (!session || !this.isLeader) return;
    await this.oversee(session);
    if (this.active() !== session || !this.isMarked(session) || this.settling) return;
    this.settling = this.ports.clock.setTimer(SETTLE, () => {
      this.settling = undefined;
      if (this.active() === session && this.isLeader && this.isMarked(session))
        this.quietly(this.divide(session));
    });
  }

  private stateChanged(connection: C, state: SessionState): void {
    if (this.session?.connection !== connection || this.left) return;
    if (state !== 'connected') this.goAway(`the registry session is ${state}`);
    else if (this.isAway) void this.comeBack(this.session);
  }

  private goAway(reason: string): void {
    if (this.isAway || this.left) return;
    this.isAway = true;
    this.request.onEvent({ type: 'away', reason });
    this.wake();
  }

  /**
   * The same session is good again: nothing is registered again, so that other instances do not take this for
   * a crash.
   */
  private async comeBack(session: S): Promise<void> {
    const isOver = () =>
      this.session !== session ||
      this.left ||
      !this.isAway ||
      session.connection.session.state !== 'connected';
    if (isOver()) return;
    try {
      await this.refresh(session);
    } catch (error) {
      const { message } = error as Error;
      if (message !== this.trouble)
        this.ports.log('warn', `job ${this.request.job.name}: ${message}; tried again until it works`);
      this.trouble = message;
      this.ports.clock.setTimer(RETRY, () => void this.comeBack(session));
      return;
    }
    if (isOver()) return;
    this.isAway = false;
    this.trouble = '';
    this.request.onEvent({ type: 'back', lost: false });
    this.quietly(this.catchUp(session));
    this.react();
  }
}

/** Resolves once the session may not act. */
function notConnected(session: Session): Promise<void> {
  if (session.state !== 'connected') return Promise.resolve();
  return new Promise((resolve) => {
    const stop = session.onState((state) => {
      if (state === 'connected') return;
      stop();
      resolve();
    });
  });
}
