/** What the leader of a job does: marks the division as out of date, and replaces it once nothing runs. */
import type { Log } from '@orrery/core/log';
import type { Job } from '@orrery/core/model';
import { divide } from '@orrery/core/shard';
import { isCode } from '@orrery/registry/zookeeper-client';
import type { ShardStrategy } from '../board/board.ts';
import type { JobFacts } from './facts.ts';
import type { Nodes } from './nodes.ts';
import type { ElasticJobPaths } from './paths.ts';
import { strategyHere } from './strategy.ts';
import type { JobTree } from './tree.ts';

/**
 * Owners in one transaction: ZooKeeper accepts requests below 1 MiB. Further owners are written before it,
 * since no instance reads them while the mark exists. Java writes all of them at once, so its jobs cannot
 * have more.
 */
const MOST_OWNERS = 2_000;

export interface LeaderPorts {
  readonly nodes: Nodes;
  readonly tree: JobTree;
  readonly facts: JobFacts;
  readonly paths: ElasticJobPaths;
  readonly strategies: Readonly<Record<string, ShardStrategy>>;
  readonly log: Log;
}

export class ElasticJobLeader {
  private readonly ports: LeaderPorts;
  /** The instances of the last division that this leader made. */
  private divided: string | undefined;

  constructor(ports: LeaderPorts) {
    this.ports = ports;
  }

  /** Marks the division if it is out of date. `joined`: members changed since the last division that was seen. */
  async mark(job: Job, joined: boolean): Promise<void> {
    const { nodes, facts, paths } = this.ports;
    if (facts.isMarked || facts.available.length === 0) return;
    const isWhole = facts.isWhole(job);
    if (job.staticSharding && isWhole) return;
    const changed = this.divided === undefined ? joined : this.divided !== facts.available.join();
    if (isWhole && !changed) return;
    await nodes.create(paths.necessary, '');
  }

  /** Another instance leads now. */
  replaced(): void {
    this.divided = undefined;
  }

  /**
   * Makes a new division in Java's order of operations. Returns false if something still runs: try again
   * after a change.
   */
  async divide(job: Job): Promise<boolean> {
    const { nodes, tree, facts, paths, strategies, log } = this.ports;
    await tree.settled();
    if (!facts.isMarked) return true;
    if (job.monitorExecution && (await this.isBusy(job))) return false;
    await nodes.persistEphemeral(paths.processing, '');
    await tree.settled();
    const { available } = facts;
    // A shard that started before this entry is visible now; one that starts after it sees the mark and
    // yields.
    if (available.length === 0 || (job.monitorExecution && (await this.isBusy(job)))) {
      await nodes.remove(paths.processing);
      return false;
    }
    const input = { items: job.shards, servers: available, job: job.name };
    const division = divide(strategyHere(job, strategies), input);
    if (!tree.has(paths.sharding)) await nodes.create(paths.sharding, '');
    const work: Promise<unknown>[] = [];
    for (let shard = 0; shard < job.shards; shard++) {
      if (facts.owner(shard) !== undefined) work.push(nodes.remove(paths.shard(shard, 'instance')));
      if (!tree.has(`${paths.sharding}/${shard}`)) work.push(nodes.create(`${paths.sharding}/${shard}`, ''));
    }
    for (const shard of facts.shards)
      if (shard >= job.shards) work.push(nodes.remove(`${paths.sharding}/${shard}`));
    await Promise.all(work);
    const owners = [...division].flatMap(([instance, shards]) =>
      shards.map((shard) => nodes.creation(paths.shard(shard, 'instance'), instance)),
    );
    const check = { op: 'check', path: paths.namespace } as const;
    try {
      while (owners.length > MOST_OWNERS) await nodes.client.multi([check, ...owners.splice(0, MOST_OWNERS)]);
      await nodes.client.multi([
        check,
        ...owners,
        { op: 'delete', path: paths.necessary },
        { op: 'delete', path: paths.processing },
      ]);
    } catch (error) {
      if (!isCode(error, 'NO_NODE', 'NODE_EXISTS')) throw error;
      log('warn', `job ${job.name}: another instance divided the shards at the same time`);
      await nodes.remove(paths.processing);
      return false;
    }
    this.divided = available.join();
    await tree.settled();
    return true;
  }

  /** Whether a shard runs or waits to be taken over. Removes entries of instances that no longer exist. */
  private async isBusy(job: Job): Promise<boolean> {
    const { nodes, facts, paths } = this.ports;
    const crashed = new Set(job.failover ? facts.crashed() : []);
    let busy = false;
    for (const shard of facts.shards) {
      const runner = facts.runner(shard);
      if (crashed.has(shard)) busy = true;
      else if (runner === undefined) continue;
      else if (facts.isLive(runner)) busy = true;
      else await nodes.remove(paths.shard(shard, 'running'));
    }
    return busy;
  }
}
