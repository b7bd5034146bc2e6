/** What may happen to a cluster. Each fault heals by itself after a while; several may last at the same time. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '@orrery/testkit/random';
import { type ChaosCluster, masters, workers } from './chaos-cluster.ts';

/** How many nodes of each kind have no fault at any time, so that work goes on. */
const LEFT_ALONE = 1;

export class Faults {
  /** How often each fault happened. */
  readonly counts: Record<string, number> = {};
  private readonly cluster: ChaosCluster;
  private readonly random: Random;
  /** Nodes and servers that have a fault now. */
  private readonly faulty = new Set<string>();
  private readonly pending = new Set<Promise<void>>();

  constructor(cluster: ChaosCluster, random: Random) {
    this.cluster = cluster;
    this.random = random;
  }

  /** Begins one fault, if there is something left that it may hit. */
  begin(): void {
    const faults: Record<string, () => void> = {
      kill: () => this.onNode(this.anyNode(), (node) => this.kill(node)),
      freeze: () => this.onNode(this.anyNode(), (node) => this.freeze(node)),
      partition: () => this.onNode(this.random.pick([masters, masters, ['api']]), (node) => this.cut(node)),
      clock: () => this.onNode(this.anyNode(), (node) => this.stepClock(node)),
      store: () => this.onServer('store', () => this.restartStore()),
      registry: () => this.onServer('registry', () => this.cluster.restartRegistry(() => this.pause(4_000))),
    };
    const chosen = this.random.pick([...Object.keys(faults), 'kill', 'freeze', 'partition', 'partition']);
    faults[chosen]();
  }

  /** Waits until every fault is over. */
  async healed(): Promise<void> {
    while (this.pending.size > 0) await Promise.all(this.pending);
  }

  private anyNode(): readonly string[] {
    return this.random.pick([masters, masters, workers, workers, ['api']]);
  }

  private onNode(kind: readonly string[], fault: (node: string) => Promise<string>): void {
    const well = kind.filter((node) => !this.faulty.has(node));
    if (well.length > (kind.length === 1 ? 0 : LEFT_ALONE)) this.during(this.random.pick(well), fault);
  }

  private onServer(server: string, fault: () => Promise<void>): void {
    // They may be one process.
    if (this.faulty.has('store') || this.faulty.has('registry')) return;
    this.during(server, async () => {
      await fault();
      return `restart of the ${server}`;
    });
  }

  private during(what: string, fault: (what: string) => Promise<string>): void {
    this.faulty.add(what);
    const over = fault(what)
      .then((name) => {
        this.counts[name] = (this.counts[name] ?? 0) + 1;
      })
      .finally(() => {
        this.faulty.delete(what);
        this.pending.delete(over);
      });
    this.pending.add(over);
  }

  private async kill(node: string): Promise<string> {
    this.cluster.kill(node);
    await this.pause(3_000);
    return 'SIGKILL';
  }

  private async freeze(name: string): Promise<string> {
    const node = this.cluster.node(name);
    node.freeze(true);
    await this.pause(14_000);
    node.freeze(false);
    return 'SIGSTOP';
  }

  private async cut(node: string): Promise<string> {
    const names = [...this.cluster.links.keys()].filter((name) => name.startsWith(`${node}-`));
    const chosen = this.random.chance(0.2) ? names : [this.random.pick(names)];
    const directions = this.random.pick([[], ['requests'], ['answers']] as const);
    const links = chosen.flatMap((name) => this.cluster.links.get(name) ?? []);
    for (const link of links) link.freeze(...directions);
    await this.pause(12_000);
    for (const link of links) {
      // Where packets were lost for long, connections break; else what was held up arrives.
      if (this.random.chance(0.5)) link.cut();
      link.thaw();
    }
    return directions.length === 1 ? 'partition in one direction' : 'partition in both directions';
  }

  private async stepClock(node: string): Promise<string> {
    const sign = this.random.pick([-1, 1]);
    this.cluster.stepClock(node, sign * this.random.pick([700, 3_000, 60_000, 600_000]));
    await this.pause(8_000);
    this.cluster.stepClock(node, 0);
    return 'clock step';
  }

  private async restartStore(): Promise<void> {
    const how = this.random.pick(['fast', 'immediate'] as const);
    await this.cluster.restartStore(how, () => this.pause(4_000));
  }

  private pause(longest: number): Promise<void> {
    return sleep(200 + this.random.int(longest));
  }
}
