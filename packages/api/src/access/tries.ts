/**
 * Counts failed sign-ins by address: after too many in a row the address has to wait. Generated tokens are
 * too long to be guessed; the limit spares the store the load, and protects a server token that a person
 * chose.
 */
import type { Clock } from '@orrery/core/timing';
import { Refusal } from '../problem.ts';

/** Failures of one address that are let through in one window. */
const MOST_FAILURES = 20;

const WINDOW = 60_000;

/** Addresses remembered; beyond that the one that failed first is forgotten. */
const MOST_ADDRESSES = 10_000;

/** Counts failures and decides which addresses have to wait. */
export class Tries {
  private readonly clock: Clock;
  private readonly failures = new Map<string, { count: number; readonly until: number }>();

  private readonly what: string;

  /** `what` names the failures in the error for addresses that have to wait. */
  constructor(clock: Clock, what = 'wrong tokens') {
    this.clock = clock;
    this.what = what;
  }

  /** Refuses an address that has failed too often. */
  check(address: string): void {
    const known = this.failures.get(address);
    if (known === undefined || known.count < MOST_FAILURES) return;
    const left = known.until - this.clock.monotonic();
    if (left <= 0) this.failures.delete(address);
    else {
      const seconds = Math.ceil(left / 1_000);
      const detail = `too many ${this.what} came from this address; wait ${seconds} s`;
      throw new Refusal('too-many-tries', detail, undefined, seconds);
    }
  }

  /** Takes back a failure that was counted in advance. */
  forgive(address: string): void {
    const known = this.failures.get(address);
    if (known && known.count > 0) known.count--;
  }

  /** Notes a failure. */
  failed(address: string): void {
    const now = this.clock.monotonic();
    const known = this.failures.get(address);
    if (known !== undefined && known.until > now) {
      known.count++;
      return;
    }
    this.failures.delete(address);
    this.failures.set(address, { count: 1, until: now + WINDOW });
    if (this.failures.size <= MOST_ADDRESSES) return;
    const [oldest] = this.failures.keys();
    this.failures.delete(oldest);
  }
}
