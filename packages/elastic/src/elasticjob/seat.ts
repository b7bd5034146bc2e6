/**
 * An instance's place at a job that it may share with Java instances of ElasticJob 3. A shard runs only if no
 * mark was seen after its `running` entry was created. A leader checks for such entries after it has
 * announced its division, so one of the two always yields.
 */
import { InvalidInput } from '@orrery/core/errors';
import type { Job } from '@orrery/core/model';
import { isCode, type ZooKeeperEvent } from '@orrery/registry/zookeeper-client';
import type { Grant, JobSeat, SeatRequest, ShardOutcome, Trigger } from '../board/board.ts';
import { Seat, type SeatPorts, type SeatSession } from '../board/seat.ts';
import { SingleFlight } from '../run/single-flight.ts';
import { editConfig, readConfig, writeConfig, writeInstance } from './config.ts';
import { JobFacts } from './facts.ts';
import { isFailoverDue, takeOver } from './failover.ts';
import { inLatch } from './latch.ts';
import { ElasticJobLeader, type LeaderPorts } from './leader.ts';
import { Meetings } from './meeting.ts';
import type { Nodes } from './nodes.ts';
import { ElasticJobPaths, serverOf } from './paths.ts';
import { strategyHere } from './strategy.ts';
import { JobTree } from './tree.ts';

/** What a seat needs from its host. `server` is an IPv4 address: Java takes no other. */
export interface ElasticJobPorts extends SeatPorts {
  /** A UUID that is never used again. */
  readonly newLatchId: () => string;
  /** The time zone of this process, which a job without one has. */
  readonly zone: string;
}

/** What belongs to one session. */
interface Session extends SeatSession<Nodes>, LeaderPorts {
  readonly leader: ElasticJobLeader;
  readonly meetings: Meetings;
  readonly elections: SingleFlight;
  /** The division in flight: one at a time. */
  dividing: Promise<boolean> | undefined;
}

export class ElasticJobSeat extends Seat<Nodes, Session> implements JobSeat {
  declare protected readonly ports: ElasticJobPorts;
  private readonly paths: ElasticJobPaths;
  private current: Job;
  /** Shards that have ended here and are not free in ZooKeeper yet. */
  private readonly ending = new Set<number>();
  /** A tick was missed while it could not be stored. */
  private missedAway = false;
  /** Members changed since a division was seen. */
  private joined = false;
  private isTriggerKnown = false;
  private isReactDue = false;

  constructor(request: SeatRequest, ports: ElasticJobPorts, onLeave: () => void) {
    super(request, ports, onLeave);
    this.current = request.job;
    this.paths = new ElasticJobPaths(request.job.namespace, request.job.name);
  }

  get job(): Job {
    return this.current;
  }

  get isLeader(): boolean {
    return this.session !== undefined && this.session.facts.leader === this.session.instance;
  }

  /** Sits down with a session, in the order in which Java instances do. */
  async attach(nodes: Nodes): Promise<void> {
    const { paths, ports, request } = this;
    strategyHere(request.job, request.strategies);
    const again = this.session !== undefined;
    this.session?.tree.close();
    this.current = await this.publish(nodes);
    const instance = ports.newInstance();
    const { log } = ports;
    const tree: JobTree = new JobTree(
      nodes.client,
      paths.root,
      (event) => this.changed(tree, event),
      (error) => log('error', `job ${request.job.name}: ${error.message}`),
    );
    const leaderPorts = {
      nodes,
      tree,
      facts: new JobFacts(tree, paths),
      paths,
      strategies: request.strategies,
      log,
    };
    this.held.clear();
    this.ending.clear();
    this.isTriggerKnown = false;
    this.joined = false;
    await tree.open();
    // Nothing that waits in an earlier session may hold this one up.
    const session: Session = {
      ...leaderPorts,
      connection: nodes,
      instance,
      leader: new ElasticJobLeader(leaderPorts),
      meetings: new Meetings(nodes, paths.guarantee, ports.newLatchId),
      elections: new SingleFlight(() => this.elect(session)),
      dividing: undefined,
    };
    this.session = session;
    try {
      await this.electNow(session);
      await this.register(session);
      await tree.settled();
    } catch (error) {
      tree.close();
      void this.withdraw(nodes, instance).catch(() => {});
      throw error;
    }
    this.sitDown(session, again);
  }

  /** Takes back what a failed `attach` may have made: an instance that is there and runs nothing stops the job. */
  private async withdraw(nodes: Nodes, instance: string): Promise<void> {
    await this.insist(() => nodes.remove(`${this.paths.instances}/${instance}`));
    await this.insist(async () => {
      if ((await nodes.get(this.paths.leader)) === instance) await nodes.remove(this.paths.leader);
    });
  }

  async prepare(signal: AbortSignal): Promise<readonly number[]> {
    for (;;) {
      signal.throwIfAborted();
      const session = this.present();
      const { tree, facts, instance, paths } = session;
      await tree.settled();
      if (!facts.available.includes(instance)) return [];
      if (this.isLeader) await this.duties.ask();
      const isIncomplete = facts.shards.filter((shard) => facts.owner(shard)).length < this.job.shards;
      if (!facts.isMarked && !isIncomplete) {
        const { failover, monitorExecution } = this.job;
        const has = (shard: number, name: Parameters<ElasticJobPaths['shard']>[1]) =>
          tree.has(paths.shard(shard, name));
        return facts
          .ownedBy(instance, this.job)
          .filter((shard) => !has(shard, 'disabled'))
          .filter((shard) => !(failover && has(shard, 'failover')))
          .filter((shard) => !(monitorExecution && has(shard, 'running')));
      }
      const change = this.nextChange(signal);
      if (this.isLeader && facts.isMarked && (await this.divide(session))) continue;
      await change;
    }
  }

  async begin(shards: readonly number[]): Promise<readonly Grant[] | undefined> {
    const { nodes, tree, facts, paths, instance } = this.present();
    const free = shards.filter((shard) => !this.held.has(shard));
    if (!this.job.monitorExecution) {
      if (facts.isMarked) return undefined;
      const own = free.filter((shard) => facts.owner(shard) === instance);
      return own.map((shard) => ({
        shard,
        token: tree.get(paths.shard(shard, 'instance'))?.czxid ?? 0,
      }));
    }
    const mode = this.job.failover ? 'persistent' : 'ephemeral';
    // All at once: reads sent after the entries were created see the state after it.
    const created = free.map((shard) => nodes.create(paths.shard(shard, 'running'), instance, mode));
    const marks = Promise.all([nodes.client.exists(paths.necessary), nodes.client.exists(paths.processing)]);
    const owners = free.map((shard) => nodes.get(paths.shard(shard, 'instance')));
    const settled = await Promise.allSettled([marks, ...created, ...owners]);
    const failure = settled.find((one) => one.status === 'rejected');
    const grants: Grant[] = [];
    const back: number[] = [];
    const isMarked = failure !== undefined || (await marks).some((mark) => mark !== undefined);
    for (const [i, shard] of free.entries()) {
      const stat = await created[i].catch(() => null);
      // Another instance's entry stops only this shard.
      if (stat === undefined) continue;
      if (stat === null || isMarked || (await owners[i]) !== instance) back.push(shard);
      else grants.push({ shard, token: Number(stat.czxid) });
    }
    if (back.length > 0) await this.free(back);
    if (failure) throw failure.reason;
    for (const { shard, token } of grants) this.held.set(shard, token);
    return isMarked ? undefined : grants;
  }

  async finish(outcomes: readonly ShardOutcome[]): Promise<void> {
    const ended = outcomes.filter(({ shard, token }) => this.held.get(shard) === token);
    for (const { shard } of ended) this.held.delete(shard);
    await this.free(ended.map(({ shard }) => shard));
  }

  async accept(_trigger: Trigger): Promise<boolean> {
    const { nodes, instance } = this.present();
    this.isTriggerKnown = false;
    return nodes.remove(`${this.paths.triggers}/${instance}`);
  }

  /** ElasticJob's entries have no room for it. */
  async answer(): Promise<void> {}

  async missed(): Promise<void> {
    const { session } = this;
    if (!session || this.isAway) {
      this.missedAway = true;
      return;
    }
    const { nodes, facts, paths, instance } = session;
    const own = facts.ownedBy(instance, this.job);
    await Promise.all(own.map((shard) => nodes.create(paths.shard(shard, 'misfire'), '')));
  }

  async takeMissed(): Promise<boolean> {
    const { nodes, tree, facts, paths, instance } = this.present();
    let isMissed = this.missedAway;
    this.missedAway = false;
    try {
      await tree.settled();
      const own = facts.ownedBy(instance, this.job).map((shard) => paths.shard(shard, 'misfire'));
      const missed = own.filter((path) => tree.has(path));
      isMissed ||= missed.length > 0;
      await Promise.all(missed.map((path) => nodes.remove(path)));
      return isMissed;
    } catch (error) {
      // What was removed already is known only here.
      this.missedAway ||= isMissed;
      throw error;
    }
  }

  async claimFailover(): Promise<readonly Grant[]> {
    const session = this.present();
    await session.tree.settled();
    if (!session.facts.available.includes(session.instance) || !isFailoverDue(session)) return [];
    const grants = await takeOver(session, this.job, session.instance, this.ports.newLatchId());
    for (const { shard, token } of grants) this.held.set(shard, token);
    return grants;
  }

  async meet(
    phase: 'started' | 'completed',
    shards: readonly number[],
    signal: AbortSignal,
  ): Promise<boolean | undefined> {
    const { meetings } = this.present();
    return meetings.meet(phase, shards, this.job.shards, {
      change: () => this.nextChange(signal),
      isOff: () => phase === 'started' && this.isOutdated,
      signal,
    });
  }

  async disperse(phase: 'started' | 'completed'): Promise<void> {
    await this.present().meetings.disperse(phase);
  }

  async clockSkew(): Promise<number> {
    const { clock } = this.ports;
    const sent = clock.monotonic();
    const { mtime } = await this.present().nodes.persist(this.paths.time, '');
    return clock.now() - (mtime + (clock.monotonic() - sent) / 2);
  }

  protected async clear({ nodes, tree, instance }: Session): Promise<void> {
    tree.close();
    const own = [`${this.paths.instances}/${instance}`, `${this.paths.triggers}/${instance}`];
    if (this.isLeader) own.unshift(this.paths.leader);
    const ended = [...this.ending].map((shard) => this.paths.shard(shard, 'running'));
    for (const path of [...ended, ...own]) await this.insist(() => nodes.remove(path));
  }

  /** Publishes the configuration. The stored one wins unless the job overwrites it. */
  private async publish(nodes: Nodes): Promise<Job> {
    const { paths, request, ports } = this;
    const { job, identity } = request;
    await nodes.createNamed(paths.namespace, '', 'container', 'container');
    const [root, stored] = await Promise.all([nodes.get(paths.root), nodes.get(paths.config)]);
    if (root !== undefined && root.trim() !== '' && root !== identity)
      throw new InvalidInput(
        `another job has this name: it is "${root}" in the registry and "${identity}" here`,
        paths.root,
      );
    if (stored !== undefined && !job.overwrite)
      return readConfig(job.namespace, stored, paths.config, ports.zone);
    await nodes.persist(paths.config, this.overwritten(stored));
    await nodes.persist(paths.root, identity);
    return job;
  }

  /** The new text; what only Java has in the old one stays, unless the old one cannot be read. */
  private overwritten(stored: string | undefined): string {
    const { job } = this.request;
    if (stored !== undefined)
      try {
        return editConfig(stored, job, this.paths.config, this.ports.zone);
      } catch (error) {
        if (!(error instanceof InvalidInput)) throw error;
      }
    return writeConfig(job, this.ports.zone);
  }

  /** Registers server and instance, and removes servers that have no instance left. */
  private async register({ nodes, tree, instance }: Session): Promise<void> {
    const { paths, ports, request } = this;
    const own = `${paths.servers}/${ports.server}`;
    const state = request.job.disabled ? 'DISABLED' : 'ENABLED';
    await nodes.persist(own, state);
    await nodes.persistEphemeral(`${paths.instances}/${instance}`, writeInstance(instance, ports.server));
    await tree.settled();
    // Another instance that starts may have taken this server for one that has gone.
    if (!tree.has(own)) await nodes.persist(own, state);
    const live = new Set(tree.children(paths.instances).map(serverOf));
    const gone = tree.children(paths.servers).filter((server) => !live.has(server));
    await Promise.all(gone.map((server) => nodes.remove(`${paths.servers}/${server}`)));
  }

  private async electNow({ nodes, instance }: Session): Promise<void> {
    const { leader, electionLatch } = this.paths;
    await inLatch(nodes, electionLatch, this.ports.newLatchId(), () =>
      nodes.create(leader, instance, 'ephemeral'),
    );
  }

  private async elect(session: Session): Promise<void> {
    const { ports } = this;
    if (this.active() !== session) return;
    await session.tree.settled();
    if (session.facts.leader === undefined && session.facts.isEnabled(ports.server))
      await this.electNow(session);
  }

  /** Frees shards in ZooKeeper: running entries first, then the marks of a take-over, as Java does. */
  private async free(shards: readonly number[]): Promise<void> {
    for (const shard of shards) this.ending.add(shard);
    const { session, paths } = this;
    if (!session || this.isAway || shards.length === 0) return;
    const { nodes, tree, instance } = session;
    const valueAt = (shard: number, name: 'running' | 'failovering') =>
      tree.get(paths.shard(shard, name))?.value;
    const taken = shards.filter((shard) => valueAt(shard, 'failovering') === instance);
    // The instance that took a shard over marks it with the same entry.
    const own = shards.filter((shard) => (valueAt(shard, 'running') ?? instance) === instance);
    try {
      await Promise.all([
        ...own.map((shard) => nodes.remove(paths.shard(shard, 'running'))),
        ...taken.flatMap((shard) => [
          nodes.remove(paths.shard(shard, 'failover')),
          nodes.remove(paths.shard(shard, 'failovering')),
        ]),
      ]);
      for (const shard of shards) this.ending.delete(shard);
    } catch (error) {
      if (!isCode(error, 'CONNECTION_LOSS', 'SESSION_EXPIRED')) throw error;
      this.retryLater(() => this.catchUp());
    }
  }

  /** Until the end of the shards is written, they are not divided again. */
  protected async catchUp(): Promise<void> {
    await this.free([...this.ending].filter((shard) => !this.held.has(shard)));
  }

  private changed(tree: JobTree, { type, path }: ZooKeeperEvent): void {
    const { session, paths } = this;
    if (!session || session.tree !== tree || this.left) return;
    const { instance } = session;
    const own = `${paths.instances}/${instance}`;
    const isResync = type === 'resync';
    if (path.startsWith(`${paths.instances}/`) || path.startsWith(`${paths.servers}/`) || isResync)
      this.joined = true;
    if (path === paths.necessary && type === 'deleted') this.joined = false;
    if (path === paths.config || isResync) this.readJob(session);
    if (path === `${paths.triggers}/${instance}` || isResync) this.tellTrigger(session);
    if (path === paths.leader && !this.isLeader) session.leader.replaced();
    if (type === 'deleted' && path === own) this.quietly(this.checkRemoved(session));
    if (path === `${paths.servers}/${this.ports.server}`) this.serverChanged(session);
    this.reactOnce();
  }

  /** Reacts once to all events that came together: a round of thousands of shards makes thousands of them. */
  private reactOnce(): void {
    if (this.isReactDue) return;
    this.isReactDue = true;
    void Promise.resolve().then(() => {
      this.isReactDue = false;
      this.react();
    });
  }

  /**
   * A disabled server does not lead. If a starting instance removed a server's entry, that server writes it
   * again.
   */
  private serverChanged({ tree, facts, nodes, instance }: Session): void {
    const { paths, ports } = this;
    const path = `${paths.servers}/${ports.server}`;
    if (!tree.has(path)) {
      if (facts.isLive(instance)) this.quietly(nodes.create(path, 'ENABLED'));
    } else if (this.isLeader && !facts.isEnabled(ports.server)) this.quietly(nodes.remove(paths.leader));
  }

  private readJob({ tree, nodes, facts, paths }: Session): void {
    const text = tree.get(paths.config)?.value;
    if (text === undefined) return;
    const before = this.current;
    try {
      this.current = readConfig(before.namespace, text, paths.config, this.ports.zone);
    } catch (error) {
      this.ports.log('error', `job ${before.name}: ${(error as Error).message}; the last one stays`);
      return;
    }
    const { failover, monitorExecution } = this.current;
    if (JSON.stringify(before) === JSON.stringify(this.current)) return;
    this.request.onEvent({ type: 'config', job: this.current });
    const over = [
      ...(before.failover && !failover ? (['failover'] as const) : []),
      ...(before.monitorExecution && !monitorExecution ? (['running'] as const) : []),
    ];
    for (const name of over)
      for (const shard of facts.shards) this.quietly(nodes.remove(paths.shard(shard, name)));
  }

  private tellTrigger({ tree, instance, paths }: Session): void {
    const path = `${paths.triggers}/${instance}`;
    const isThere = tree.has(path);
    // Only our own operators write a parameter; Java writes and reads none.
    const parameter = tree.get(path)?.value || undefined;
    if (isThere && !this.isTriggerKnown)
      this.request.onEvent({ type: 'trigger', trigger: { id: instance, parameter } });
    this.isTriggerKnown = isThere;
  }

  /** An operator may delete this instance's entry to end its part in the job. */
  private async checkRemoved(session: Session): Promise<void> {
    const path = `${this.paths.instances}/${session.instance}`;
    if (await session.nodes.client.exists(path)) return;
    if (this.session === session && !this.left) this.request.onEvent({ type: 'removed', gone: true });
  }

  protected react(): void {
    const session = this.active();
    if (!session) return;
    const { facts } = session;
    if (this.job.failover && isFailoverDue(session)) this.request.onEvent({ type: 'failover' });
    if (facts.leader === undefined && facts.isEnabled(this.ports.server))
      this.quietly(session.elections.ask());
    else if (this.isLeader) this.quietly(this.duties.ask());
    this.wake();
  }

  protected async oversee({ tree, leader }: Session): Promise<void> {
    // The entries of a transaction arrive one by one and are consistent only when all have arrived.
    await tree.settled();
    await leader.mark(this.job, this.joined);
  }

  protected isMarked({ facts }: Session): boolean {
    return facts.isMarked;
  }

  protected divide(session: Session): Promise<boolean> {
    session.dividing ??= session.leader.divide(this.job).finally(() => {
      session.dividing = undefined;
    });
    return session.dividing;
  }

  protected refresh({ tree }: Session): Promise<void> {
    return tree.settled();
  }

  protected async reconcile(): Promise<void> {
    this.react();
  }

  protected isPassing(error: unknown): boolean {
    return isCode(error, 'CONNECTION_LOSS', 'SESSION_EXPIRED') || this.isAway || this.left;
  }

  protected isUnanswered(error: unknown): boolean {
    return isCode(error, 'CONNECTION_LOSS');
  }
}
