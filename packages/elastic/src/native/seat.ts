/**
 * An instance's place at a job on any registry. Everything that decides is one transaction with the assignment's version, so a stale view costs a retry, never a
 * shard that runs twice.
 */
import type { Job } from '@orrery/core/model';
import {
  isRegistryError,
  nameOf,
  parentOf,
  type Registry,
  type Watch,
  type WatchEvent,
} from '@orrery/registry';
import type { Cause, Grant, JobSeat, SeatRequest, ShardOutcome, Trigger } from '../board/board.ts';
import type { EndedRound } from '../board/operator.ts';
import { Seat, type SeatPorts, type SeatSession } from '../board/seat.ts';
import { checkStrategy } from '../board/strategy.ts';
import { SingleFlight } from '../run/single-flight.ts';
import { marked, NEXT_TURN, shardsOf, takeCrashed, takesTurns } from './assignment.ts';
import {
  type Coverage,
  covered,
  isCovered,
  lastTick,
  mergeCoverage,
  readCoverage,
  writeCoverage,
} from './coverage.ts';
import { Leader } from './leader.ts';
import { meet } from './meeting.ts';
import { JobPaths } from './paths.ts';
import { publishJob } from './publish.ts';
import { endedRound, RecentRounds } from './recent-rounds.ts';
import { writeShards } from './shard-set.ts';
import {
  NO_SWITCHES,
  type RunningInfo,
  readSwitches,
  readValue,
  type StoredTrigger,
  type TriggeredRound,
  writeJob,
} from './stored.ts';
import { JobView } from './view.ts';

/** Limit of kept rounds of triggers, for their requesters. */
const TRIGGERS_KEPT = 20;

/** What belongs to one session. */
interface Session extends SeatSession<Registry> {
  readonly view: JobView;
  readonly leader: Leader;
  readonly candidate: string;
  readonly watch: Watch;
}

export class NativeSeat extends Seat<Registry, Session> implements JobSeat {
  private readonly paths: JobPaths;
  private readonly rounds = new RecentRounds();
  /** The last triggers that were accepted. */
  private triggered: readonly TriggeredRound[] = [];
  /** The last tick of each shard that ran here. */
  private coverage: Coverage = new Map();
  /** Since when this instance follows the cron that the job has. */
  private following: { readonly cron: string; readonly since: number } | undefined;
  /** The last division whose moved shards were checked. */
  private seenDivision = 0;
  private missedTick = false;
  private readonly saves = new SingleFlight(() => this.saveRunning());
  /** Writes to this instance's running entry, one after the other. */
  private turn: Promise<unknown> = Promise.resolve();
  /** Triggers received and not accepted yet. */
  private readonly known = new Set<string>();

  constructor(request: SeatRequest, ports: SeatPorts, onLeave: () => void) {
    super(request, ports, onLeave);
    this.paths = new JobPaths(request.job.namespace, request.job.name);
  }

  get job(): Job {
    return this.seated.view.job;
  }

  get isLeader(): boolean {
    const { view, candidate } = this.seated;
    return view.leader === nameOf(candidate);
  }

  /** Sits down with a session: publishes the job, registers the instance, begins to watch. All or nothing. */
  async attach(registry: Registry): Promise<void> {
    const { paths, ports, request } = this;
    checkStrategy(request.job, request.strategies);
    const again = this.session !== undefined;
    const stored = await publishJob(registry, paths, request);
    checkStrategy(stored, request.strategies);
    const view = new JobView(paths, registry, stored);
    const instance = ports.newInstance();
    const watch = await registry.watch(paths.root, 'subtree', (event) => {
      if (this.session?.instance === instance) void this.changed(event);
    });
    try {
      // Entries that cannot be read are found before anyone counts on this instance.
      await view.load();
      const candidate = await this.register(registry, instance);
      const { clock } = ports;
      const { strategies } = request;
      const since = () => this.following?.since ?? clock.now();
      const leader = new Leader({
        registry,
        paths,
        view,
        candidate,
        clock,
        strategies,
        log: ports.log,
        since,
      });
      await view.load();
      this.followCron(view.job);
      this.held.clear();
      this.rounds.startOver();
      this.session = { connection: registry, instance, view, leader, candidate, watch };
      if (request.job.disabled) await this.disableServer();
    } catch (error) {
      watch.stop();
      void this.withdraw(registry, instance).catch(() => {});
      throw error;
    }
    this.sitDown(this.session, again);
  }

  /** Makes this instance's entries; the path of its candidate entry. */
  private async register(registry: Registry, instance: string): Promise<string> {
    const { paths, ports } = this;
    const info = JSON.stringify({ server: ports.server, since: ports.clock.now() });
    const created = await registry.transaction([
      { op: 'create', path: `${paths.running}/${instance}`, value: JSON.stringify({ shards: '' }) },
      { op: 'create', path: `${paths.triggers}/${instance}`, value: '' },
      { op: 'create', path: `${paths.instances}/${instance}`, value: info, ephemeral: true },
      { op: 'create', path: `${paths.candidates}/c-`, value: instance, ephemeral: true, sequential: true },
    ]);
    return created[3]?.path ?? '';
  }

  /** Takes back what a failed `attach` may have made: an instance that is there and runs nothing stops the job. */
  private async withdraw(registry: Registry, instance: string): Promise<void> {
    const { paths } = this;
    await this.remove(registry, `${paths.instances}/${instance}`);
    for (const { path, value } of await registry.subtree(paths.candidates))
      if (value === instance) await this.remove(registry, path);
  }

  async prepare(signal: AbortSignal, due?: () => number | undefined): Promise<readonly number[]> {
    for (;;) {
      signal.throwIfAborted();
      const session = this.present();
      const { view, instance } = session;
      const { assignment, switches } = view;
      if (switches.disabled || !view.available.includes(instance)) return [];
      if (assignment.number > 0 && !assignment.mark)
        return this.uncovered(due?.()).filter((shard) => !switches.shards.includes(shard));
      const change = this.nextChange(signal);
      if (this.isLeader) {
        await this.duties.ask();
        if (await this.divide(session)) continue;
      }
      await change;
    }
  }

  async begin(shards: readonly number[], due?: number): Promise<readonly Grant[] | undefined> {
    const { view } = this.present();
    const { assignment, assigned } = view;
    if (assignment.mark) return undefined;
    const own = new Set(this.uncovered(due));
    const granted = shards.filter((shard) => own.has(shard) && !this.held.has(shard));
    if (!view.job.monitorExecution) return granted.map((shard) => ({ shard, token: assigned.changed }));
    const step = { op: 'check', path: this.paths.assignment, version: assigned.version } as const;
    // Shards that are disabled have had this tick too.
    const coverage =
      due === undefined ? this.coverage : covered(this.coverage, shardsOf(assignment, this.instance), due);
    return this.hold(granted, step, coverage);
  }

  /** This instance's shards, without those that have run the tick. */
  private uncovered(due: number | undefined): readonly number[] {
    const { view, instance } = this.seated;
    const own = shardsOf(view.assignment, instance);
    if (due === undefined) return own;
    const coverage = this.knownCoverage();
    const now = this.ports.clock.now();
    return own.filter((shard) => !isCovered(coverage, shard, due, now));
  }

  private knownCoverage(): Coverage {
    return mergeCoverage([readCoverage(this.seated.view.assignment.covered), this.coverage]);
  }

  async finish(
    outcomes: readonly ShardOutcome[],
    round: { readonly cause: Cause; readonly due?: number },
  ): Promise<void> {
    for (const { shard, token } of outcomes) if (this.held.get(shard) === token) this.held.delete(shard);
    this.rounds.add(outcomes, round, this.ports.clock.now());
    if (this.session?.view.job.monitorExecution) await this.saves.ask();
    await this.passOn();
  }

  /** After a round of a job whose single shard rotates: passes it to the next instance. */
  private async passOn(): Promise<void> {
    const session = this.active();
    if (!session) return;
    const { view, connection: registry } = session;
    if (!takesTurns(view.job, view.available.length) || view.assignment.mark) return;
    const value = JSON.stringify(marked(view.assignment, [NEXT_TURN], this.ports.clock.now()));
    await registry.set(this.paths.assignment, value, view.assigned.version).catch((error) => {
      // Someone else changed it: it is divided again anyway, or the turn comes after the next round.
      if (!isRegistryError(error)) throw error;
    });
  }

  async accept({ id }: Trigger): Promise<boolean> {
    const { connection: registry, instance } = this.present();
    const path = `${this.paths.triggers}/${instance}/${id}`;
    this.known.delete(path);
    try {
      await registry.delete(path);
    } catch (error) {
      if (isRegistryError(error, 'no-entry')) return false;
      throw error;
    }
    await this.keepTrigger({ id });
    return true;
  }

  async answer({ id }: Trigger, outcomes: readonly ShardOutcome[], error?: string): Promise<void> {
    const ended: EndedRound = endedRound(outcomes, this.ports.clock.now());
    await this.keepTrigger({
      id,
      ended: error === undefined ? ended : { ...ended, failed: [{ error: error.slice(0, 200) }] },
    });
  }

  private async keepTrigger(round: TriggeredRound): Promise<void> {
    const others = this.triggered.filter(({ id }) => id !== round.id);
    this.triggered = [...others, round].slice(-TRIGGERS_KEPT);
    await this.saves.ask();
  }

  async missed(): Promise<void> {
    this.missedTick = true;
  }

  async takeMissed(): Promise<boolean> {
    const { missedTick } = this;
    this.missedTick = false;
    return missedTick;
  }

  async claimFailover(): Promise<readonly Grant[]> {
    for (;;) {
      const { view, instance } = this.present();
      if (!view.assignment.crashed || !view.available.includes(instance)) return [];
      const { taken, rest } = takeCrashed(view.assignment, view.available.length);
      const { version } = view.assigned;
      const value = JSON.stringify(rest);
      const free = taken.filter((shard) => !this.held.has(shard));
      const grants = await this.hold(free, { op: 'set', path: this.paths.assignment, value, version });
      if (grants) return grants;
    }
  }

  async meet(
    phase: 'started' | 'completed',
    shards: readonly number[],
    signal: AbortSignal,
  ): Promise<boolean | undefined> {
    const { connection: registry, view } = this.present();
    const path = `${this.paths.meetings}/${phase}`;
    return meet(registry, path, shards, view.job.shards, {
      change: () => this.nextChange(signal),
      isOff: () => phase === 'started' && this.isOutdated,
      signal,
    });
  }

  async disperse(phase: 'started' | 'completed'): Promise<void> {
    const { connection: registry } = this.present();
    const path = `${this.paths.meetings}/${phase}`;
    const entry = await registry.get(path);
    if (entry) await registry.set(path, JSON.stringify({ number: entry.changed, shards: '' }));
  }

  async clockSkew(): Promise<number | undefined> {
    const { clock } = this.ports;
    const { connection: registry } = this.present();
    const sent = clock.monotonic();
    const time = await registry.serverTime();
    if (time === undefined) return undefined;
    return clock.now() - (time + (clock.monotonic() - sent) / 2);
  }

  protected async clear({ connection: registry, instance, candidate, watch }: Session): Promise<void> {
    const { paths } = this;
    watch.stop();
    const triggers = `${paths.triggers}/${instance}`;
    // The leader of the other instances copies the last ticks from this entry and deletes it.
    const running: RunningInfo = { ...this.remarks(this.coverage), shards: '' };
    await this.insist(() => registry.set(`${paths.running}/${instance}`, JSON.stringify(running)));
    for (const path of [`${paths.instances}/${instance}`, candidate]) await this.remove(registry, path);
    const asked = await registry.children(triggers).catch(() => []);
    for (const path of [...asked.map((name) => `${triggers}/${name}`), triggers])
      await this.remove(registry, path);
  }

  /** Deletes an entry, however long the registry does not answer. */
  private remove(registry: Registry, path: string): Promise<void> {
    return this.insist(() => registry.delete(path));
  }

  private async disableServer(): Promise<void> {
    const { connection: registry, view } = this.seated;
    const { server } = this.ports;
    for (;;) {
      const entry = await registry.get(this.paths.switches);
      const switches = entry ? readSwitches(entry.path, entry.value) : NO_SWITCHES;
      if (!entry || switches.servers.includes(server)) return;
      try {
        const next = { ...switches, servers: [...switches.servers, server] };
        await registry.set(entry.path, JSON.stringify(next), entry.version);
        view.switches = next;
        return;
      } catch (error) {
        if (!isRegistryError(error, 'version')) throw error;
      }
    }
  }

  /** The fields of the running entry besides the running shards. */
  private remarks(coverage: Coverage): Omit<RunningInfo, 'shards' | 'since'> {
    return { recent: this.rounds.list, triggered: this.triggered, covered: writeCoverage(coverage) };
  }

  /** Marks shards as running here, in one transaction with a step on the assignment; undefined if that has changed. */
  private hold(
    shards: readonly number[],
    step:
      | { readonly op: 'check'; readonly path: string; readonly version: number }
      | { readonly op: 'set'; readonly path: string; readonly value: string; readonly version: number },
    coverage: Coverage = this.coverage,
  ): Promise<readonly Grant[] | undefined> {
    const work = async () => {
      const { connection: registry, instance, view } = this.present();
      const running: RunningInfo = {
        shards: writeShards([...this.held.keys(), ...shards]),
        since: this.ports.clock.now(),
        ...this.remarks(coverage),
      };
      try {
        const [, , entry] = await registry.transaction([
          { op: 'check', path: `${this.paths.instances}/${instance}` },
          step,
          { op: 'set', path: `${this.paths.running}/${instance}`, value: JSON.stringify(running) },
        ]);
        const token = entry?.changed ?? 0;
        this.coverage = coverage;
        for (const shard of shards) this.held.set(shard, token);
        return shards.map((shard) => ({ shard, token }));
      } catch (error) {
        if (isRegistryError(error, 'version')) {
          await view.follow({ type: 'changed', path: this.paths.assignment });
          return undefined;
        }
        // The shards may be marked as running although no instance runs them.
        if (isRegistryError(error, 'away')) this.retryLater(() => this.saves.ask());
        throw error;
      }
    };
    const done = this.turn.then(work);
    this.turn = done.catch(() => {});
    return done;
  }

  /** Writes the shards that still run. Retried when the session is back, if it is away now. */
  private async saveRunning(): Promise<void> {
    const work = async () => {
      const session = this.active();
      if (!session) return;
      const value: RunningInfo = {
        shards: writeShards(this.held.keys()),
        ...this.remarks(this.coverage),
      };
      const { newest } = this.rounds;
      try {
        await session.connection.set(`${this.paths.running}/${session.instance}`, JSON.stringify(value));
        this.rounds.stored(newest);
      } catch (error) {
        if (isRegistryError(error, 'no-entry')) {
          await this.remake(
            session.connection,
            `${this.paths.running}/${session.instance}`,
            JSON.stringify(value),
          );
          return;
        }
        if (!isRegistryError(error, 'away', 'session-lost')) throw error;
        // Until the end of the shards is written, they are not divided again.
        this.retryLater(() => this.saves.ask());
      }
    };
    const done = this.turn.then(work);
    this.turn = done.catch(() => {});
    return done;
  }

  private async changed(event: WatchEvent): Promise<void> {
    const { session, paths } = this;
    if (!session || this.left) return;
    // The end of someone's shards: it only wakes those who wait for it, and comes twice in every round.
    if (event.type === 'changed' && parentOf(event.path) === paths.running) {
      this.wake();
      return;
    }
    const before = session.view.job;
    let decides = false;
    try {
      if (event.type !== 'deleted' && parentOf(event.path) === `${paths.triggers}/${session.instance}`)
        await this.tellTrigger(session.connection, event.path);
      decides = await session.view.follow(event);
      if (event.type === 'deleted') await this.restore(session, event.path);
      if (event.type === 'resync') await this.tellTriggers(session);
    } catch (error) {
      this.quietly(Promise.reject(error));
      return;
    }
    if (before !== session.view.job && JSON.stringify(before) !== JSON.stringify(session.view.job)) {
      this.followCron(session.view.job);
      this.request.onEvent({ type: 'config', job: session.view.job });
      this.reconcileLater();
    }
    if (event.type === 'deleted' && event.path === `${paths.instances}/${session.instance}`) {
      if (await this.isRemoved(session, event.path)) this.request.onEvent({ type: 'removed', gone: true });
      return;
    }
    if (decides) this.react();
    this.wake();
  }

  /** Recreates an entry that was deleted from outside and that all instances need. */
  private async restore({ connection: registry, instance, view }: Session, path: string): Promise<void> {
    const { paths, request } = this;
    if (path === `${paths.running}/${instance}`) await this.saves.ask();
    else if (path === paths.config)
      await this.remake(registry, path, writeJob({ job: view.job, identity: request.identity }));
    else if (path === paths.assignment) await this.remake(registry, path, JSON.stringify(view.assignment));
  }

  /**
   * Creates an entry if this instance is registered and no other was faster: to delete a job, an operator
   * ends its instances first.
   */
  private async remake(registry: Registry, path: string, value: string): Promise<void> {
    const own = `${this.paths.instances}/${this.instance}`;
    const steps = [{ op: 'check', path: own } as const, { op: 'create', path, value } as const];
    await registry.transaction(steps).catch((error) => {
      if (!isRegistryError(error, 'exists', 'no-entry')) throw error;
    });
  }

  /** Whether an operator deleted this instance's entry: a session that is over deletes it as well. */
  private async isRemoved({ connection: registry }: Session, path: string): Promise<boolean> {
    try {
      return (await registry.get(path)) === undefined && registry.session.state === 'connected';
    } catch {
      return false;
    }
  }

  protected refresh({ view }: Session): Promise<void> {
    return view.load();
  }

  protected catchUp(): Promise<void> {
    return this.saves.ask();
  }

  protected async reconcile({ view }: Session): Promise<void> {
    if (!this.isLeader) return;
    await view.load();
    this.react();
  }

  protected isPassing(error: unknown): boolean {
    return isRegistryError(error);
  }

  protected isUnanswered(error: unknown): boolean {
    return isRegistryError(error, 'away');
  }

  protected isMarked({ view }: Session): boolean {
    return view.assignment.mark !== undefined;
  }

  protected divide({ leader }: Session): Promise<boolean> {
    return leader.divide();
  }

  protected async oversee({ leader }: Session): Promise<void> {
    await leader.sweep();
    await leader.mark();
  }

  private async tellTriggers({ connection: registry, instance }: Session): Promise<void> {
    const path = `${this.paths.triggers}/${instance}`;
    for (const name of await registry.children(path)) await this.tellTrigger(registry, `${path}/${name}`);
  }

  private async tellTrigger(registry: Registry, path: string): Promise<void> {
    if (this.known.has(path)) return;
    const entry = await registry.get(path);
    if (!entry || this.known.has(path)) return;
    this.known.add(path);
    let asked: StoredTrigger;
    try {
      asked = readValue<StoredTrigger>(path, entry.value);
    } catch (error) {
      this.ports.log('error', `job ${this.request.job.name}: ${(error as Error).message}; refused`);
      await this.remove(registry, path);
      return;
    }
    const { parameter, stop } = asked;
    if (stop) this.request.onEvent({ type: 'removed', gone: false });
    else this.request.onEvent({ type: 'trigger', trigger: { id: nameOf(path), parameter } });
  }

  protected react(): void {
    const session = this.active();
    if (!session) return;
    this.checkBehind(session.view);
    if (session.view.assignment.crashed) this.request.onEvent({ type: 'failover' });
    if (this.isLeader) this.quietly(this.duties.ask());
    this.wake();
  }

  private followCron({ cron = '', timezone }: Job): void {
    const now = `${cron} ${timezone}`;
    if (this.following?.cron !== now) this.following = { cron: now, since: this.ports.clock.now() };
  }

  /** After a division: tells whether shards came here that missed the last tick because they moved. */
  private checkBehind({ assignment, job }: JobView): void {
    const { number, mark, since } = assignment;
    if (mark || number === this.seenDivision) return;
    this.seenDivision = number;
    if (!job.misfire || since === undefined) return;
    const due = lastTick(job, since, this.ports.clock.now());
    if (due !== undefined && this.uncovered(due).length > 0) this.request.onEvent({ type: 'behind', due });
  }
}
