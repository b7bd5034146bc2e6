/** What the nodes of a job say, read from the copy of them. */
import type { Job } from '@orrery/core/model';
import { readInstance } from './config.ts';
import { type ElasticJobPaths, serverOf } from './paths.ts';
import type { TreeCopy } from './tree.ts';

/** Texts whose servers are remembered. */
const MOST_SERVERS = 1_000;

export class JobFacts {
  private readonly tree: TreeCopy;
  private readonly paths: ElasticJobPaths;
  /** The servers that entries of instances name, by their text: every event asks for all of them. */
  private readonly servers = new Map<string, string | undefined>();

  constructor(tree: TreeCopy, paths: ElasticJobPaths) {
    this.tree = tree;
    this.paths = paths;
  }

  /** The instance that leads. */
  get leader(): string | undefined {
    return this.tree.get(this.paths.leader)?.value;
  }

  /** Whether the leader has to divide the shards, or is about to. */
  get isMarked(): boolean {
    return this.tree.has(this.paths.necessary) || this.tree.has(this.paths.processing);
  }

  isLive(instance: string): boolean {
    return this.tree.has(`${this.paths.instances}/${instance}`);
  }

  isEnabled(server: string): boolean {
    return this.tree.get(`${this.paths.servers}/${server}`)?.value === 'ENABLED';
  }

  /** Instances that may be given shards, in Java's order: descending. */
  get available(): string[] {
    const { tree, paths } = this;
    return tree.children(paths.instances).filter((id) => {
      const server = this.serverAt(`${paths.instances}/${id}`);
      return server !== undefined && this.isEnabled(server);
    });
  }

  /** The server that an entry of an instance names. An entry that cannot be read costs this instance its shards. */
  private serverAt(path: string): string | undefined {
    const text = this.tree.get(path)?.value ?? '';
    if (this.servers.has(text)) return this.servers.get(text);
    let server: string | undefined;
    try {
      server = readInstance(text, path).server;
    } catch {
      // No server.
    }
    if (this.servers.size >= MOST_SERVERS) this.servers.clear();
    this.servers.set(text, server);
    return server;
  }

  /** The shards that have a node, ascending. */
  get shards(): number[] {
    const names = this.tree.children(this.paths.sharding).filter((name) => /^\d+$/.test(name));
    return names.map(Number).sort((a, b) => a - b);
  }

  owner(shard: number): string | undefined {
    return this.tree.get(this.paths.shard(shard, 'instance'))?.value;
  }

  ownedBy(instance: string, { shards }: Job): number[] {
    return this.shards.filter((shard) => shard < shards && this.owner(shard) === instance);
  }

  /** The instance that runs a shard. Before 3.0.2 Java did not record it; then it is the owner. */
  runner(shard: number): string | undefined {
    const value = this.tree.get(this.paths.shard(shard, 'running'))?.value;
    return value === '' ? this.owner(shard) : value;
  }

  /** Whether every shard has an owner that may run it. */
  isWhole({ shards, staticSharding }: Job): boolean {
    const owners = this.shards.filter((shard) => this.owner(shard) !== undefined);
    if (owners.length !== shards || owners.at(-1) !== shards - 1) return false;
    if (staticSharding) return true;
    const { available } = this;
    return available.length === 0 || owners.every((shard) => available.includes(this.owner(shard) ?? ''));
  }

  /** Shards that lost instances left running, or left while they took them over. */
  crashed(): number[] {
    const { tree, paths } = this;
    return this.shards.filter((shard) => {
      const taker = tree.get(paths.shard(shard, 'failovering'))?.value;
      if (taker !== undefined) return !this.isLive(taker);
      const runner = this.runner(shard);
      if (runner === undefined || tree.has(paths.shard(shard, 'failover'))) return false;
      return !this.isLive(runner) && this.isEnabled(serverOf(runner));
    });
  }
}
