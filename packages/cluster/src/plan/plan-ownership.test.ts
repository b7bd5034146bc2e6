import { ownersOf, type Plan, parsePlan } from '@orrery/core/shard';
import { VirtualClock } from '@orrery/core/timing';
import { MemoryRegistry, MemoryTree } from '@orrery/registry/memory';
import { type BeatAnswer, openSqlite, type Store } from '@orrery/store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openGate } from '../life.ts';
import { RegistryLink } from '../registry-link.ts';
import { PlanOwnership } from './plan-ownership.ts';
import type { PlanStrategy } from './planner.ts';

const START = 1_700_000_000_000;
const TIMEOUT = 3_000;
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

let clock: VirtualClock;
let tree: MemoryTree;
let store: Store;
let ids: number[];
const pass = (ms: number) => clock.advanceAsync(ms, settle);

beforeEach(async () => {
  clock = new VirtualClock(START);
  tree = new MemoryTree(clock);
  store = await openSqlite(':memory:');
  ids = [];
});
afterEach(() => store.close());

/** Publishes workflows with some schedules each. */
async function publish(count: number, name = 'flow'): Promise<void> {
  const schedules = Array.from({ length: count }, (_, k) => ({
    name: `s${k}`,
    every: 3_600_000,
    timezone: 'UTC',
    misfire: { policy: 'skip' as const, threshold: 60_000 },
    params: {},
    enabled: true,
  }));
  const due = Object.fromEntries(schedules.map((schedule) => [schedule.name, START + 3_600_000]));
  const workflow = {
    project: 'default',
    name,
    tasks: [],
    triggers: [],
    onFailure: 'continue',
    schedules,
  } as never;
  await store.publishWorkflow({ workflow, hash: name, source: '', note: '', author: '', due, now: START });
  ids = (await store.listSchedules({})).map(({ id }) => id);
}

class TestMaster {
  readonly lines: string[] = [];
  readonly clients: MemoryRegistry[] = [];
  readonly changes: number[] = [];
  isAway = false;
  link!: RegistryLink;
  ownership!: PlanOwnership;
  epoch = 0;

  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }

  static async start(
    name: string,
    { strategy = 'range', weight = 1 }: { strategy?: PlanStrategy | 'none'; weight?: number } = {},
  ): Promise<TestMaster> {
    const master = new TestMaster(name);
    const log = (_level: string, text: string) => master.lines.push(text);
    const open = async () => {
      if (master.isAway) throw new Error('no route');
      const client = new MemoryRegistry(tree, { sessionTimeout: TIMEOUT });
      master.clients.push(client);
      return client;
    };
    const live = { address: name, weight };
    const storeId = await store.readStoreId();
    master.link = await RegistryLink.open(
      { cluster: 'main', node: name, live, storeId },
      { open, clock, log },
    );
    const { epoch } = await store.joinNode({
      id: name,
      roles: ['master'],
      address: name,
      info: {},
      now: START,
    });
    master.epoch = epoch;
    const self = { node: name, epoch };
    const chosen = strategy === 'none' ? undefined : strategy;
    master.ownership = new PlanOwnership({ clock, store, self, gate: openGate, log }, master.link, chosen);
    master.ownership.listen(() => master.changes.push(master.ownership.plan?.number ?? 0));
    return master;
  }

  async beat(more: Partial<BeatAnswer> = {}): Promise<void> {
    const answer = await store.beat({ self: { node: this.name, epoch: this.epoch }, now: clock.now() });
    this.ownership.beat({ ...answer, ...more });
  }

  /** It dies: no ping any more. */
  crash(): void {
    this.isAway = true;
    for (const client of this.clients) client.faults.cut();
    void this.ownership.stop();
  }

  cut(): void {
    this.isAway = true;
    for (const client of this.clients) client.faults.cut();
  }

  restore(): void {
    this.isAway = false;
    for (const client of this.clients) client.faults.restore();
  }

  /** The schedules that it fires at their due time. */
  get held(): number[] {
    return ids.filter((id) => this.ownership.order.delayOf(id) === 0);
  }

  async stop(): Promise<void> {
    await this.ownership.stop();
    await this.link.close();
  }
}

const planNow = async (): Promise<Plan> =>
  parsePlan((await new MemoryRegistry(tree).get('/orrery/main/live'))?.value ?? '');

/** INV-1 and INV-2: one holder for each schedule, and one plan everywhere. */
function expectPartition(masters: readonly TestMaster[]): void {
  const held = masters.flatMap((master) => master.held);
  expect(held.toSorted((a, b) => a - b)).toEqual(ids);
  expect(new Set(masters.map(({ ownership }) => ownership.plan?.hash)).size).toBe(1);
}

describe('a plan', () => {
  it('is made by the first master, and made again when others come and go', async () => {
    await publish(10);
    const a = await TestMaster.start('a');
    await pass(100);
    expect(a.held).toEqual(ids);
    const [b, c] = [await TestMaster.start('b'), await TestMaster.start('c')];
    await pass(100);
    expectPartition([a, b, c]);
    // V-SCOPE: 10 among 3 is 3, 3 and 4.
    expect([a.held.length, b.held.length, c.held.length]).toEqual([3, 3, 4]);
    b.crash();
    await pass(TIMEOUT + 200);
    expectPartition([a, c]);
    expect([a.held.length, c.held.length]).toEqual([5, 5]);
    const rows = await store.listPlans({ limit: 10 });
    expect(rows[0]).toMatchObject({ leader: 'a', reason: 'b left', schedules: 10, moved: 3, mode: 'scope' });
    expect(rows[0].adoptedAt).not.toBeNull();
    expect(rows.at(-1)?.reason).toBe('a was elected');
    expect(await new MemoryRegistry(tree).children('/orrery/main/all')).toEqual(['a', 'b', 'c']);
    for (const master of [a, c]) await master.stop();
  });

  it('divides by rank, whatever the ids are', async () => {
    await publish(2, 'early');
    for (let k = 0; k < 30; k++) await publish(1, `gone${k}`);
    for (let k = 0; k < 30; k++)
      await store.deleteWorkflow({ project: 'default', name: `gone${k}`, now: START });
    await publish(2, 'late');
    const [a, b] = [await TestMaster.start('a'), await TestMaster.start('b')];
    await pass(100);
    expectPartition([a, b]);
    expect(Math.abs(a.held.length - b.held.length)).toBeLessThanOrEqual(1);
    for (const master of [a, b]) await master.stop();
  });

  it('outlives its leader: the next one in line is elected and makes a plan', async () => {
    await publish(9);
    const masters = [await TestMaster.start('a'), await TestMaster.start('b'), await TestMaster.start('c')];
    await pass(100);
    const [a, b, c] = masters;
    a.crash();
    await pass(TIMEOUT + 200);
    expectPartition([b, c]);
    const [newest] = await store.listPlans({ limit: 1 });
    expect(newest).toMatchObject({ leader: 'b' });
    expect(await new MemoryRegistry(tree).get('/orrery/main/election/leader')).toMatchObject({ value: 'b' });
    expect(JSON.parse((await new MemoryRegistry(tree).get('/orrery/main/shard'))?.value ?? '')).toMatchObject(
      {
        resharding: false,
        leader: 'b',
        plan: newest.number,
      },
    );
    for (const master of [b, c]) await master.stop();
  });

  it('coalesces changes: many masters at once lead to few plans', async () => {
    await publish(40);
    const masters = [await TestMaster.start('m00')];
    await pass(100);
    const before = (await planNow()).number;
    masters.push(
      ...(await Promise.all(
        Array.from({ length: 19 }, (_, k) => TestMaster.start(`m${String(k + 1).padStart(2, '0')}`)),
      )),
    );
    await pass(1_000);
    expectPartition(masters);
    expect((await planNow()).number - before).toBeLessThanOrEqual(4);
    for (const master of masters) await master.stop();
  });

  it('waits for nobody: who cannot adopt it holds up neither its plan nor the others', async () => {
    await publish(9);
    const [a, b, c] = [await TestMaster.start('a'), await TestMaster.start('b'), await TestMaster.start('c')];
    await pass(100);
    // Frozen: it hears nothing, and its session lasts a while.
    c.cut();
    const before = (await planNow()).number;
    const d = await TestMaster.start('d');
    await pass(100);
    expect((await planNow()).number).toBe(before + 1);
    expect(d.held.length).toBeGreaterThan(0);
    expect(a.ownership.plan).toEqual(d.ownership.plan);
    expect((await store.listPlans({ limit: 1 }))[0].adoptedAt).toBeNull();
    // Its schedules are fired by others a quarter of a second late, until its session ends.
    for (const id of ids.filter((each) => a.ownership.order.leaderOf(each) === 'c'))
      expect(Math.min(...[a, b, d].map(({ ownership }) => ownership.order.delayOf(id)))).toBeLessThanOrEqual(
        500,
      );
    await pass(TIMEOUT + 200);
    expectPartition([a, b, d]);
    expect((await store.listPlans({ limit: 1 }))[0].adoptedAt).not.toBeNull();
    for (const master of [a, b, d]) await master.stop();
  });

  it('leaves out masters that drain', async () => {
    await publish(10);
    const [a, b] = [await TestMaster.start('a'), await TestMaster.start('b')];
    await pass(100);
    const peer = { id: 'b', roles: 'master', address: 'b', epoch: 1, beat: 1, registry: '' };
    await a.beat({ peers: [{ ...peer, state: 'draining' }] });
    await pass(100);
    expect([a.held.length, b.held.length]).toEqual([10, 0]);
    expect((await store.listPlans({ limit: 1 }))[0].reason).toBe('b drains');
    await a.beat({ peers: [{ ...peer, state: 'acting' }] });
    await pass(100);
    expectPartition([a, b]);
    expect(b.held.length).toBe(5);
    for (const master of [a, b]) await master.stop();
  });

  it('is made again when new schedules made the shares uneven, at most once a minute', async () => {
    await publish(20);
    const [a, b] = [await TestMaster.start('a'), await TestMaster.start('b')];
    await pass(100);
    const { number } = await planNow();
    await a.beat();
    await publish(40, 'more');
    await a.beat();
    await pass(1_000);
    expect((await planNow()).number).toBe(number);
    expect([a.held.length, b.held.length]).toEqual([10, 50]);
    await pass(60_000);
    await a.beat();
    await pass(100);
    expectPartition([a, b]);
    expect([a.held.length, b.held.length]).toEqual([30, 30]);
    expect((await store.listPlans({ limit: 1 }))[0].reason).toContain('1.2 times the smallest');
    await pass(120_000);
    await a.beat();
    await pass(100);
    expect((await planNow()).number).toBe(number + 1);
    for (const master of [a, b]) await master.stop();
  });

  it('follows its strategy: by weight, by a ring, by a rule of the user', async () => {
    await publish(40);
    const strategies: [PlanStrategy, number, number][] = [
      ['weighted', 10, 30],
      [
        {
          name: 'all-to-the-last',
          sizes: (total, weights) => weights.map((_, k) => (k === weights.length - 1 ? total : 0)),
        },
        0,
        40,
      ],
    ];
    for (const [strategy, first, second] of strategies) {
      const a = await TestMaster.start('a', { strategy });
      const b = await TestMaster.start('b', { strategy, weight: 3 });
      await pass(100);
      expectPartition([a, b]);
      expect([a.held.length, b.held.length]).toEqual([first, second]);
      for (const master of [a, b]) await master.stop();
      await pass(TIMEOUT);
    }
    const ring = await Promise.all(
      ['a', 'b', 'c'].map((name) => TestMaster.start(name, { strategy: 'consistent-hash' })),
    );
    await pass(500);
    expectPartition(ring);
    const before = ownersOf(await planNow());
    const [gone, ...left] = ring;
    const lost = ids.filter((id) => before(id) === gone.name);
    gone.crash();
    await pass(TIMEOUT + 200);
    expectPartition(left);
    // INV-9: only what the lost master held has moved.
    expect((await store.listPlans({ limit: 1 }))[0].moved).toBe(lost.length);
    for (const master of left) await master.stop();
  });

  it('is not made by a master that lacks the strategy', async () => {
    await publish(4);
    const a = await TestMaster.start('a', { strategy: 'none' });
    await pass(1_000);
    expect(a.ownership.plan).toBeUndefined();
    expect(a.held).toEqual(ids);
    const b = await TestMaster.start('b');
    await pass(200);
    expectPartition([a, b]);
    expect((await store.listPlans({ limit: 1 }))[0].leader).toBe('b');
    for (const master of [a, b]) await master.stop();
  });

  it('replaces a foreign value, which nobody adopts', async () => {
    await publish(4);
    const [a, b] = [await TestMaster.start('a'), await TestMaster.start('b')];
    await pass(100);
    const before = b.ownership.plan;
    await new MemoryRegistry(tree).set('/orrery/main/live', '{"who":"knows"}');
    await pass(100);
    expect(b.lines.join()).toContain('the value of /orrery/main/live is no plan, the last one stays');
    expectPartition([a, b]);
    expect(b.ownership.plan?.number).toBe((before?.number ?? 0) + 1);
    const [newest] = await store.listPlans({ limit: 1 });
    expect(newest).toMatchObject({ reason: 'the last plan was overwritten', moved: 0 });
    for (const master of [a, b]) await master.stop();
  });

  it('gives nothing to an entry that no master made, and says so once', async () => {
    await publish(4);
    const [a, b] = [await TestMaster.start('a'), await TestMaster.start('b')];
    await pass(100);
    const registry = new MemoryRegistry(tree);
    await registry.create('/orrery/main/live/ghost', 'boo');
    await registry.set('/orrery/main/live/b', 'no JSON');
    await pass(5_000);
    expectPartition([a, b]);
    expect((await planNow()).nodes).toEqual(['a', 'b']);
    const told = a.lines.filter((line) => line.includes('/orrery/main/live/ghost; delete it'));
    expect(told).toHaveLength(1);
    for (const master of [a, b]) await master.stop();
  });

  it('goes on with its number when the registry was lost with all it had', async () => {
    await publish(4);
    const a = await TestMaster.start('a');
    await pass(100);
    const number = (await planNow()).number;
    a.crash();
    tree = new MemoryTree(clock);
    const b = await TestMaster.start('b');
    await pass(100);
    expect((await planNow()).number).toBe(number + 1);
    await b.stop();
  });
});

describe('a leader that dies in the middle', () => {
  /** Ends the leader at the nth operation of its reshard, from the registry's side: its session expires. */
  it('at any step leaves a plan that the next leader completes', { timeout: 60_000 }, async () => {
    await publish(12);
    for (let steps = 1; steps <= 12; steps++) {
      tree = new MemoryTree(clock);
      const [a, b, c] = [
        await TestMaster.start('a'),
        await TestMaster.start('b'),
        await TestMaster.start('c'),
      ];
      await pass(500);
      // The next plan begins; after some operations its leader is gone.
      let left = steps;
      for (const client of a.clients) {
        const inner = client.transaction.bind(client);
        const get = client.get.bind(client);
        const step = () => {
          if (--left === 0) tree.expire(client.session.id);
        };
        client.transaction = async (operations) => {
          step();
          const answer = await inner(operations);
          step();
          return answer;
        };
        client.get = async (path) => {
          step();
          return get(path);
        };
      }
      const d = await TestMaster.start('d');
      await pass(300);
      a.crash();
      await pass(TIMEOUT * 2);
      expectPartition([b, c, d]);
      const shard = JSON.parse((await new MemoryRegistry(tree).get('/orrery/main/shard'))?.value ?? '{}');
      expect(shard).toMatchObject({ resharding: false });
      for (const master of [b, c, d]) await master.stop();
    }
  });
});
