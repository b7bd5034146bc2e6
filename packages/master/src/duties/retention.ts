/**
 * What is kept, and for how long. From time to time masters delete what is older or more than that, each the parts
 * that are its duty, in steps of few rows with pauses between them, so that what runs does not notice. Two masters may
 * do so at the same time: only what is over goes, and the store looks at each row again.
 *
 * waiting -> sweeping -> waiting; -> stopped
 */
import type { Duties } from '@orrery/cluster';
import type { Numbered } from '@orrery/store';
import type { Context } from '../ports.ts';

/** What is kept: ages in milliseconds, and how many at most. */
export interface RetentionConfig {
  /** Finished runs, with their tasks and attempts. */
  readonly runs: number;
  readonly maxRuns: number;
  /** How rounds of runs ended, which other workflows may depend on; kept beyond the runs. */
  readonly facts: number;
  /** Ticks of schedules and recorded skips. */
  readonly ticks: number;
  /** Of ticks, and of recorded skips. */
  readonly maxTicks: number;
  /** Who did what to runs and workflows, the log of access, alerts, rounds of elastic jobs, needs muted without an end. */
  readonly history: number;
  readonly maxHistory: number;
  /** Events for those who watch; who was away for longer reads everything again. */
  readonly events: number;
  readonly maxEvents: number;
  /** Bulks that have ended, with what became of each of their runs. */
  readonly bulks: number;
  /** Nodes and workers that left or were lost, since they were last seen. */
  readonly nodes: number;
  /** Keys by which a request that is repeated is known. */
  readonly keys: number;
  readonly maxKeys: number;
}

const DAY = 86_400_000;

/** What is kept unless told otherwise. */
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

/** Between two sweeps of a master that works, and of one that is idle. */
const EVERY = 60_000;
const IDLE_EVERY = DAY / 24;
/** Between two steps: after one that found something, and after one that did not. */
const PAUSE = 50;
const REST = 1_000;
/**
 * Rows that a step deletes at most, runs that it looks at, ids that it counts, and runs that it only passes. A commit may
 * have to wait for a step: passing 2,000 runs took 7 ms on SQLite and 26 ms on PostgreSQL, passing 250 takes 0.8 and 3 ms.
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
  /** What a step that was cut short has left of runs is looked for once after a start. */
  private remains = true;

  constructor(context: Context, duties: Duties) {
    this.context = context;
    this.duties = duties;
    this.nextAt = context.clock.monotonic() + EVERY;
    this.idleUntil = context.clock.monotonic() + IDLE_EVERY;
  }

  /** Called after each good beat with a number that grows while there is work. */
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

  /** Sweeps only while the gate allows it; a sweep under way ends with its step. */
  private get isActing(): boolean {
    return !this.stopped && this.context.gate.refusal('sweep') === undefined;
  }

  /** The parts that are this master's duty, each in steps until nothing of it is left to delete. */
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
      // GitHub's have no time: one that is forgotten could be sent once more.
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

  /** Slots whose holders are gone are given back: none should be, and nobody may wait for ever if one is. */
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

  /** What remains of runs that are gone: of all, or of those that the last step has dropped. */
  private async sweepRemains(from: number, limit: typeof RUNS | typeof PASSED): Promise<void> {
    const { store } = this.context;
    for (let after: number | undefined = from; after !== undefined && this.isActing; ) {
      const page = { after, limit, most: ROWS };
      const swept: Awaited<ReturnType<typeof store.sweepRemains>> = await store.sweepRemains(page);
      await this.step(1);
      after = limit === RUNS && swept.swept < ROWS ? undefined : swept.next;
    }
  }

  /** The first that may stay when there are too many: its age, or the id of a run; counted back from the newest. */
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

  /** People hear of it before what is not old enough has to go. Keys are no history. */
  private async noteCount(part: Numbered, count: number, most: number): Promise<void> {
    const { clock, store, self } = this.context;
    if (part === 'keys' || !this.isActing) return;
    await store.setRetentionAlerts({ self, part, count, most, now: clock.now() });
  }

  /** Ends a step with a pause; how much it found, nothing once the master may not sweep. */
  private async step(done: number | Promise<number>): Promise<number> {
    const found = await done;
    await new Promise<void>((resolve) => this.context.clock.setTimer(found > 0 ? PAUSE : REST, resolve));
    return this.isActing ? found : 0;
  }
}
