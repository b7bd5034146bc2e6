/**
 * How coordination grows: the real lives, links, judges and plans of many masters on one registry and one store, in
 * virtual time, with workers that only beat and schedules that are due in years. Masters crash and come back by seed.
 * It counts what a node asks of the registry and of the store, and how large plans and answers are.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import {
  Membership,
  openGate,
  PlanOwnership,
  RegistryJudge,
  RegistryLink,
  StoreClock,
} from '@orrery/cluster';
import { VirtualClock } from '@orrery/core/timing';
import { masterDefaults } from '@orrery/master';
import { MemoryRegistry, MemoryTree } from '@orrery/registry/memory';
import { type BeatAnswer, openSqlite, type Store } from '@orrery/store';
import { Random } from './random.ts';

export interface ScaleOptions {
  readonly seed: number;
  readonly masters: number;
  readonly workers: number;
  readonly schedules: number;
  /** Virtual minutes. */
  readonly minutes: number;
  /** Told after each of them. */
  readonly progress: (minute: number, report: ScaleReport) => void;
}

/** What was counted since everyone had joined; rates are a second of virtual time. */
export interface ScaleReport {
  readonly minutes: number;
  readonly plans: number;
  readonly planBytes: number;
  /** Requests to the registry and events from it, of one master. */
  readonly registryRequests: number;
  readonly registryEvents: number;
  /** The most requests of all masters within a second: after a crash. */
  readonly mostRequests: number;
  /** Operations on the store, of one master. */
  readonly storeOperations: number;
  readonly beatBytes: number;
  /** Real milliseconds of one beat, in the store and in the master. */
  readonly beatTime: number;
  /** Longest virtual time from a crash until all others had the next plan. */
  readonly adoptedWithin: number;
  readonly operations: Readonly<Record<string, number>>;
}

const START = 1_700_000_000_000;
const FAR = 4_000_000_000_000;
const SESSION = 3_000;
const MINUTE = 60_000;
const BACK_AFTER = 20_000;
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

interface ScaleMaster {
  readonly id: string;
  readonly client: () => MemoryRegistry | undefined;
  readonly membership: Membership;
  readonly ownership: PlanOwnership;
  isCrashed: boolean;
}

export class ScaleSim {
  private readonly clock = new VirtualClock(START);
  private readonly tree = new MemoryTree(this.clock);
  private readonly random: Random;
  private readonly options: ScaleOptions;
  private readonly store: Store;
  private readonly masters = new Map<string, ScaleMaster>();
  private readonly counts = new Map<string, number>();
  private since = 0;
  private requests = 0;
  private events = 0;
  private mostRequests = 0;
  private beatBytes = 0;
  private beats = 0;
  private beatTime = 0;
  private planBytes = 0;
  private plans = 0;
  private adoptedWithin = 0;

  private constructor(options: ScaleOptions, store: Store) {
    this.options = options;
    this.store = store;
    this.random = new Random(options.seed);
    const apply = this.tree.apply.bind(this.tree);
    this.tree.apply = (session, operations) => {
      for (const operation of operations) {
        if (operation.op !== 'set' || operation.path !== '/orrery/scale/live') continue;
        this.plans++;
        this.planBytes = Math.max(this.planBytes, operation.value.length);
      }
      return apply(session, operations);
    };
  }

  static async play(options: ScaleOptions): Promise<ScaleReport> {
    // In memory where the system has such a folder: what a disk costs is not asked here.
    const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'orrery-scale-'));
    try {
      const store = await openFilled(join(folder, 'orrery.db'), options.schedules);
      try {
        return await new ScaleSim(options, store).play();
      } finally {
        await store.close();
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  private async play(): Promise<ScaleReport> {
    const { masters, minutes, progress } = this.options;
    for (let k = 0; k < masters; k++) this.start(`m${k}`);
    await this.pass(10_000);
    await this.startWorkers();
    await this.pass(10_000);
    this.reset();
    for (let minute = 1; minute <= minutes; minute++) {
      await this.crash();
      progress(minute, this.report());
    }
    return this.report();
  }

  /** A master dies, the others share what it held, and it comes back. */
  private async crash(): Promise<void> {
    const begin = this.clock.monotonic();
    const victim = this.random.pick([...this.masters.values()]);
    victim.isCrashed = true;
    victim.client()?.faults.cut();
    victim.membership.end('crashed');
    this.masters.delete(victim.id);
    while (!this.isPlannedFor(this.masters.size)) await this.pass(100);
    this.adoptedWithin = Math.max(this.adoptedWithin, this.clock.monotonic() - begin);
    await this.pass(BACK_AFTER);
    this.start(victim.id);
    await this.pass(begin + MINUTE - this.clock.monotonic());
    if (!this.isPlannedFor(this.masters.size)) throw new Error('the plan is not that of all masters');
  }

  private isPlannedFor(count: number): boolean {
    const hashes = new Set([...this.masters.values()].map(({ ownership }) => ownership.plan?.hash));
    return hashes.size === 1 && this.tree.children(this.observer, '/orrery/scale/live').length === count;
  }

  private readonly observer = this.tree.openSession(Number.MAX_SAFE_INTEGER);

  private start(id: string): void {
    void this.join(id).then((master) => this.masters.set(id, master));
  }

  private async join(id: string): Promise<ScaleMaster> {
    const { clock } = this;
    const store = this.counted();
    let client: MemoryRegistry | undefined;
    const open = async () => {
      client = new MemoryRegistry(this.tree, { sessionTimeout: SESSION });
      return this.watched(client);
    };
    const log = () => {};
    const storeId = await store.readStoreId();
    const live = { address: `${id}.example.org:7071`, weight: 1 };
    const link = await RegistryLink.open({ cluster: 'scale', node: id, live, storeId }, { open, clock, log });
    const { beatEvery, sessionTimeout, lease, leaseGrace } = masterDefaults;
    const judge = new RegistryJudge({ link, clock, sessionTimeout, onLoss: 'pause', log });
    const membership = await Membership.join(
      {
        ...{ id, roles: ['master'], address: live.address, info: {}, beatEvery, sessionTimeout },
        ...{ workerLimit: lease + leaseGrace, registry: link.id },
      },
      { clock: new StoreClock(clock), store, log, judge },
    );
    const ports = { clock, store, self: membership.self, gate: openGate, log };
    const ownership = new PlanOwnership(ports, link, 'balanced');
    const master = { id, client: () => client, membership, ownership, isCrashed: false };
    // Not waited for: beats of all masters are spread over the second by when they joined.
    void membership.begin({
      beat: (answer) => {
        this.beatBytes = Math.max(this.beatBytes, bytesOf(answer));
        ownership.beat(answer);
      },
      plan: () => ownership.plan,
    });
    return master;
  }

  /** Workers that do nothing but beat, each through some master. */
  private async startWorkers(): Promise<void> {
    const { workers } = this.options;
    const every = masterDefaults.lease / 3;
    for (let k = 0; k < workers; k++) {
      const worker = `w${k}`;
      const { epoch } = await this.store.joinWorker({
        ...{ self: this.anyone(), worker, address: `${worker}.example.org:7072`, slots: 16 },
        ...{ groups: ['default'], now: this.clock.now() },
      });
      const beat = () => {
        const input = {
          self: this.anyone(),
          worker,
          epoch,
          take: 0,
          held: [],
          load: {},
          now: this.clock.now(),
        };
        // One that was fenced a moment ago cannot serve it; the next beat goes to another.
        this.store.beatWorker(input).catch(() => {});
        this.clock.setTimer(every, beat);
      };
      this.clock.setTimer((k * every) / workers, beat);
    }
  }

  private anyone() {
    return this.random.pick([...this.masters.values()]).membership.self;
  }

  /** Passes time, second by second where that shows how requests come in bursts. */
  private async pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 1_000) {
      const before = this.requests;
      await this.clock.advanceAsync(Math.ceil(Math.min(left, 1_000)), settle);
      this.mostRequests = Math.max(this.mostRequests, this.requests - before);
    }
  }

  /** The store as a master has it, counted. */
  private counted(): Store {
    return new Proxy(this.store, {
      get: (target, name) => {
        const operation = Reflect.get(target, name);
        if (typeof operation !== 'function') return operation;
        return async (...input: never[]) => {
          this.counts.set(String(name), (this.counts.get(String(name)) ?? 0) + 1);
          if (name !== 'beat') return operation(...input);
          const begin = performance.now();
          const answer = await operation(...input);
          this.beats++;
          this.beatTime += performance.now() - begin;
          return answer;
        };
      },
    });
  }

  /** A client whose requests and events are counted. */
  private watched(client: MemoryRegistry): MemoryRegistry {
    for (const name of ['get', 'children', 'subtree', 'create', 'set', 'delete', 'transaction'] as const) {
      const operation = client[name].bind(client) as (...input: unknown[]) => Promise<never>;
      Object.assign(client, {
        [name]: (...input: unknown[]) => {
          this.requests++;
          return operation(...input);
        },
      });
    }
    const watch = client.watch.bind(client);
    client.watch = (path, scope, listener) => {
      this.requests++;
      return watch(path, scope, (event) => {
        this.events++;
        listener(event);
      });
    };
    return client;
  }

  private reset(): void {
    this.since = this.clock.monotonic();
    this.counts.clear();
    Object.assign(this, { requests: 0, events: 0, mostRequests: 0, beats: 0, beatTime: 0, plans: 0 });
  }

  private report(): ScaleReport {
    const seconds = (this.clock.monotonic() - this.since) / 1_000;
    const rate = (count: number) => count / seconds / this.options.masters;
    const operations = Object.fromEntries([...this.counts].sort((a, b) => b[1] - a[1]));
    return {
      minutes: Math.round(seconds / 60),
      plans: this.plans,
      planBytes: this.planBytes,
      // Adds a ping every third of the timeout to the requests.
      registryRequests: rate(this.requests) + 3_000 / SESSION,
      registryEvents: rate(this.events),
      mostRequests: this.mostRequests,
      storeOperations: rate([...this.counts.values()].reduce((sum, count) => sum + count, 0)),
      beatBytes: this.beatBytes,
      beatTime: this.beatTime / Math.max(1, this.beats),
      adoptedWithin: this.adoptedWithin,
      operations,
    };
  }
}

/** What the database sends with the answer of a beat. */
function bytesOf({ peers, workers }: BeatAnswer): number {
  return JSON.stringify(peers).length + JSON.stringify(workers).length;
}

/** A store with this many schedules, none of them due. */
async function openFilled(path: string, schedules: number): Promise<Store> {
  await (await openSqlite(path)).close();
  const database = new DatabaseSync(path);
  const body = JSON.stringify({ every: 86_400_000, timezone: 'UTC', params: {}, enabled: true });
  database.exec(`PRAGMA synchronous = OFF; BEGIN;
    INSERT INTO workflow (id, project, name, live, created_at) VALUES (1, 'default', 'far', NULL, 0);
    WITH RECURSIVE k(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM k WHERE n < ${schedules})
    INSERT INTO schedule (id, workflow, name, body, enabled, version, fired_until, next_due)
      SELECT 1 + n, 1, 's' || n, '${body}', 1, 1, ${FAR}, ${FAR} FROM k;
    COMMIT;`);
  database.close();
  return openSqlite(path);
}
