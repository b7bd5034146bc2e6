/**
 * Deletes what is older or more than the retention settings keep. Each master deletes the parts that are its
 * duty, in small steps with pauses, so that running workflows do not notice. Two masters may delete the same
 * part: only finished data is deleted, and the store checks each row again.
 *
 * waiting -> sweeping -> waiting; -> stopped
 */
import type { Duties } from '@orrery/cluster';
import type { Numbered } from '@orrery/store';
import type { Context } from '../ports.ts';

/** Retention settings: ages in milliseconds, and maximum counts. */
export interface RetentionConfig {
  /** Finished runs, with their tasks and attempts. */
  readonly runs: number;
  readonly maxRuns: number;
  /** Outcomes of rounds that other workflows may depend on; kept longer than the runs. */
  readonly facts: number;
  /** Ticks of schedules and recorded skips. */
  readonly ticks: number;
  /** Maximum count of ticks, and of recorded skips. */
  readonly maxTicks: number;
  /**
   * The audit history of runs and workflows, the access log, alerts, rounds of elastic jobs, and needs muted
   * without an end.
   */
  readonly history: number;
  readonly maxHistory: number;
  /** Live-feed events. A client offline for longer must resync. */
  readonly events: number;
  readonly maxEvents: number;
  /** Finished bulks, with the result of each of their runs. */
  readonly bulks: number;
  /** Nodes and workers that left or were lost, counted from when they were last seen. */
  readonly nodes: number;
  /** Idempotency keys of requests. */
  readonly keys: number;
  readonly maxKeys: number;
}

const DAY = 86_400_000;

/** Defaults of the retention settings. */
export const retentionDefaults: RetentionConfig = {
  runs: 90 * DAY,
  maxRuns: 1_000_000,
  facts: 400 * DAY,
  ticks: 90 * DAY,
  maxTicks: 1_000_000,
  history: 400 * DAY,
  maxHistory: 1_000_000,
  events: DAY / 24,
  maxEvents: 100_000,
  bulks: 90 * DAY,
  nodes: 7 * DAY,
  keys: DAY,
  maxKeys: 1_000_000,
};

/** Interval between two sweeps of a busy master, and of an idle one. */
const EVERY = 60_000;
const IDLE_EVERY = DAY / 24;
/** Pause after a step that found something, and after one that did not. */
const PAUSE = 50;
const REST = 1_000;
/**
 * Limits of one step: rows deleted, runs checked, ids counted, and runs only passed over. A commit may have
 * to wait for a step: passing 2,000 runs took 7 ms on SQLite and 26 ms on PostgreSQL, passing 250 takes 0.8
 * and 3 ms.
 */
const ROWS = 1_000;
const RUNS = 200;
const COUNTED = 10_000;
const PASSED = 250;

export class Retention {
  private readonly context: Context;
  private readonly duties: Duties;
  private nextAt: number;
  private idleUntil: number;
  private seen = 0;
  private sweeping = false;
  private stopped = false;
  /** Whether to look, once after a start, for remains of runs that an interrupted step left. */
  private remains = true;

  constructor(context: Context, duties: Duties) {
    this.context = context;
    this.duties = duties;
    this.nextAt = context.clock.monotonic() + EVERY;
    this.idleUntil = context.clock.monotonic() + IDLE_EVERY;
  }

  /** Called after each good beat with a counter that grows while there is work. */
  beat(work: number): void {
    const now = this.context.clock.monotonic();
    if (this.sweeping || now < this.nextAt || (work === this.seen && now < this.idleUntil)) return;
    this.nextAt = now + EVERY;
    this.idleUntil = now + IDLE_EVERY;
    this.seen = work;
    if (!this.isActing) return;
    this.sweeping = true;
    this.sweep()
      .catch((error) => this.context.report('could not delete what is old', error))
      .finally(() => {
        this.sweeping = false;
      });
  }

  stop(): void {
    this.stopped = true;
  }

  /** Sweeps only while the gate allows it. A sweep in flight ends with its current step. */
  private get isActing(): boolean {
    return !this.stopped && this.context.gate.refusal('sweep') === undefined;
  }

  /** Sweeps each part that is this master's duty, in steps, until nothing is left to delete. */
  private async sweep(): Promise<void> {
    const { clock, config, store } = this.context;
    const kept = config.retention;
    const before = (age: number) => clock.now() - age;
    const { maxEvents, maxHistory, maxTicks, maxKeys } = kept;
    const oldest = async (of: Numbered, age: number, most: number) =>
      Math.max(before(age), await this.oldestKept(of, most));
    const parts: Record<string, () => Promise<unknown>> = {
      runs: () => this.sweepAllRuns(kept),
      facts: () => this.repeat((limit) => store.sweepFacts({ before: before(kept.facts), limit })),
      ticks: async () => {
        const ticks = await oldest('ticks', kept.ticks, maxTicks);
        const skipsBefore = await oldest('skips', kept.ticks, maxTicks);
        await this.repeat((limit) => store.sweepTicks({ before: ticks, skipsBefore, limit }));
      },
      history: () =>
        this.repeat((limit) => store.sweepHistory({ before: before(kept.history), most: maxHistory, limit })),
      audit: async () => {
        const audit = await oldest('audit', kept.history, maxHistory);
        await this.repeat((limit) => store.sweepAudit({ before: audit, limit }));
      },
      jobs: async () => {
        const jobs = await oldest('jobs', kept.history, maxHistory);
        await this.repeat((limit) => store.sweepJobEvents({ before: jobs, limit }));
      },
      // GitHub deliveries carry no timestamp: once its id is deleted, a delivery could be replayed.
      deliveries: () =>
        this.repeat((limit) => store.sweepDeliveries({ before: before(kept.history), limit })),
      events: () =>
        this.repeat((limit) => store.sweepEvents({ before: before(kept.events), most: maxEvents, limit })),
      bulks: () => this.repeat((limit) => store.sweepBulks({ before: before(kept.bulks), limit })),
      nodes: () => this.repeat((limit) => store.sweepNodes({ before: before(kept.nodes), limit })),
      keys: async () => {
        const keys = await oldest('keys', kept.keys, maxKeys);
        await this.repeat((limit) => store.sweepKeys({ before: keys, limit }));
      },
      mutes: () => this.repeat(() => store.sweepMutes({ now: clock.now(), age: kept.history })),
      limits: () => this.sweepLimits(),
    };
    for (const [name, part] of Object.entries(parts))
      if (this.isActing && this.duties.isMine(`retention/${name}`)) await part();
  }

  private async repeat(part: (limit: number) => Promise<number>): Promise<void> {
    while (this.isActing && (await this.step(part(ROWS))) > 0);
  }

  private async sweepAllRuns(kept: RetentionConfig): Promise<void> {
    if (this.remains) await this.sweepRemains(0, PASSED);
    this.remains = false;
    await this.sweepRuns(kept);
  }

  /**
   * Frees slots whose holders are gone. There should be none, but a leaked slot must not block a run for
   * ever.
   */
  private async sweepLimits(): Promise<void> {
    const { clock, store, self } = this.context;
    for (let after: string | undefined = ''; after !== undefined && this.isActing; ) {
      const page = { self, after, limit: RUNS, now: clock.now() };
      const swept: Awaited<ReturnType<typeof store.sweepLimits>> = await store.sweepLimits(page);
      if (swept.freed > 0) this.context.log('warn', `${swept.freed} slots of limits had lost their holders`);
      await this.step(swept.freed);
      after = swept.next;
    }
  }

  private async sweepRuns(kept: RetentionConfig): Promise<void> {
    const { clock, store } = this.context;
    const oldest = await this.oldestKept('runs', kept.maxRuns);
    for (let after: number | undefined = 0; after !== undefined && this.isActing; ) {
      const page = { before: clock.now() - kept.runs, oldest, after, limit: RUNS, most: ROWS };
      const swept: Awaited<ReturnType<typeof store.sweepRuns>> = await store.sweepRuns(page);
      await this.step(swept.swept);
      if (swept.remain) await this.sweepRemains(after, RUNS);
      after = swept.next;
    }
  }

  /** Deletes the remains of deleted runs: of all runs, or of those the last step deleted. */
  private async sweepRemains(from: number, limit: typeof RUNS | typeof PASSED): Promise<void> {
    const { store } = this.context;
    for (let after: number | undefined = from; after !== undefined && this.isActing; ) {
      const page = { after, limit, most: ROWS };
      const swept: Awaited<ReturnType<typeof store.sweepRemains>> = await store.sweepRemains(page);
      await this.step(1);
      after = limit === RUNS && swept.swept < ROWS ? undefined : swept.next;
    }
  }

  /**
   * The first entry to keep when there are too many, as an age or the id of a run, counted back from the
   * newest.
   */
  private async oldestKept(of: Numbered, most: number): Promise<number> {
    const { store } = this.context;
    let before = Number.MAX_SAFE_INTEGER;
    let first = 0;
    for (let left = most; left > 0 && this.isActing; ) {
      const limit = Math.min(left, COUNTED);
      const { place, oldest, count } = await store.rowsBack({ of, before, limit });
      if (place === null || oldest === null || count < limit) {
        await this.noteCount(of, most - left + count, most);
        return 0;
      }
      before = place;
      first = oldest;
      left -= count;
      if (left > 0) await this.step(1);
    }
    await this.noteCount(of, most, most);
    return first;
  }

  /**
   * Alerts people before entries younger than their age limit are deleted. Keys are not history, so they
   * raise no alert.
   */
  private async noteCount(part: Numbered, count: number, most: number): Promise<void> {
    const { clock, store, self } = this.context;
    if (part === 'keys' || !this.isActing) return;
    await store.setRetentionAlerts({ self, part, count, most, now: clock.now() });
  }

  /** Ends a step with a pause. Returns how much it found, or 0 once the master may not sweep. */
  private async step(done: number | Promise<number>): Promise<number> {
    const found = await done;
    await new Promise<void>((resolve) => this.context.clock.setTimer(found > 0 ? PAUSE : REST, resolve));
    return this.isActing ? found : 0;
  }
}
