/**
 * Ownership by claims: this master claims free schedules from the store up to its limit and sheds those above
 * it.
 * The store is the source of truth; the set here is a copy.
 *
 * unread -> (holdings read) -> holding; holding -> unread when a claim or shed fails, since it may have
 * committed,
 * or when the store's count differs; holding -> empty when the master drains.
 */
import { claimWarnings, type OwnershipSettings, rendezvous } from '@orrery/core/balance';
import { QuietLog } from '@orrery/core/quiet-log';
import { type BeatAnswer, type ClaimAnswer, StaleEpoch } from '@orrery/store';
import type { FiringOrder } from '../firing-order.ts';
import { isActing } from '../membership.ts';
import type { Ownership, OwnershipChange, OwnershipPorts } from '../ownership.ts';
import { claimOrder } from './claim-order.ts';

/** Schedules claimed or shed in one transaction, and read in one query. */
const PAGE = 2_000;
/**
 * When more schedules than this move at once, the ticks read everything due soon instead of each schedule.
 */
const MOST_MOVED = 2_000;
/** Beats that a schedule stays free before masters at or above their even share may claim it too. */
const PATIENCE = 2;

export class ClaimOwnership implements Ownership {
  private readonly ports: OwnershipPorts;
  private readonly trouble: QuietLog;
  private listener: (change: OwnershipChange) => void = () => {};
  private settings: OwnershipSettings;
  private readonly held = new Set<number>();
  private isRead = false;
  private acting: readonly string[] = [];
  /** The inputs of the limit at the last beat; a change triggers a new look. */
  private seen = '';
  private sweepAt = 0;
  /** Consecutive beats at which schedules were free and this master claimed none. */
  private waited = 0;
  private refused = false;
  private work: Promise<void> | undefined;
  private warnings = '';
  private isStopped = false;
  order: FiringOrder;

  constructor(ports: OwnershipPorts, settings: OwnershipSettings) {
    this.ports = ports;
    this.settings = settings;
    this.trouble = new QuietLog(ports.log, ports.clock);
    this.order = claimOrder(ports.self.node, [], this.held);
  }

  listen(listener: (change: OwnershipChange) => void): void {
    this.listener = listener;
  }

  /** Applies other settings of the same mode. */
  configure(settings: OwnershipSettings): void {
    this.settings = settings;
    this.seen = '';
  }

  beat(answer: Pick<BeatAnswer, 'peers' | 'draining' | 'scheduleRevision' | 'free'>): void {
    const { ports } = this;
    this.learnMasters(answer.peers.filter(isActing).map(({ id }) => id));
    // The transaction that drains this master frees its schedules.
    if (answer.draining) this.forget();
    if (this.isStopped || this.work || ports.gate.refusal('fire') !== undefined) return;
    const seen = `${answer.scheduleRevision} ${answer.peers.map(({ id, state }) => `${id}.${state}`).sort()}`;
    const isSweep = ports.clock.monotonic() >= this.sweepAt;
    const isNews = seen !== this.seen || isSweep || !this.isRead;
    if (isNews) this.refused = false;
    this.waited = answer.free && !isNews ? this.waited + 1 : 0;
    if (!isNews && (!answer.free || this.refused)) return;
    this.seen = seen;
    this.work = this.act(isSweep).finally(() => {
      this.work = undefined;
    });
  }

  /** The transaction in which the master leaves frees its schedules. */
  async stop(): Promise<void> {
    this.isStopped = true;
    await this.work;
  }

  private async act(isSweep: boolean): Promise<void> {
    const { clock } = this.ports;
    try {
      if (!this.isRead || isSweep) await this.read();
      if (isSweep) {
        await this.sweep();
        this.sweepAt = clock.monotonic() + this.settings.sweepEvery;
      }
      const last = await this.claim();
      if (last && last.held > last.limit && last.free === 0) await this.shed();
      this.trouble.over('schedules are claimed again');
    } catch (error) {
      // The transaction may have committed.
      this.isRead = false;
      if (error instanceof StaleEpoch) return;
      this.trouble.met(`schedules could not be claimed: ${(error as Error).message}`);
    }
  }

  /** Claims free schedules, first up to its even share. */
  private async claim(): Promise<ClaimAnswer | undefined> {
    const { store, self, clock, gate } = this.ports;
    const upTo = this.waited >= PATIENCE ? 'limit' : 'share';
    const gained: number[] = [];
    let answer: ClaimAnswer | undefined;
    do {
      if (this.isStopped || gate.refusal('fire') !== undefined) break;
      answer = await store.claimSchedules({ self, upTo, most: PAGE, now: clock.now() });
      for (const id of answer.claimed) this.held.add(id);
      gained.push(...answer.claimed);
      this.refused = answer.refused !== undefined && upTo === 'limit';
      // The store counts holdings missing here: read again. Extra schedules here were deleted; the next sweep
      // drops them.
      if (answer.held > this.held.size) this.isRead = false;
    } while (answer.claimed.length === PAGE);
    if (gained.length > 0) this.tell(gained);
    return answer;
  }

  private async shed(): Promise<void> {
    const { store, self, clock, log } = this.ports;
    const { shed } = await store.shedSchedules({ self, most: PAGE, now: clock.now() });
    for (const id of shed) this.held.delete(id);
    if (shed.length === 0) return;
    log('info', `${self.node} gave back ${shed.length} schedules above its limit`);
    this.tell(shed);
  }

  /** Repairs what no event reported; one master does it for the whole cluster. */
  private async sweep(): Promise<void> {
    const { store, self, clock, log } = this.ports;
    const [first] = rendezvous('sweep of holdings', [self.node, ...this.acting]);
    if (first !== self.node) return;
    const repaired = await store.alignHoldings({ now: clock.now() });
    if (repaired > 0) log('warn', `${repaired} schedules were not recorded as they stand; repaired`);
    const { view } = await store.readHoldings();
    const warnings = claimWarnings(view).join('; ');
    if (warnings !== this.warnings && warnings !== '') log('warn', warnings);
    this.warnings = warnings;
  }

  /** Reads its holdings from the store. */
  private async read(): Promise<void> {
    const { store, self } = this.ports;
    const found: number[] = [];
    for (let after = 0; ; ) {
      const page = await store.readHeld({ holder: self.node, after, limit: PAGE });
      found.push(...page);
      if (page.length < PAGE) break;
      after = page[page.length - 1];
    }
    const before = new Set(this.held);
    this.held.clear();
    for (const id of found) this.held.add(id);
    this.isRead = true;
    const moved = [...before.symmetricDifference(this.held)];
    if (moved.length > 0) this.tell(moved);
  }

  private learnMasters(acting: readonly string[]): void {
    if (acting.toSorted().join() === this.acting.toSorted().join()) return;
    this.acting = acting;
    this.order = claimOrder(this.ports.self.node, acting, this.held);
    this.listener({ order: this.order, moved: [] });
  }

  private forget(): void {
    if (this.held.size === 0) return;
    this.held.clear();
    this.tell(undefined);
  }

  private tell(moved: readonly number[] | undefined): void {
    const few = moved && moved.length <= MOST_MOVED ? moved : undefined;
    this.listener({ order: this.order, moved: few });
  }
}
