import { VirtualClock } from '@orrery/core/timing';
import { MemoryRegistry, MemoryTree } from '@orrery/registry/memory';
import { openSqlite, type Store, StoreAway } from '@orrery/store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Membership } from './membership.ts';
import { type OnRegistryLoss, RegistryJudge } from './registry-judge.ts';
import { RegistryLink } from './registry-link.ts';
import { StoreClock } from './store-clock.ts';

const START = 1_700_000_000_000;
const TIMEOUT = 3_000;
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

let clock: VirtualClock;
let tree: MemoryTree;
let inner: Store;
const pass = (ms: number) => clock.advanceAsync(ms, settle);

beforeEach(async () => {
  clock = new VirtualClock(START);
  tree = new MemoryTree(clock);
  inner = await openSqlite(':memory:');
});
afterEach(() => inner.close());

/** A node whose links to the store and to the registry can be cut. */
class TestNode {
  readonly lines: string[] = [];
  readonly exits: string[] = [];
  readonly clients: MemoryRegistry[] = [];
  storeAway = false;
  registryAway = false;
  over: string | undefined;
  link!: RegistryLink;
  membership!: Membership;

  static async start(id: string, onLoss: OnRegistryLoss = 'pause', cluster = 'main'): Promise<TestNode> {
    const node = new TestNode();
    const log = (_level: string, text: string) => node.lines.push(text);
    const open = async () => {
      if (node.registryAway) throw new Error('no route');
      const client = new MemoryRegistry(tree, { sessionTimeout: TIMEOUT });
      node.clients.push(client);
      return client;
    };
    const store = node.reached();
    const storeId = await inner.readStoreId();
    const live = { address: id, weight: 1 };
    node.link = await RegistryLink.open({ cluster, node: id, live, storeId }, { open, clock, log });
    node.link.listen({ away: (reason) => node.exits.push(reason) });
    const judge = new RegistryJudge({ link: node.link, clock, sessionTimeout: 6_000, onLoss, log });
    const config = { id, roles: ['master'], address: id, info: {}, beatEvery: 1_000, sessionTimeout: 6_000 };
    node.membership = await Membership.join(
      { ...config, workerLimit: 35_000, rejoins: true, registry: node.link.id },
      { clock: StoreClock.unmeasured(clock), store, log, judge },
    );
    await node.membership.begin({ over: (reason) => (node.over = reason) });
    return node;
  }

  cutRegistry(): void {
    this.registryAway = true;
    for (const client of this.clients) client.faults.cut();
  }

  restoreRegistry(): void {
    this.registryAway = false;
    for (const client of this.clients) client.faults.restore();
  }

  get epoch(): number {
    return this.membership.self.epoch;
  }

  get state(): string {
    return this.membership.state;
  }

  private reached(): Store {
    return new Proxy(inner, {
      get: (target, name) => {
        const operation = Reflect.get(target, name);
        if (typeof operation !== 'function') return operation;
        return (...input: never[]) =>
          this.storeAway ? Promise.reject(new StoreAway('no link', false)) : operation(...input);
      },
    });
  }
}

const rowOf = async (id: string) => (await inner.listNodes()).find((node) => node.id === id);
const liveNames = () => new MemoryRegistry(tree).children('/orrery/main/live');

describe('with a registry', () => {
  it('a master acts while store and registry are good, and the end of its session is its death', async () => {
    const [first, second] = [await TestNode.start('m1'), await TestNode.start('m2')];
    await pass(30_000);
    expect([first.state, second.state]).toEqual(['acting', 'acting']);
    expect(await rowOf('m1')).toMatchObject({ epoch: 1, fenced: 0 });
    // It crashed: no beat, no ping.
    second.membership.end('crashed');
    second.cutRegistry();
    await pass(TIMEOUT - 100);
    expect((await rowOf('m2'))?.fenced).toBe(0);
    await pass(1_200);
    expect((await rowOf('m2'))?.fenced).toBe(1);
    first.membership.end('stopped');
  });

  it('a master without the registry is paused at its deadline, fenced when its entry is gone, and joins again', async () => {
    const [first, second] = [await TestNode.start('m1'), await TestNode.start('m2')];
    await pass(10_000);
    second.cutRegistry();
    await pass(2_100);
    expect(second.state).toBe('paused');
    for (const deed of ['fire', 'start', 'adopt', 'dispatch', 'sweep'] as const)
      expect(second.membership.refusal(deed)).toMatch(/^m2 is paused: the registry memory: /);
    expect(second.membership.refusal('hear')).toBeUndefined();
    expect((await rowOf('m2'))?.fenced).toBe(0);
    await pass(1_900);
    // By then the other has fenced it, and it has joined the store again: paused until the registry is back.
    await pass(1_000);
    expect(second.epoch).toBe(2);
    expect(second.membership.refusal('fire')).toBeDefined();
    expect(first.state).toBe('acting');
    second.restoreRegistry();
    await pass(3_000);
    expect(second.state).toBe('acting');
    expect(await liveNames()).toEqual(['m1', 'm2']);
    await pass(20_000);
    expect(await rowOf('m2')).toMatchObject({ fenced: 0, state: 'acting' });
    for (const node of [first, second]) node.membership.end('stopped');
  });

  it('a master without the store closes its session after one timeout, and is fenced by those who have the store', async () => {
    const [first, second] = [await TestNode.start('m1'), await TestNode.start('m2')];
    await pass(10_000);
    second.storeAway = true;
    await pass(5_500);
    expect(await liveNames()).toEqual(['m1', 'm2']);
    expect((await rowOf('m2'))?.fenced).toBe(0);
    await pass(1_500);
    expect(await liveNames()).toEqual(['m1']);
    await pass(1_500);
    expect((await rowOf('m2'))?.fenced).toBe(1);
    second.storeAway = false;
    await pass(3_000);
    expect(second).toMatchObject({ state: 'acting', epoch: 2 });
    expect(await liveNames()).toEqual(['m1', 'm2']);
    for (const node of [first, second]) node.membership.end('stopped');
  });

  it('a master without store and registry is paused', async () => {
    const node = await TestNode.start('m1');
    node.storeAway = true;
    node.cutRegistry();
    await pass(10_000);
    expect(node.state).toBe('paused');
    node.storeAway = false;
    node.restoreRegistry();
    await pass(3_000);
    expect(node).toMatchObject({ state: 'acting', epoch: 1 });
    node.membership.end('stopped');
  });

  it('an outage of the registry alone fences nobody', async () => {
    const nodes = [await TestNode.start('m1'), await TestNode.start('m2'), await TestNode.start('m3')];
    await pass(10_000);
    for (const node of nodes) node.cutRegistry();
    await pass(60_000);
    expect(nodes.map(({ state }) => state)).toEqual(['paused', 'paused', 'paused']);
    // They come back one after the other: the first must not take the others for dead.
    for (const node of nodes) {
      node.restoreRegistry();
      await pass(1_500);
    }
    await pass(10_000);
    expect(nodes.map(({ state, epoch }) => [state, epoch])).toEqual([
      ['acting', 1],
      ['acting', 1],
      ['acting', 1],
    ]);
    expect(nodes[0].membership.outage(START + 20_000, START + 30_000)).toMatch(
      /m1 was paused from .* to .*: the registry memory: has answered no ping/,
    );
    expect(nodes[0].membership.outage(START, START + 9_000)).toBeUndefined();
    for (const node of nodes) node.membership.end('stopped');
  });

  it('goes on by its last plan where it is told to continue', async () => {
    const node = await TestNode.start('m1', 'continue');
    node.cutRegistry();
    await pass(60_000);
    expect(node.state).toBe('acting');
    expect(node.exits).toHaveLength(1);
    node.membership.end('stopped');
  });

  it('says once that it is away, for a process that exits', async () => {
    const node = await TestNode.start('m1', 'exit');
    node.cutRegistry();
    await pass(1_900);
    expect(node.exits).toEqual([]);
    await pass(30_000);
    expect(node.exits).toEqual([expect.stringContaining('the registry memory: has answered no ping')]);
    node.membership.end('stopped');
  });

  it('stands under live again when somebody deleted its entry', async () => {
    const node = await TestNode.start('m1');
    await new MemoryRegistry(tree).delete('/orrery/main/live/m1');
    await pass(2_000);
    expect(await liveNames()).toEqual(['m1']);
    node.membership.end('stopped');
  });

  it('refuses a cluster of another database, and says which name to change', async () => {
    const other = await openSqlite(':memory:');
    const node = await TestNode.start('m1');
    const config = { cluster: 'main', node: 'x', live: { address: 'x', weight: 1 } };
    const ports = { open: async () => new MemoryRegistry(tree), clock, log: () => {} };
    await expect(RegistryLink.open({ ...config, storeId: await other.readStoreId() }, ports)).rejects.toThrow(
      'the registry memory: has a cluster "main" of another database; give this one another name with --cluster',
    );
    node.membership.end('stopped');
    await other.close();
  });

  it('judges a master that uses another registry by its beat, and says that it is there', async () => {
    const node = await TestNode.start('m1');
    const stranger = await TestNode.start('m2', 'pause', 'elsewhere').catch((error) => error);
    await pass(20_000);
    expect((await rowOf('m2'))?.fenced).toBe(0);
    expect(node.lines).toContain(
      'm2: uses another registry than this node; give all masters of a cluster the same --registry and --cluster',
    );
    stranger.membership.end('stopped');
    await pass(8_000);
    expect((await rowOf('m2'))?.fenced).toBe(1);
    node.membership.end('stopped');
  });
});
