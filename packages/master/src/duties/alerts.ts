/**
 * Delivers alerts to people: routes raised alerts to the groups of rules, notifies groups that are due, and
 * sends deliveries. Runs when a beat reports waiting work. Each step is one operation of the store, so
 * several masters may run it at the same time.
 */
import type { LeasedDelivery, TryResult } from '@orrery/store';
import type { Context } from '../ports.ts';
import { SingleFlight } from '../single-flight.ts';

/** Limit of alerts and groups in one operation, and of deliveries in flight. */
const PAGE = 500;
const GROUPS = 100;
const MOST_SENDING = 20;
/**
 * Limit of deliveries in flight to one channel: a channel that does not answer must not hold up the others.
 */
const MOST_TO_CHANNEL = 5;
/** Lease of a delivery to the master that sends it: longer than any try takes. */
const LEASE = 60_000;

/** How long a stop waits for the answers of messages in flight: a message without one is sent twice. */
const PATIENCE = 5_000;

/** Interval between checks of queues and disks while attempts wait or a condition is open, and otherwise. */
const CHECK_EVERY = 15_000;
const IDLE_CHECK = 3_600_000;

export class Alerts {
  private readonly context: Context;
  private readonly looks: SingleFlight;
  private readonly checks: SingleFlight;
  private readonly sends: SingleFlight;
  /** Deliveries in flight, by channel. */
  private readonly sending = new Map<string, number>();
  private readonly inFlight = new Set<Promise<void>>();
  private hasMore = false;
  private open = 0;
  private checkedAt: number;

  constructor(context: Context) {
    this.context = context;
    this.looks = new SingleFlight(context, 'alerts', 'sweep', () => this.pass());
    this.checks = new SingleFlight(context, 'conditions for alerts', 'sweep', () => this.check());
    this.sends = new SingleFlight(context, 'deliveries', 'sweep', () => this.sendDue());
    this.checkedAt = context.clock.monotonic();
  }

  /** Whether to check queues and disks again; `waits` means that the queue has attempts. */
  isCheckDue(waits: boolean): boolean {
    const past = this.context.clock.monotonic() - this.checkedAt;
    return past >= (waits || this.open > 0 ? CHECK_EVERY : IDLE_CHECK);
  }

  /** Checks queues and disks. */
  lookAtCluster(): void {
    this.checkedAt = this.context.clock.monotonic();
    this.checks.ask();
  }

  look(): void {
    this.looks.ask();
  }

  async stop(): Promise<void> {
    await Promise.all([this.looks.stop(), this.checks.stop(), this.sends.stop()]);
    let timer: { cancel(): void } | undefined;
    const late = new Promise<void>((resolve) => {
      timer = this.context.clock.setTimer(PATIENCE, resolve);
    });
    await Promise.race([Promise.all(this.inFlight), late]);
    timer?.cancel();
  }

  private async pass(): Promise<boolean> {
    const { store, self, clock } = this.context;
    const { more } = await store.routeAlerts({ self, limit: PAGE, now: clock.now() });
    const { passed } = await store.passAlertGroups({ self, limit: GROUPS, now: clock.now() });
    this.sends.ask();
    return more || passed === GROUPS;
  }

  private async check(): Promise<boolean> {
    const { store, self, clock } = this.context;
    this.open = await store.checkConditions({ self, now: clock.now() });
    return false;
  }

  /** Leases due deliveries and starts to send them. Runs again whenever one ends. */
  private async sendDue(): Promise<boolean> {
    const { store, self, clock, sendDelivery } = this.context;
    const limit = MOST_SENDING - this.underWay();
    if (!sendDelivery || limit <= 0) return false;
    const now = clock.now();
    const leased = await store.leaseDeliveries({
      self,
      limit,
      perChannel: MOST_TO_CHANNEL,
      sending: Object.fromEntries(this.sending),
      until: now + LEASE,
      now,
    });
    this.hasMore = leased.length > 0;
    for (const delivery of leased) {
      const sent = this.send(delivery).finally(() => this.inFlight.delete(sent));
      this.inFlight.add(sent);
    }
    return false;
  }

  private underWay(): number {
    return [...this.sending.values()].reduce((sum, count) => sum + count, 0);
  }

  /**
   * Sends one delivery and records its result. Without a record the lease expires and the delivery is sent
   * again.
   */
  private async send(delivery: LeasedDelivery): Promise<void> {
    const { store, self, clock, sendDelivery, report } = this.context;
    const { channel } = delivery;
    this.sending.set(channel, (this.sending.get(channel) ?? 0) + 1);
    try {
      const result: TryResult | undefined = await sendDelivery?.(delivery);
      if (result) await store.recordTries({ self, results: [result], now: clock.now() });
    } catch (error) {
      report(`delivery ${delivery.id}`, error, { delivery: delivery.id });
    } finally {
      const left = (this.sending.get(channel) ?? 1) - 1;
      if (left > 0) this.sending.set(channel, left);
      else this.sending.delete(channel);
      if (this.hasMore) this.sends.ask();
      // A message that could not be delivered is an alert too.
      if (this.sending.size === 0) this.look();
    }
  }
}
