/**
 * A master: a membership, and the systems that act while its gate allows it. It stops for good as soon as the
 * store reports that its epoch is over.
 */
import {
  Duties,
  isActing,
  Membership,
  type Ownership,
  type OwnershipPorts,
  PlanOwnership,
  RegistryJudge,
  RegistryLink,
  type RegistryPort,
  RendezvousOwnership,
  SwitchedOwnership,
} from '@orrery/cluster';
import type { BeatAnswer } from '@orrery/store';
import type { Caller } from '@orrery/wire/caller';
import type { Channel } from '@orrery/wire/channel';
import type { Hint, MasterFrame, WorkerFrame } from '@orrery/wire/frames';
import { Dispatch } from './dispatch/dispatch.ts';
import { Sessions } from './dispatch/sessions.ts';
import { Alerts } from './duties/alerts.ts';
import { bulkLooks } from './duties/bulks.ts';
import { Deadlines } from './duties/deadlines.ts';
import { Retention } from './duties/retention.ts';
import { Triggers } from './duties/triggers.ts';
import { errorReport } from './error-report.ts';
import { Intake } from './intake/intake.ts';
import type { Context, MasterConfig, Ports } from './ports.ts';
import { LOOK_EVERY } from './runs/commitment.ts';
import type { RunNews } from './runs/run-news.ts';
import { Runs } from './runs/runs.ts';
import type { SingleFlight } from './single-flight.ts';
import { Ticks } from './ticks/ticks.ts';

const TIDY_EVERY = 10_000;

export class Master {
  readonly context: Context;
  private readonly membership: Membership;
  private readonly link: RegistryLink | undefined;
  private readonly duties: Duties;
  private readonly ownership: Ownership;
  private readonly runs: Runs;
  private readonly intake: Intake;
  private readonly dispatch: Dispatch;
  private readonly ticks: Ticks;
  private readonly deadlines: Deadlines;
  private readonly alerts: Alerts;
  private readonly triggers: Triggers;
  private readonly bulks: SingleFlight;
  private readonly retention: Retention;
  /** The commit count at the last tidy, and the earliest time of the next. */
  private tidied = 0;
  private tidyAt = 0;

  private constructor(context: Context, membership: Membership, link: RegistryLink | undefined) {
    this.context = context;
    this.membership = membership;
    this.link = link;
    this.duties = new Duties(context.config.id);
    this.ownership = new SwitchedOwnership(context, (ports) => scopeOwnership(ports, context, link));
    const told = () => this.told();
    const sessions = new Sessions(context.gate);
    this.runs = new Runs(context, sessions, (news) => this.route(news));
    this.intake = new Intake(context, this.runs, () => this.ticks.caughtUp());
    this.dispatch = new Dispatch(
      context,
      sessions,
      this.runs,
      (worker) => membership.forgetWorker(worker),
      () => this.intake.look(),
    );
    this.ticks = new Ticks(context, this.ownership, () => this.intake.look());
    this.deadlines = new Deadlines(context);
    this.alerts = new Alerts(context);
    this.triggers = new Triggers(context, told);
    this.bulks = bulkLooks(context, told);
    this.retention = new Retention(context, this.duties);
  }

  /** Joins the cluster and starts to act. */
  static async start(config: MasterConfig, ports: Ports): Promise<Master> {
    const link = ports.registry && (await openLink(config, ports));
    try {
      return await Master.join(config, ports, link);
    } catch (error) {
      await link?.close();
      throw error;
    }
  }

  private static async join(
    config: MasterConfig,
    ports: Ports,
    link: RegistryLink | undefined,
  ): Promise<Master> {
    const { clock, store, log, tellPeers, measure, registry } = ports;
    const { id, roles, address, beatEvery, sessionTimeout, lease, leaseGrace, loadLimits } = config;
    const membership = await Membership.join(
      {
        id,
        roles,
        address,
        beatEvery,
        sessionTimeout,
        workerLimit: lease + leaseGrace,
        loadLimits,
        info: { ...settingsInForce(config), ...(link && registry && registryInForce(link, registry)) },
        registry: link?.id,
      },
      {
        clock,
        store,
        log,
        measure,
        judge:
          link &&
          registry &&
          new RegistryJudge({ link, clock, sessionTimeout, onLoss: registry.onLoss, log }),
        tellFenced: tellPeers && ((fenced, peer) => tellPeers({ fenced }, peer)),
      },
    );
    const gate = ports.gateOver?.(membership) ?? membership;
    const master = new Master(
      { ...ports, config, self: membership.self, gate, report: errorReport(log, clock) },
      membership,
      link,
    );
    await membership.begin({
      beat: (answer) => master.beat(answer),
      freed: () => master.told(),
      plan: () => master.ownership.plan,
      over: (reason) => master.halt(reason),
    });
    return master;
  }

  /** Why the master has stopped for good; undefined while it runs. */
  get over(): string | undefined {
    return this.membership.endedBy;
  }

  /** Whether its session in the registry is good; undefined without a registry. */
  get isRegistryGood(): boolean | undefined {
    return this.link && this.link.doubt() === undefined;
  }

  /** Accepts a worker's connection. */
  accept(channel: Channel<MasterFrame, WorkerFrame>, caller?: Caller): void {
    if (this.over === undefined) this.dispatch.accept(channel, caller);
    else channel.close(this.over);
  }

  /** A hint that the store has changed: commands, inboxes and schedules unless the hint names what. */
  hint({ inboxes, queue, schedules, bulks, kill, fenced }: Hint = { inboxes: true, schedules: true }): void {
    if (this.over !== undefined) return;
    const { self } = this.context;
    if (fenced?.node === self.node && fenced.epoch === self.epoch)
      this.membership.end(`another master has taken over from ${self.node}`);
    if (inboxes) this.intake.look();
    if (schedules) this.ticks.look();
    if (queue) this.dispatch.wake();
    if (bulks) this.bulks.ask();
    if (kill) this.dispatch.kill(kill);
  }

  /** Leaves gracefully: hands its runs over, and lets tasks go on. */
  async stop(): Promise<void> {
    if (this.over !== undefined) return;
    this.membership.retire();
    await this.runs.handOver(`${this.context.config.id} left`);
    if (this.over !== undefined) return;
    this.membership.end('stopped');
    await Promise.all([
      this.runs.stop(),
      this.intake.stop(),
      this.ticks.stop(),
      this.triggers.stop(),
      this.bulks.stop(),
      this.deadlines.stop(),
      this.alerts.stop(),
      this.ownership.stop(),
    ]);
    await this.link?.close();
    await this.membership.leave();
  }

  /** After each good beat, runs the systems that have work. */
  private async beat(answer: BeatAnswer): Promise<void> {
    const { clock } = this.context;
    const { duties } = this;
    const isPast = (time: number | null) => time !== null && time <= clock.now();
    this.drain(answer);
    this.dispatch.learnMasters(answer.peers);
    duties.learn(answer.peers.filter(isActing).map(({ id }) => id));
    if (answer.commands || answer.messages || this.intake.isUnsure) this.intake.look();
    if (duties.isDue('triggers', answer.triggers)) this.triggers.look();
    if (duties.isDue('bulks', answer.bulks)) this.bulks.ask();
    if (duties.isDue('deadlines', isPast(answer.nextDeadline))) this.deadlines.look();
    if (duties.isDue('alerts', isPast(answer.nextAlert))) this.alerts.look();
    if (duties.isMine('conditions') && this.alerts.isCheckDue(answer.ready)) this.alerts.lookAtCluster();
    await this.ownership.beat(answer);
    this.ticks.beat(answer);
    this.dispatch.lookAgain(answer);
    if (duties.isDue('looks', isPast(answer.nextLook))) await this.lookAgain();
    this.tidy();
    this.retention.beat(this.runs.committed);
  }

  /** Routes news about runs to the systems they concern. */
  private route({ answered, triggered, queued, killed = [], freed, told, settled, fenced }: RunNews): void {
    const { tellPeers } = this.context;
    if (answered) {
      const { loans, given } = answered;
      this.dispatch.answered(loans, given);
      // A filled take may have left attempts for the workers of other masters.
      if (given?.some(({ assignments }, k) => assignments.length >= loans[k].take.room))
        tellPeers?.({ queue: true });
    }
    if (triggered) this.triggers.look();
    if (queued) tellPeers?.({ queue: true });
    if (killed.length > 0) {
      const kill = this.dispatch.kill(killed);
      if (kill.length > 0) tellPeers?.({ kill });
    }
    if (freed) this.intake.freed();
    if (told) this.told();
    if (settled) this.dispatch.serveUntried();
    if (fenced) this.membership.end(fenced.message);
  }

  /** Inboxes have new rows, or runs have no owner: informs this master and its peers. */
  private told(): void {
    this.intake.look();
    this.context.tellPeers?.({ inboxes: true });
  }

  /** While the master drains, runs may end here until the drain deadline; then they go to other masters. */
  private drain({ drainBy }: BeatAnswer): void {
    const { clock, config, log } = this.context;
    if (this.membership.state !== 'draining' || drainBy === null) {
      this.runs.keep();
      return;
    }
    if (this.runs.size === 0 || clock.now() < drainBy) return;
    log('info', `master ${config.id} hands over ${this.runs.size} runs`);
    void this.runs.handOver(`${config.id} was drained`);
  }

  /** Wakes dependents that were not checked for long. */
  private async lookAgain(): Promise<void> {
    const { store, self, clock, gate } = this.context;
    if (gate.refusal('sweep') !== undefined) return;
    const told = await store.dueLooks({ self, every: LOOK_EVERY, limit: 1_000, now: clock.now() });
    if (told.length > 0) this.intake.look();
  }

  /** While the master works, cleans up what passed through the queues of the store. */
  private tidy(): void {
    const { store, clock, report, gate } = this.context;
    const { committed } = this.runs;
    if (committed === this.tidied || clock.monotonic() < this.tidyAt) return;
    if (gate.refusal('sweep') !== undefined) return;
    this.tidied = committed;
    this.tidyAt = clock.monotonic() + TIDY_EVERY;
    store.tidy().catch((error) => report('could not tidy up', error));
  }

  /** Stops for good: the epoch is over. */
  private halt(reason: string): void {
    this.retention.stop();
    this.dispatch.stop(reason);
    void this.runs.stop();
    void this.ownership.stop().finally(() => this.link?.close());
    this.context.log('info', `master ${this.context.config.id} stopped: ${reason}`);
    this.context.onOver?.(reason);
  }
}

/** Opens the session in the registry. A master joins the store once the session exists. */
async function openLink(
  { id, address }: MasterConfig,
  { registry, store, clock, log }: Ports,
): Promise<RegistryLink | undefined> {
  if (!registry) return undefined;
  const { cluster, weight = 1, open, signal, onLoss, exit } = registry;
  const storeId = await store.readStoreId();
  const live = { address, weight };
  const link = await RegistryLink.open({ cluster, node: id, live, storeId }, { open, signal, clock, log });
  if (onLoss === 'exit') link.listen({ away: (reason) => exit?.(reason) });
  return link;
}

/**
 * The default owners of schedules unless masters claim them: the leader's plan with a registry, a hash
 * without one.
 */
function scopeOwnership(ports: OwnershipPorts, context: Context, link: RegistryLink | undefined): Ownership {
  if (context.ownership) return context.ownership(ports);
  if (!link) return new RendezvousOwnership(ports);
  return new PlanOwnership(ports, link, context.registry?.strategy);
}

function registryInForce(link: RegistryLink, { cluster, onLoss }: RegistryPort): Record<string, string> {
  const { server = '', timeout } = link;
  return { registry: server, cluster, registryTimeout: String(timeout), onRegistryLoss: onLoss };
}

/** The settings of this master that the cluster shows. */
function settingsInForce({ room, sessionTimeout, lease, loadLimits }: MasterConfig): Record<string, string> {
  const limits = Object.entries(loadLimits).map(([name, limit]) => [
    `limit.${name}`,
    limit === undefined ? 'none' : String(limit),
  ]);
  return {
    room: String(room),
    sessionTimeout: String(sessionTimeout),
    lease: String(lease),
    ...Object.fromEntries(limits),
  };
}
