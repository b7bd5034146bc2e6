/**
 * The registry of a simulation: one tree, one client per session of each master, seeded faults, and the
 * invariants of plans. The writer of a plan is the leader at that moment, numbers only grow, and in the end
 * all masters have the same plan.
 */
import type { RegistryPort } from '@orrery/cluster';
import { parsePlan } from '@orrery/core/shard';
import type { Clock } from '@orrery/core/timing';
import { sequenceOf } from '@orrery/registry';
import { MemoryRegistry, MemoryTree } from '@orrery/registry/memory';
import type { Store } from '@orrery/store';
import type { Random } from './random.ts';
import type { SimNode } from './sim-node.ts';

const ROOT = '/orrery/sim';
/** Who acts at its deadline may have asked a moment before. */
const ON_ITS_WAY = 100;

export class SimRegistry {
  /** The first law that was broken. */
  broken: string | undefined;
  private readonly tree: MemoryTree;
  private readonly random: Random;
  private readonly clock: Clock;
  private readonly doubledLeader: boolean;
  private readonly clients = new Map<string, MemoryRegistry>();
  private readonly observer: MemoryRegistry;
  private isAway = false;
  private newest = 0;
  private plans = 0;

  /** With `doubledLeader` every master believes that it was elected: the laws must notice. */
  constructor(clock: Clock, random: Random, doubledLeader: boolean) {
    this.clock = clock;
    this.random = random;
    this.doubledLeader = doubledLeader;
    this.tree = new MemoryTree(clock);
    this.observer = new MemoryRegistry(this.tree, { sessionTimeout: Number.MAX_SAFE_INTEGER });
    const apply = this.tree.apply.bind(this.tree);
    this.tree.apply = (session, operations) => {
      const answer = apply(session, operations);
      for (const operation of operations)
        if (operation.op === 'set' && operation.path === `${ROOT}/live`)
          this.planned(session, operation.value);
      return answer;
    };
  }

  /** How a master takes part. */
  port(node: SimNode): RegistryPort {
    const deliver = (run: () => void) =>
      void this.clock.setTimer(1 + this.random.int(3), () => node.deliver(run));
    const open = async () => {
      if (this.isAway) throw new Error('the registry is away');
      const client = new MemoryRegistry(this.tree, { sessionTimeout: 3_000, clock: node.clock, deliver });
      if (this.doubledLeader) believeInItself(client);
      this.clients.set(node.name, client);
      return client;
    };
    return { open, cluster: 'sim', onLoss: 'pause', strategy: 'balanced' };
  }

  /** One fault. */
  disturb(): void {
    const client = this.random.pick([...this.clients.values()]);
    if (!client) return;
    switch (this.random.int(5)) {
      case 0:
        this.cut([client], this.random.pick(['both', 'requests', 'answers'] as const), 20_000);
        break;
      case 1:
        client.faults.delay(this.random.int(1_500));
        this.clock.setTimer(1 + this.random.int(20_000), () => client.faults.restore());
        break;
      case 2:
        this.tree.expire(client.session.id);
        break;
      case 3: {
        this.isAway = true;
        this.cut([...this.clients.values()], 'both', 20_000, () => {
          this.isAway = false;
        });
        break;
      }
    }
  }

  heal(): void {
    this.isAway = false;
    for (const client of this.clients.values()) client.faults.restore();
  }

  /** A master has taken something: not past the deadline of its session. */
  took(node: string, what: string): void {
    const session = this.clients.get(node)?.session;
    const late = session && session.lostBecause === undefined ? -session.remaining() : 0;
    if (late > ON_ITS_WAY) this.broken ??= `${node} took ${what} ${late} ms past its registry deadline`;
  }

  /** Everything healed: all that act hold one plan, which is for them. */
  async check(store: Store): Promise<void> {
    const entry = await this.observer.get(`${ROOT}/live`);
    const live = await this.observer.children(`${ROOT}/live`);
    const plan = parsePlan(entry?.value ?? '');
    const masters = (await store.listNodes()).filter(({ fenced }) => fenced === 0);
    const hashes = new Set(masters.map((node) => `${node.plan} ${node.planHash}`));
    if (hashes.size !== 1) throw new Error(`masters hold different plans: ${[...hashes].join(', ')}`);
    const draining = new Set(masters.filter(({ state }) => state === 'draining').map(({ id }) => id));
    const there = live.filter((node) => !draining.has(node)).sort();
    if (plan.nodes.join() !== there.join())
      throw new Error(`plan ${plan.number} is for ${plan.nodes.join()}, and ${there.join()} are there`);
    if (this.plans === 0) throw new Error('no plan was made');
  }

  private cut(
    clients: readonly MemoryRegistry[],
    direction: 'both' | 'requests' | 'answers',
    atMost: number,
    restored: () => void = () => {},
  ): void {
    for (const client of clients) client.faults.cut(direction);
    this.clock.setTimer(1 + this.random.int(atMost), () => {
      for (const client of clients) client.faults.restore();
      restored();
    });
  }

  private planned(session: string, value: string): void {
    const { number } = parsePlan(value);
    this.plans++;
    if (number <= this.newest) this.broken ??= `plan ${number} was written after plan ${this.newest}`;
    this.newest = number;
    const names = this.tree.children(this.observer.session.id, `${ROOT}/election`);
    const [first] = names
      .filter((name) => sequenceOf(name) !== undefined)
      .sort((a, b) => (sequenceOf(a) ?? 0) - (sequenceOf(b) ?? 0));
    const leader = this.tree.get(this.observer.session.id, `${ROOT}/election/${first}`)?.owner;
    if (leader !== session) this.broken ??= `plan ${number} was written by somebody who does not lead`;
  }
}

/** A candidate that sees only itself in the line. */
function believeInItself(client: MemoryRegistry): void {
  const children = client.children.bind(client);
  client.children = async (path) => {
    const names = await children(path);
    return path === `${ROOT}/election`
      ? names.filter((name) => name.startsWith(`${client.session.id}-`))
      : names;
  };
}
