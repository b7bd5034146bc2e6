/**
 * The leader of one registry session: divides the schedules among the masters, and again when masters come,
 * go or
 * drain, or when shares grow uneven. Changes during a reshard are coalesced into one more.
 *
 *   idle -> resharding (mark, make, write) -> waiting for acknowledgements -> idle; each -> out (no longer
 * leader)
 *
 * Every write is a transaction that checks the place in the election, so a leader that lost it can write
 * nothing.
 */
import type { Log } from '@orrery/core/log';
import { QuietLog } from '@orrery/core/quiet-log';
import { type Plan, planHash, sortNodes, type Weights } from '@orrery/core/shard';
import type { Clock, ClockTimer } from '@orrery/core/timing';
import { type Entry, isRegistryError, join, nameOf, type Registry, SubtreeView } from '@orrery/registry';
import { type Candidate, ensure } from '@orrery/registry/recipes';
import { type BeatAnswer, type Self, StaleEpoch, type Store } from '@orrery/store';
import type { ClusterPaths, LiveValue } from '../registry-link.ts';
import { planRow, planText, readPlanText, type WrittenPlan } from './plan-value.ts';
import { countMoved, imbalance, makePlan, type PlanStrategy } from './planner.ts';

/** Minimum time between two plans that only even out shares, in milliseconds. */
const REPLAN_EVERY = 60_000;
/** Largest allowed ratio of the largest share to the smallest. */
const UNEVEN = 1.2;
const RETRY_EVERY = 1_000;
const OVERWRITTEN = 'the last plan was overwritten';

export interface LeaderPorts {
  readonly registry: Registry;
  readonly candidate: Candidate;
  readonly paths: ClusterPaths;
  readonly store: Store;
  readonly clock: Clock;
  readonly self: Self;
  readonly strategy: PlanStrategy;
  /** The nodes under `live`; undefined while the session is not good. */
  readonly live: () => ReadonlyMap<string, Entry> | undefined;
  readonly log: Log;
}

export class PlanLeader {
  private readonly ports: LeaderPorts;
  private readonly trouble: QuietLog;
  /** The plan it wrote last, until all masters have adopted it. */
  private written: WrittenPlan | undefined;
  private isAdopted = false;
  /** The last plan it wrote, even if somebody has overwritten it. */
  private last: WrittenPlan | undefined;
  /** Entries under `live` that belong to no master, as last logged. */
  private strangers = '';
  private acks: SubtreeView | undefined;
  private timer: ClockTimer | undefined;
  private isBusy = false;
  private again = false;
  private isStopped = false;
  /** Draining masters, as of the last beat. */
  private draining: ReadonlySet<string> = new Set();
  private revision: number | undefined;
  private checkedRevision: number | undefined;
  private checkedAt: number;

  constructor(ports: LeaderPorts) {
    this.ports = ports;
    this.trouble = new QuietLog(ports.log, ports.clock);
    this.checkedAt = ports.clock.monotonic();
  }

  /** Takes office: a new leader always makes a plan. */
  start(): void {
    this.look();
  }

  stop(): void {
    this.isStopped = true;
    this.timer?.cancel();
    this.acks?.stop();
  }

  /** Masters came or went. */
  look(): void {
    this.again = true;
    if (!this.isBusy) void this.work();
  }

  /** The value of `live` is not a plan: somebody else wrote it. */
  replace(): void {
    if (this.isBusy || !this.last) return;
    this.written = undefined;
    this.look();
  }

  /** Learns which masters drain, and whether schedules were edited since shares were last compared. */
  beat({ peers, scheduleRevision, draining }: BeatAnswer): void {
    const { self } = this.ports;
    const names = peers.filter(({ state }) => state === 'draining').map(({ id }) => id);
    this.draining = new Set(draining ? [...names, self.node] : names);
    this.revision = scheduleRevision;
    this.look();
  }

  private async work(): Promise<void> {
    this.isBusy = true;
    this.timer?.cancel();
    try {
      while (this.again && this.isLeading()) {
        this.again = false;
        const reason = await this.reasonToPlan();
        if (reason !== undefined) await this.reshard(reason);
        else if (!this.isAdopted) await this.finish();
      }
      this.trouble.over('plans are made again');
    } catch (error) {
      this.failed(error);
    }
    this.isBusy = false;
  }

  private failed(error: unknown): void {
    if (this.isStopped || error instanceof StaleEpoch || isRegistryError(error, 'session-lost')) return;
    // Another leader has written, or this one's place in the election is gone; the election reports that too.
    if (isRegistryError(error, 'version', 'no-entry')) this.written = undefined;
    this.trouble.met(`no plan can be made: ${(error as Error).message}`);
    this.timer = this.ports.clock.setTimer(RETRY_EVERY, () => this.look());
  }

  private isLeading(): boolean {
    return !this.isStopped && this.ports.candidate.isLeading;
  }

  /** Why another plan is needed; undefined while the last one fits. */
  private async reasonToPlan(): Promise<string | undefined> {
    const nodes = this.nodes();
    if (!nodes) return undefined;
    if (!this.written) return this.last ? OVERWRITTEN : `${this.ports.self.node} was elected`;
    const before = this.written.plan.nodes;
    const came = nodes.filter((node) => !before.includes(node));
    const went = before.filter((node) => !nodes.includes(node));
    if (came.length + went.length > 0) {
      const left = went.map((node) => `${node} ${this.draining.has(node) ? 'drains' : 'left'}`);
      return [...came.map((node) => `${node} joined`), ...left].join(', ');
    }
    return this.unevenness();
  }

  private async unevenness(): Promise<string | undefined> {
    const { store, clock } = this.ports;
    const { written } = this;
    if (!written || this.revision === this.checkedRevision) return undefined;
    if (clock.monotonic() - this.checkedAt < REPLAN_EVERY) return undefined;
    this.checkedAt = clock.monotonic();
    this.checkedRevision = this.revision;
    const ratio = await imbalance(store, written.plan, this.weights());
    if (ratio <= UNEVEN) return undefined;
    const fresh = await this.make(written.plan.number + 1, [...written.plan.nodes]);
    if (JSON.stringify(rangesOf(fresh.plan)) === JSON.stringify(rangesOf(written.plan))) return undefined;
    return 'the largest share was more than 1.2 times the smallest';
  }

  /** The masters that share the schedules, sorted. */
  private nodes(): string[] | undefined {
    const live = this.ports.live();
    if (!live) return undefined;
    const names = [...live.keys()];
    this.tellStrangers(names.filter((name) => live.get(name)?.owner === undefined));
    return sortNodes(names.filter((node) => !this.draining.has(node) && live.get(node)?.owner !== undefined));
  }

  /** Entries without a session belong to no master: schedules given to them would be left to standby. */
  private tellStrangers(names: readonly string[]): void {
    const { log, paths } = this.ports;
    const text = names.map((name) => join(paths.live, name)).join(', ');
    if (text !== this.strangers && text !== '')
      log('warn', `ignored, because no session of a master made it: ${text}; delete it`);
    this.strangers = text;
  }

  private weights(): Weights {
    const live = this.ports.live() ?? new Map<string, Entry>();
    return new Map([...live].map(([node, { value }]) => [node, weightOf(value)]));
  }

  private make(number: number, nodes: readonly string[]) {
    const { store, strategy } = this.ports;
    return makePlan(store, { number, strategy, nodes, weights: this.weights() });
  }

  private async reshard(reason: string): Promise<void> {
    const { registry, paths, candidate, store, clock, self, log } = this.ports;
    const nodes = this.nodes();
    const current = await registry.get(paths.live);
    if (!nodes || !current) return;
    const before = this.readCurrent(current) ?? this.last;
    // Records the previous leader's plan in case that leader did not get to it.
    if (before) await store.recordPlan({ self, plan: planRow(before) });
    const [newest] = await store.listPlans({ limit: 1 });
    const number = Math.max(before?.plan.number ?? 0, newest?.number ?? 0) + 1;
    await this.announce();
    await this.mark({ resharding: true, plan: number });
    const { plan, schedules } = await this.make(number, nodes);
    const moved = await countMoved(store, before?.plan, plan);
    const written = { plan, leader: self.node, reason, at: clock.now(), schedules, moved };
    await registry.transaction([
      candidate.check,
      { op: 'set', path: paths.live, value: planText(written), version: current.version },
      { op: 'create', path: join(paths.acks, String(number)), value: '' },
    ]);
    this.written = written;
    this.last = written;
    this.isAdopted = false;
    this.checkedAt = clock.monotonic();
    this.checkedRevision = this.revision;
    log(
      'info',
      `plan ${number} for ${nodes.length} masters: ${reason}; ${moved} of ${schedules} schedules move`,
    );
    await store.recordPlan({ self, plan: planRow(written) });
    await this.watchAcks();
    await this.finish();
  }

  private readCurrent({ value }: Entry): WrittenPlan | undefined {
    try {
      return readPlanText(value);
    } catch (error) {
      this.ports.log('warn', `a value that is no plan is replaced: ${(error as Error).message}`);
      return undefined;
    }
  }

  /** Ends the reshard once every remaining master of the plan has adopted it. */
  private async finish(): Promise<void> {
    const { registry, paths, store, clock, self, log } = this.ports;
    const { written, acks } = this;
    const live = this.ports.live();
    if (!written || !acks || !live) return;
    const { number, nodes } = written.plan;
    const below = join(paths.acks, String(number));
    const hashes = new Map(
      [...acks.entries.values()]
        .filter(({ path }) => path.startsWith(`${below}/`))
        .map(({ path, value }) => [nameOf(path), value]),
    );
    if (nodes.some((node) => live.has(node) && !hashes.has(node))) return;
    const hash = planHash(written.plan);
    for (const [node, other] of hashes)
      if (other !== hash) log('error', `${node} holds another plan ${number} than the leader wrote`);
    await this.mark({ resharding: false, plan: number });
    this.isAdopted = true;
    await store.endReshard({ self, number, now: clock.now() });
    for (const path of [...acks.entries.keys()].toSorted((a, b) => b.length - a.length)) {
      const plan = path.slice(paths.acks.length + 1).split('/')[0];
      if (plan === '' || Number(plan) >= number) continue;
      await registry.delete(path).catch(() => {});
    }
    await this.forgetGone();
  }

  private async watchAcks(): Promise<void> {
    const { registry, paths } = this.ports;
    if (this.acks) return;
    this.acks = await SubtreeView.open(registry, paths.acks, () => this.look());
    if (this.isStopped) this.acks.stop();
  }

  /** Publishes the leader's name for people. */
  private async announce(): Promise<void> {
    const { registry, paths, candidate, self } = this.ports;
    const path = join(paths.election, 'leader');
    const found = await registry.get(path);
    if (found?.owner === registry.session.id) return;
    if (found) await registry.delete(path, found.version);
    await registry.transaction([candidate.check, { op: 'create', path, value: self.node, ephemeral: true }]);
  }

  /** Drops nodes from `all` that the store no longer knows: deleted by people or expired. */
  private async forgetGone(): Promise<void> {
    const { registry, paths, store } = this.ports;
    const all = await registry.children(paths.all);
    const known = new Set((await store.listNodes()).map(({ id }) => id));
    const live = new Set(await registry.children(paths.live));
    for (const node of all)
      if (!known.has(node) && !live.has(node)) await registry.delete(join(paths.all, node)).catch(() => {});
  }

  /** Publishes whether a reshard is under way, for which plan and by which leader. */
  private async mark(state: { resharding: boolean; plan: number }): Promise<void> {
    const { registry, paths, candidate, self, clock } = this.ports;
    await ensure(registry, paths.shard);
    const value = JSON.stringify({ ...state, leader: self.node, at: clock.now() });
    await registry.transaction([candidate.check, { op: 'set', path: paths.shard, value }]);
  }
}

function rangesOf(plan: Plan): unknown {
  return 'ranges' in plan ? plan.ranges : undefined;
}

function weightOf(value: string): number {
  try {
    const { weight } = JSON.parse(value) as Partial<LiveValue>;
    return weight !== undefined && Number.isInteger(weight) && weight >= 1 && weight <= 1_000_000
      ? weight
      : 1;
  } catch {
    return 1;
  }
}
