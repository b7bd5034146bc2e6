/** The operator's half on ZooKeeper: writes what ElasticJob's own console writes, and nothing else. */
import type { Job } from '@orrery/core/model';
import { asRegistryError, isCode } from '@orrery/registry/zookeeper-client';
import { changeJob, checkShard } from '../board/change-job.ts';
import {
  type JobDetails,
  type JobOperator,
  JobRefusal,
  type JobSummary,
  type SwitchTarget,
  type TriggerProgress,
} from '../board/operator.ts';
import { type DivisionPreview, previewDivision } from '../board/preview.ts';
import { editConfig, readConfig } from './config.ts';
import { readDetails } from './details.ts';
import type { Nodes } from './nodes.ts';
import { ElasticJobPaths, isJava } from './paths.ts';
import { strategyHere } from './strategy.ts';
import { copyTree, type TreeCopy } from './tree.ts';

/** What an operator needs from its host. */
export interface ElasticJobOperatorPorts {
  /** The session to use now. */
  readonly nodes: () => Promise<Nodes>;
  /** The time zone that a job without one is taken to have. */
  readonly zone: string;
}

/** Limit of attempts at a write that concurrent writes keep overtaking. */
const MOST_TRIES = 20;

export class ElasticJobOperator implements JobOperator {
  private readonly namespace: string;
  private readonly ports: ElasticJobOperatorPorts;

  constructor(namespace: string, ports: ElasticJobOperatorPorts) {
    this.namespace = namespace;
    this.ports = ports;
  }

  list(): Promise<readonly JobSummary[]> {
    return this.using(async (nodes) => {
      const names = (await nodes.children(`/${this.namespace}`)).toSorted();
      return Promise.all(
        names.map(async (name): Promise<JobSummary> => {
          const details = this.details(name, await copyTree(nodes.client, this.paths(name).root));
          if ('broken' in details)
            return {
              name,
              status: 'broken',
              fault: details.broken,
              shards: 0,
              instances: 0,
              running: 0,
              unowned: 0,
            };
          const { status, fault, cron, timezone, shards, instances, running, unowned } = details;
          return { name, status, fault, cron, timezone, shards, instances, running, unowned };
        }),
      );
    });
  }

  show(job: string): Promise<JobDetails> {
    return this.using(async (nodes) => {
      const details = this.details(job, await this.tree(nodes, job));
      if ('broken' in details)
        throw new JobRefusal('conflict', `job ${job} cannot be read: ${details.broken}`);
      return details;
    });
  }

  trigger(
    job: string,
    {
      instance,
      parameter,
    }: { readonly instance?: string; readonly parameter?: string; readonly id?: string },
  ): Promise<readonly string[]> {
    return this.using(async (nodes) => {
      const { triggers } = this.paths(job);
      const asked = this.instances(job, await this.tree(nodes, job), instance);
      if (asked.length === 0) throw new JobRefusal('conflict', `no instance of job ${job} is there`);
      const java = asked.find(isJava);
      if (parameter !== undefined && java !== undefined)
        throw new JobRefusal('conflict', `${java} is an instance of Java, which takes no parameter`);
      // A leftover trigger would hide the new one.
      for (const one of asked) await nodes.remove(`${triggers}/${one}`);
      for (const one of asked) await nodes.create(`${triggers}/${one}`, parameter ?? '');
      return asked;
    });
  }

  /** ElasticJob keeps no outcomes: an instance waits while its trigger is there or it runs something. */
  progress(job: string, _id: string): Promise<TriggerProgress> {
    return this.using(async (nodes) => {
      const tree = await this.tree(nodes, job);
      const { triggers } = this.paths(job);
      const details = this.details(job, tree);
      if ('broken' in details)
        throw new JobRefusal('conflict', `job ${job} cannot be read: ${details.broken}`);
      const { true: waiting = [], false: ended = [] } = Object.groupBy(
        details.instanceList,
        ({ id, running }) => String(running.length > 0 || tree.has(`${triggers}/${id}`)),
      );
      const ids = (list: typeof waiting) => list.map(({ id }) => id);
      return { waiting: ids(waiting), ended: ids(ended), succeeded: 0, failed: [], isRecorded: false };
    });
  }

  setEnabled(job: string, target: SwitchTarget, enabled: boolean): Promise<void> {
    return this.using(async (nodes) => {
      const paths = this.paths(job);
      const tree = await this.tree(nodes, job);
      if (target.kind === 'shard') {
        const details = this.details(job, tree);
        if (!('broken' in details)) checkShard(details.job, target.shard);
        const path = paths.shard(target.shard, 'disabled');
        await (enabled ? nodes.remove(path) : nodes.create(path, ''));
        return;
      }
      const servers = target.kind === 'job' ? tree.children(paths.servers) : [target.server];
      for (const server of servers)
        if (!tree.has(`${paths.servers}/${server}`))
          throw new JobRefusal('not-found', `job ${job} has no server ${server}`);
      for (const server of servers)
        await nodes.persist(`${paths.servers}/${server}`, enabled ? 'ENABLED' : 'DISABLED');
    });
  }

  configure(job: string, changes: Readonly<Record<string, unknown>>): Promise<Job> {
    return this.using(async (nodes) => {
      const { config } = this.paths(job);
      for (let tries = 1; ; tries++) {
        const stored = await nodes.client.getData(config);
        if (!stored) throw this.unknown(job);
        const text = stored.data.toString();
        const { zone } = this.ports;
        const before = readConfig(this.namespace, text, config, zone);
        const next = changeJob(before, changes, (changed) => void strategyHere(changed, {}));
        try {
          const edited = editConfig(text, next, config, zone);
          await nodes.client.setData(config, Buffer.from(edited), stored.stat.version);
          return readConfig(this.namespace, edited, config, zone);
        } catch (error) {
          if (!isCode(error, 'BAD_VERSION') || tries === MOST_TRIES) throw error;
        }
      }
    });
  }

  async preview(
    job: string,
    changes: Readonly<Record<string, unknown>>,
  ): Promise<DivisionPreview | undefined> {
    const details = await this.show(job);
    const next = changeJob(details.job, changes, (changed) => void strategyHere(changed, {}));
    // Instances are listed in the order in which ElasticJob divides.
    return previewDivision(details, next, (ids) => ids);
  }

  shutDown(job: string, instance?: string): Promise<readonly string[]> {
    return this.using(async (nodes) => {
      const asked = this.instances(job, await this.tree(nodes, job), instance);
      for (const one of asked) await nodes.remove(`${this.paths(job).instances}/${one}`);
      return asked;
    });
  }

  remove(job: string): Promise<void> {
    return this.using(async (nodes) => {
      const paths = this.paths(job);
      const there = this.instances(job, await this.tree(nodes, job));
      if (there.length > 0)
        throw new JobRefusal(
          'conflict',
          `${there.length} instances of job ${job} are there; stop them first`,
        );
      await nodes.remove(paths.root);
    });
  }

  dump(job: string): Promise<readonly { readonly path: string; readonly value: string }[]> {
    return this.using(async (nodes) => (await this.tree(nodes, job)).entries());
  }

  private paths(job: string): ElasticJobPaths {
    if (job === '' || job.includes('/')) throw new JobRefusal('not-found', `"${job}" is no name of a job`);
    return new ElasticJobPaths(this.namespace, job);
  }

  private unknown(job: string): JobRefusal {
    return new JobRefusal('not-found', `there is no job ${job} in ${this.namespace}`);
  }

  private details(job: string, tree: TreeCopy): ReturnType<typeof readDetails> {
    return readDetails(this.paths(job), tree, this.namespace, this.ports.zone);
  }

  /** All nodes of a job that is there. */
  private async tree(nodes: Nodes, job: string): Promise<TreeCopy> {
    const { root } = this.paths(job);
    const tree = await copyTree(nodes.client, root);
    if (!tree.has(root)) throw this.unknown(job);
    return tree;
  }

  /** All current instances, or only the given one. */
  private instances(job: string, tree: TreeCopy, instance?: string): readonly string[] {
    const all = tree.children(this.paths(job).instances);
    if (instance === undefined) return all;
    if (!all.includes(instance))
      throw new JobRefusal('not-found', `job ${job} has no instance ${instance} now`);
    return [instance];
  }

  /** Maps ZooKeeper's errors to registry errors. */
  private async using<T>(work: (nodes: Nodes) => Promise<T>): Promise<T> {
    try {
      return await work(await this.ports.nodes());
    } catch (error) {
      throw asRegistryError(error, true);
    }
  }
}
