/** Masters that fire ticks, in virtual time; for tests. */
import { createApi } from '@orrery/api';
import { Membership, StoreClock } from '@orrery/cluster';
import type { ScheduleSpec } from '@orrery/core/model';
import { VirtualClock } from '@orrery/core/timing';
import { Master, masterDefaults } from '@orrery/master';
import { openSqlite, type Store } from '@orrery/store';
import { Random } from './random.ts';
import { SimNode } from './sim-node.ts';
import { task, workflow } from './workflows.ts';

const START = 1_700_000_000_000;
/** How often the schedule of a stage fires. */
export const EVERY = 1_000;
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

/** An api on the stage, asked over HTTP. */
export interface StageApi {
  readonly node: SimNode;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  call(method: 'GET' | 'POST', path: string, payload?: string): Promise<any>;
}

/** Masters in one world, whose store has the right time. */
export class TickStage {
  readonly world: VirtualClock;
  readonly nodes: SimNode[] = [];
  readonly said: string[] = [];
  /** By how much each tick and skip was committed before its time. */
  readonly early: number[] = [];
  /** Who fired each of them. */
  readonly firedBy: string[] = [];
  readonly store: Store;
  private readonly masters: Master[] = [];
  private readonly apis: Membership[] = [];
  private readonly random = new Random(7);

  private constructor(world: VirtualClock, store: Store) {
    this.world = world;
    this.store = store;
  }

  static async open(): Promise<TickStage> {
    const world = new VirtualClock(START);
    return new TickStage(world, await openSqlite(':memory:', { now: () => world.now() }));
  }

  /** Starts a master; `over` are operations of its store that do as the test says. */
  async start(
    name: string,
    skew: number,
    over: (inner: Store) => Partial<Store> = () => ({}),
  ): Promise<SimNode> {
    const node = new SimNode(name, this.world, this.random);
    node.skew = skew;
    this.nodes.push(node);
    const inner = { ...this.store, ...over(this.store) };
    const watched: Store = {
      ...inner,
      fireTicks: async (input) => {
        const answer = await inner.fireTicks(input);
        input.schedules.forEach(({ firedUntil }, k) => {
          if (answer.outcomes[k].outcome !== 'fired') return;
          this.early.push(firedUntil - this.world.now());
          this.firedBy.push(name);
        });
        return answer;
      },
    };
    const started = Master.start(
      { ...masterDefaults, id: name, address: name },
      {
        clock: new StoreClock(node.clock),
        store: node.storeOver(watched, () => ({ fails: 0, unknown: 0 })),
        log: (level, text) => this.said.push(`${level} ${text}`),
      },
    );
    await this.pass(50);
    this.masters.push(await started);
    return node;
  }

  /** Publishes a workflow with one schedule, and tells nobody; the id of the schedule. */
  async publish(name = 'w', more: Partial<ScheduleSpec> = {}): Promise<number> {
    const misfire = { policy: 'skip', threshold: 5_000 } as const;
    const spec = { name: 's', every: EVERY, timezone: 'UTC', misfire, params: {}, enabled: true, ...more };
    const now = this.world.now();
    const due = { s: Math.ceil((now + 1) / EVERY) * EVERY };
    const made = { hash: name, source: '', note: '', author: '', due, now };
    await this.store.publishWorkflow({
      workflow: workflow([task('a')], { name, schedules: [spec] }),
      ...made,
    });
    const all = await this.store.listSchedules({});
    return Math.max(...all.map(({ id }) => id));
  }

  /** An api without a master; one that has not `joined` never measured its clock. */
  async api(name: string, skew: number, { joined = true } = {}): Promise<StageApi> {
    const node = new SimNode(name, this.world, this.random);
    node.skew = skew;
    const clock = new StoreClock(node.clock);
    const { store } = this;
    const app = createApi({
      store,
      clock,
      hints: { commandsQueued: () => {}, inboxTold: () => {} },
      logs: {
        read: async () => ({ bytes: new Uint8Array(), next: 0, size: 0 }),
        async *follow() {},
      },
      taskTypes: () => [{ name: 'noop' }],
      version: 'test',
      onDefect: (error) => {
        throw error;
      },
    });
    if (joined) {
      const { beatEvery, sessionTimeout } = masterDefaults;
      const membership = Membership.join(
        { id: name, roles: ['api'], address: name, info: {}, beatEvery, sessionTimeout, rejoins: true },
        { clock, store: node.storeOver(store, () => ({ fails: 0, unknown: 0 })), log: () => {} },
      );
      await this.pass(50);
      const begun = (await membership).begin({});
      await this.pass(50);
      await begun;
      this.apis.push(await membership);
    }
    const call = async (method: 'GET' | 'POST', path: string, payload?: string) => {
      const headers = payload === undefined ? {} : { 'content-type': 'application/yaml' };
      const reply = await app.inject({ method, url: `/api/v1${path}`, payload, headers });
      if (reply.statusCode >= 300) throw new Error(`${path}: ${reply.body}`);
      return reply.json();
    };
    return { node, call };
  }

  pass(ms: number): Promise<void> {
    return this.world.advanceAsync(ms, settle);
  }

  async close(): Promise<void> {
    for (const api of this.apis) api.end('stopped');
    const stopped = Promise.all(this.masters.map((master) => master.stop()));
    await this.pass(100);
    await stopped;
    await this.store.close();
  }
}
