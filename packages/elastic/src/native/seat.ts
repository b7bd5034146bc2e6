/**
 * An instance's place at a job on any registry.
 *
 *   seated --(our deadline passes)--> away --(the session is good again)--> seated
 *   seated | away --(the session is lost)--> away, until `attach` seats it again with a new instance id
 *
 * Everything that decides is one transaction with the assignment's version, so a stale view costs a retry, never a
 * shard that runs twice.
 */
import type { Job } from '@orrery/core/model';
import type { Clock, ClockTimer } from '@orrery/core/timing';
import {
  isRegistryError,
  nameOf,
  parentOf,
  type Registry,
  type Watch,
  type WatchEvent,
} from '@orrery/registry';
import type { Grant, JobSeat, SeatRequest, ShardOutcome, Trigger } from '../board/board.ts';
import type { LastRound } from '../board/operator.ts';
import { SingleFlight } from '../run/single-flight.ts';
import { checkStrategy, marked, NEXT_TURN, shardsOf, takeCrashed, takesTurns } from './assignment.ts';
import { Leader } from './leader.ts';
import { meet } from './meeting.ts';
import { JobPaths } from './paths.ts';
import { publishJob } from './publish.ts';
import { writeShards } from './shard-set.ts';
import { NO_SWITCHES, type RunningInfo, readSwitches, readValue } from './stored.ts';
import { JobView } from './view.ts';

/** What a seat needs from its host. */
export interface SeatPorts {
  readonly clock: Clock;
  /** The name operators disable: a host name or an address. */
  readonly server: string;
  /** An instance id that is never used again. */
  readonly newInstance: () => string;
  readonly log: (level: 'info' | 'warn' | 'error', text: string) => void;
}

/** How long the leader waits for further changes before it divides the shards of an idle job again. */
const SETTLE = 1_000;
/** Wait before the job is read again after its session came back. */
const RETRY = 300;
/** Failures of a round that operators see. */
const FAILURES_SHOWN = 20;

/** What belongs to one session. */
interface Session {
  readonly registry: Registry;
  readonly instance: string;
  readonly view: JobView;
  readonly leader: Leader;
  readonly candidate: string;
  readonly watch: Watch;
}

export class NativeSeat implements JobSeat {
  private readonly request: SeatRequest;
  private readonly ports: SeatPorts;
  private readonly paths: JobPaths;
  private session: Session | undefined;
  private isAway = true;
  private left = false;
  /** Shards this instance runs, with their tokens. */
  private readonly held = new Map<number, number>();
  private last: LastRound | undefined;
  private missedTick = false;
  private readonly waiters = new Set<() => void>();
  private readonly saves = new SingleFlight(() => this.saveRunning());
  private readonly duties = new SingleFlight(() => this.lead());
  /** Writes to this instance's running entry, one after the other. */
  private turn: Promise<unknown> = Promise.resolve();
  /** Triggers that were told and not accepted yet. */
  private readonly known = new Set<string>();
  private settling: ClockTimer | undefined;
  private reconciling: ClockTimer | undefined;

  private readonly onLeave: () => void;

  constructor(request: SeatRequest, ports: SeatPorts, onLeave: () => void) {
    this.request = request;
    this.onLeave = onLeave;
    this.ports = ports;
    this.paths = new JobPaths(request.job.namespace, request.job.name);
  }

  get instance(): string {
    return this.seated.instance;
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
      const leader = new Leader({ registry, paths, view, candidate, clock, strategies, log: ports.log });
      await view.load();
      this.held.clear();
      this.session = { registry, instance, view, leader, candidate, watch };
      if (request.job.disabled) await this.disableServer();
    } catch (error) {
      watch.stop();
      void this.withdraw(registry, instance).catch(() => {});
      throw error;
    }
    this.isAway = false;
    registry.session.onState((state) => this.stateChanged(registry, state));
    if (again) request.onEvent({ type: 'back', lost: true });
    if (registry.session.state !== 'connected') this.stateChanged(registry, registry.session.state);
    this.react(true);
    this.reconcileLater();
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

  async prepare(signal: AbortSignal): Promise<readonly number[]> {
    for (;;) {
      signal.throwIfAborted();
      const { view, instance, leader } = this.present();
      const { assignment, switches } = view;
      if (switches.disabled || !view.available.includes(instance)) return [];
      if (assignment.number > 0 && !assignment.mark)
        return shardsOf(assignment, instance).filter((shard) => !switches.shards.includes(shard));
      const change = this.nextChange(signal);
      if (this.isLeader) {
        await this.duties.ask();
        if (await leader.divide()) continue;
      }
      await change;
    }
  }

  async begin(shards: readonly number[]): Promise<readonly Grant[] | undefined> {
    const { view } = this.present();
    const { assignment, assigned } = view;
    if (assignment.mark) return undefined;
    const own = new Set(shardsOf(assignment, this.instance));
    const granted = shards.filter((shard) => own.has(shard) && !this.held.has(shard));
    if (!view.job.monitorExecution) return granted.map((shard) => ({ shard, token: assigned.changed }));
    return this.hold(granted, { op: 'check', path: this.paths.assignment, version: assigned.version });
  }

  async finish(outcomes: readonly ShardOutcome[]): Promise<void> {
    for (const { shard, token } of outcomes) if (this.held.get(shard) === token) this.held.delete(shard);
    const failed = outcomes.filter(({ ok }) => !ok);
    this.last = {
      at: this.ports.clock.now(),
      succeeded: outcomes.length - failed.length,
      failed: failed
        .slice(0, FAILURES_SHOWN)
        .map(({ shard, error }) => ({ shard, error: (error ?? '').slice(0, 200) })),
    };
    if (this.session?.view.job.monitorExecution) await this.saves.ask();
    await this.passOn();
  }

  /** After a round of a job whose shard takes turns: the next instance is to have it. */
  private async passOn(): Promise<void> {
    const { session } = this;
    if (!session || this.isAway || this.left) return;
    const { view, registry } = session;
    if (!takesTurns(view.job, view.available.length) || view.assignment.mark) return;
    const value = JSON.stringify(marked(view.assignment, [NEXT_TURN], this.ports.clock.now()));
    await registry.set(this.paths.assignment, value, view.assigned.version).catch((error) => {
      // Someone else changed it: it is divided again anyway, or the turn comes after the next round.
      if (!isRegistryError(error)) throw error;
    });
  }

  async accept({ id }: Trigger): Promise<boolean> {
    const { registry, instance } = this.present();
    const path = `${this.paths.triggers}/${instance}/${id}`;
    this.known.delete(path);
    try {
      await registry.delete(path);
      return true;
    } catch (error) {
      if (isRegistryError(error, 'no-entry')) return false;
      throw error;
    }
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
  ): Promise<boolean> {
    const { registry, view } = this.present();
    const path = `${this.paths.meetings}/${phase}`;
    return meet(registry, path, shards, view.job.shards, () => this.nextChange(signal), signal);
  }

  async disperse(phase: 'started' | 'completed'): Promise<void> {
    const { registry } = this.present();
    const path = `${this.paths.meetings}/${phase}`;
    const entry = await registry.get(path);
    if (entry) await registry.set(path, JSON.stringify({ number: entry.changed, shards: '' }));
  }

  async clockSkew(): Promise<number | undefined> {
    const { clock } = this.ports;
    const { registry } = this.present();
    const sent = clock.monotonic();
    const time = await registry.serverTime();
    if (time === undefined) return undefined;
    return clock.now() - (time + (clock.monotonic() - sent) / 2);
  }

  async leave(): Promise<void> {
    if (this.left) return;
    this.left = true;
    this.settling?.cancel();
    this.reconciling?.cancel();
    this.onLeave();
    const { session } = this;
    session?.watch.stop();
    if (!session || session.registry.session.state === 'lost') return;
    const cleared = this.clear(session);
    cleared.catch((error) => this.complain(error));
    // While the registry is away nobody waits for it: the entries go when it is back, or with the session.
    await Promise.race([cleared, notConnected(session.registry)]);
  }

  /** Deletes this instance's entries. */
  private async clear({ registry, instance, candidate }: Session): Promise<void> {
    const { paths } = this;
    const triggers = `${paths.triggers}/${instance}`;
    const own = [`${paths.instances}/${instance}`, candidate, `${paths.running}/${instance}`];
    for (const path of own) await this.remove(registry, path);
    const asked = await registry.children(triggers).catch(() => []);
    for (const path of [...asked.map((name) => `${triggers}/${name}`), triggers])
      await this.remove(registry, path);
  }

  /** Deletes an entry, however long the registry does not answer; a session that ends takes its own entries along. */
  private async remove(registry: Registry, path: string): Promise<void> {
    for (;;) {
      try {
        await registry.delete(path);
        return;
      } catch (error) {
        if (!isRegistryError(error)) throw error;
        if (error.reason !== 'away') return;
        await new Promise<void>((resolve) => this.ports.clock.setTimer(RETRY, resolve));
      }
    }
  }

  /** The registry session is over; `attach` follows with the next one. */
  lost(reason: string): void {
    this.goAway(reason);
  }

  private get seated(): Session {
    if (!this.session) throw new Error('not seated');
    return this.session;
  }

  /** The session, if it may act now: asked in the first turn after a freeze as well. */
  private present(): Session {
    const { seated } = this;
    const { state } = seated.registry.session;
    if (this.isAway || state !== 'connected') throw new Error(`the registry session is ${state}`);
    return seated;
  }

  private async disableServer(): Promise<void> {
    const { registry, view } = this.seated;
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

  /** Marks shards as running here, in one transaction with a step on the assignment; undefined if that has changed. */
  private hold(
    shards: readonly number[],
    step:
      | { readonly op: 'check'; readonly path: string; readonly version: number }
      | { readonly op: 'set'; readonly path: string; readonly value: string; readonly version: number },
  ): Promise<readonly Grant[] | undefined> {
    const work = async () => {
      const { registry, instance, view } = this.present();
      const running: RunningInfo = {
        shards: writeShards([...this.held.keys(), ...shards]),
        since: this.ports.clock.now(),
        last: this.last,
      };
      try {
        const [, , entry] = await registry.transaction([
          { op: 'check', path: `${this.paths.instances}/${instance}` },
          step,
          { op: 'set', path: `${this.paths.running}/${instance}`, value: JSON.stringify(running) },
        ]);
        const token = entry?.changed ?? 0;
        for (const shard of shards) this.held.set(shard, token);
        return shards.map((shard) => ({ shard, token }));
      } catch (error) {
        if (isRegistryError(error, 'version')) {
          await view.follow({ type: 'changed', path: this.paths.assignment });
          return undefined;
        }
        // The shards may be marked as running although nobody runs them.
        if (isRegistryError(error, 'away')) this.saveLater();
        throw error;
      }
    };
    const done = this.turn.then(work);
    this.turn = done.catch(() => {});
    return done;
  }

  /** Writes what still runs. Tried again when the session is back, if it is away now. */
  private async saveRunning(): Promise<void> {
    const work = async () => {
      const { session } = this;
      if (!session || this.isAway || this.left) return;
      const value: RunningInfo = { shards: writeShards(this.held.keys()), last: this.last };
      try {
        await session.registry.set(`${this.paths.running}/${session.instance}`, JSON.stringify(value));
      } catch (error) {
        if (!isRegistryError(error, 'away', 'session-lost')) throw error;
        this.saveLater();
      }
    };
    const done = this.turn.then(work);
    this.turn = done.catch(() => {});
    return done;
  }

  /** Until it is written that shards have ended, nobody divides them again. */
  private saveLater(): void {
    this.ports.clock.setTimer(RETRY, () => {
      if (!this.isAway && !this.left) void this.saves.ask();
    });
  }

  private stateChanged(registry: Registry, state: 'connected' | 'suspended' | 'lost'): void {
    if (this.session?.registry !== registry || this.left) return;
    if (state !== 'connected') this.goAway(`the registry session is ${state}`);
    else if (this.isAway) void this.comeBack();
  }

  private goAway(reason: string): void {
    if (this.isAway || this.left) return;
    this.isAway = true;
    this.request.onEvent({ type: 'away', reason });
    this.wake();
  }

  private async comeBack(): Promise<void> {
    try {
      await this.seated.view.load();
    } catch (error) {
      this.ports.log('warn', `job ${this.request.job.name}: ${(error as Error).message}; next try soon`);
      this.ports.clock.setTimer(RETRY, () => {
        if (this.isAway && !this.left && this.session?.registry.session.state === 'connected')
          void this.comeBack();
      });
      return;
    }
    if (!this.isAway || this.seated.registry.session.state !== 'connected') return;
    this.isAway = false;
    this.request.onEvent({ type: 'back', lost: false });
    void this.saves.ask();
    this.react(true);
  }

  private async changed(event: WatchEvent): Promise<void> {
    const { session, paths } = this;
    if (!session || this.left) return;
    const before = session.view.job;
    let decides = false;
    try {
      if (event.type !== 'deleted' && parentOf(event.path) === `${paths.triggers}/${session.instance}`)
        await this.tellTrigger(session.registry, event.path);
      decides = await session.view.follow(event);
      if (event.type === 'resync') await this.tellTriggers(session);
    } catch (error) {
      this.complain(error);
      return;
    }
    if (JSON.stringify(before) !== JSON.stringify(session.view.job)) {
      this.request.onEvent({ type: 'config', job: session.view.job });
      this.reconcileLater();
    }
    if (event.type === 'deleted' && event.path === `${paths.instances}/${session.instance}`) {
      if (await this.isRemoved(session, event.path)) this.request.onEvent({ type: 'removed' });
      return;
    }
    this.react(decides);
  }

  /** Whether an operator deleted this instance's entry: a session that is over deletes it as well. */
  private async isRemoved({ registry }: Session, path: string): Promise<boolean> {
    try {
      return (await registry.get(path)) === undefined && registry.session.state === 'connected';
    } catch {
      return false;
    }
  }

  /** The leader looks at everything again from time to time, whatever events it had. */
  private reconcileLater(): void {
    this.reconciling?.cancel();
    const { reconcileInterval } = this.job;
    if (reconcileInterval === 0 || this.left) return;
    this.reconciling = this.ports.clock.setTimer(reconcileInterval, () => {
      this.reconcile().catch((error) => this.complain(error));
      this.reconcileLater();
    });
  }

  private async reconcile(): Promise<void> {
    const { session } = this;
    if (!session || this.isAway || this.left || !this.isLeader) return;
    await session.view.load();
    this.react(true);
  }

  /** Logs what is no passing trouble with the registry. */
  private complain(error: unknown): void {
    if (!isRegistryError(error))
      this.ports.log('error', `job ${this.request.job.name}: ${(error as Error).message}`);
  }

  private async tellTriggers({ registry, instance }: Session): Promise<void> {
    const path = `${this.paths.triggers}/${instance}`;
    for (const name of await registry.children(path)) await this.tellTrigger(registry, `${path}/${name}`);
  }

  private async tellTrigger(registry: Registry, path: string): Promise<void> {
    if (this.known.has(path)) return;
    const entry = await registry.get(path);
    if (!entry) return;
    this.known.add(path);
    const { parameter } = readValue<{ parameter?: string }>(path, entry.value);
    this.request.onEvent({ type: 'trigger', trigger: { id: nameOf(path), parameter } });
  }

  /** After every change: wakes who waits, and if it decides something does the leader's duties. */
  private react(decides: boolean): void {
    const { session } = this;
    if (!session || this.isAway || this.left) return;
    if (decides && session.view.assignment.crashed) this.request.onEvent({ type: 'failover' });
    if (decides && this.isLeader) this.duties.ask().catch((error) => this.complain(error));
    this.wake();
  }

  /** The leader's duties; an idle job is divided again once its members have settled. */
  private async lead(): Promise<void> {
    const { session } = this;
    if (!session || this.isAway || this.left || !this.isLeader) return;
    await session.leader.sweep();
    await session.leader.mark();
    if (session.view.assignment.mark && !this.settling)
      this.settling = this.ports.clock.setTimer(SETTLE, () => {
        this.settling = undefined;
        if (!this.isAway && !this.left && this.isLeader)
          session.leader.divide().catch((error) => this.complain(error));
      });
  }

  private wake(): void {
    for (const waiter of [...this.waiters]) waiter();
  }

  /** Resolves at the next change of the view, or when the signal is aborted. */
  private nextChange(signal: AbortSignal): Promise<void> {
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
}

/** Resolves once the session may not act. */
function notConnected({ session }: Registry): Promise<void> {
  if (session.state !== 'connected') return Promise.resolve();
  return new Promise((resolve) => {
    const stop = session.onState((state) => {
      if (state === 'connected') return;
      stop();
      resolve();
    });
  });
}
