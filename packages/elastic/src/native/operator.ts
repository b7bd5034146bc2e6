/** The operator's half on any registry. Reads a job as one snapshot; writes with versions, and tries again on conflict. */
import { InvalidInput } from '@orrery/core/errors';
import type { Job } from '@orrery/core/model';
import { sortNodes } from '@orrery/core/shard';
import { type Entry, isRegistryError, nameOf, parentOf, type Registry, type Watch } from '@orrery/registry';
import { changeJob, checkShard, NO_CLOCK } from '../board/change-job.ts';
import {
  type JobDetails,
  type JobOperator,
  JobRefusal,
  type JobSummary,
  type SwitchTarget,
  type TriggerProgress,
} from '../board/operator.ts';
import { type DivisionPreview, previewDivision } from '../board/preview.ts';
import { checkStrategy } from '../board/strategy.ts';
import { readDetails } from './details.ts';
import { JobPaths } from './paths.ts';
import {
  NO_SWITCHES,
  type RunningInfo,
  readJob,
  readSwitches,
  readValue,
  STOP,
  type Switches,
  type TriggeredRound,
  writeJob,
} from './stored.ts';

/** What an operator needs from its host. */
export interface OperatorPorts {
  /** The session to use now. */
  readonly registry: () => Promise<Registry>;
  /** A text that no other call returns. */
  readonly id: () => string;
}

/** Limit of attempts at a write that concurrent writes keep overtaking. */
const MOST_TRIES = 20;

export class NativeOperator implements JobOperator {
  private readonly namespace: string;
  private readonly ports: OperatorPorts;

  constructor(namespace: string, ports: OperatorPorts) {
    this.namespace = namespace;
    this.ports = ports;
  }

  async list(): Promise<readonly JobSummary[]> {
    const registry = await this.ports.registry();
    const root = `/${this.namespace}`;
    const entries = await registry.subtree(root);
    const byJob = Map.groupBy(
      entries.filter(({ path }) => path !== root),
      ({ path }) => path.slice(root.length + 1).split('/', 1)[0],
    );
    return [...byJob]
      .map(([name, own]): JobSummary => {
        const details = readDetails(new JobPaths(this.namespace, name), own);
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
      })
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async show(job: string): Promise<JobDetails> {
    const details = readDetails(this.paths(job), await this.entries(job));
    if ('broken' in details) throw new JobRefusal('conflict', `job ${job} cannot be read: ${details.broken}`);
    return details;
  }

  async trigger(
    job: string,
    {
      instance,
      parameter,
      id = this.ports.id(),
    }: { readonly instance?: string; readonly parameter?: string; readonly id?: string },
  ): Promise<readonly string[]> {
    const registry = await this.ports.registry();
    const paths = this.paths(job);
    const asked = await this.instances(job, instance);
    const value = JSON.stringify({ parameter });
    const told: string[] = [];
    for (const one of asked)
      try {
        await registry.transaction([
          { op: 'check', path: `${paths.instances}/${one}` },
          { op: 'create', path: `${paths.triggers}/${one}/${id}`, value },
        ]);
        told.push(one);
      } catch (error) {
        // It left meanwhile.
        if (!isRegistryError(error, 'no-entry', 'no-parent')) throw error;
      }
    if (told.length === 0) throw new JobRefusal('conflict', `no instance of job ${job} is there`);
    return told;
  }

  async progress(job: string, id: string): Promise<TriggerProgress> {
    const { instances, running, triggers } = this.paths(job);
    const entries = await this.entries(job);
    const at = new Map(entries.map(({ path, value }) => [path, value]));
    const waiting: string[] = [];
    const rounds: (TriggeredRound & { readonly instance: string })[] = [];
    for (const { path } of entries.filter((one) => parentOf(one.path) === instances)) {
      const instance = nameOf(path);
      const value = at.get(`${running}/${instance}`);
      const { triggered = [] } = value === undefined ? {} : readValue<Partial<RunningInfo>>(path, value);
      const round = triggered.find((one) => one.id === id);
      if (round?.ended) rounds.push({ ...round, instance });
      else if (round || at.has(`${triggers}/${instance}/${id}`)) waiting.push(instance);
    }
    return {
      waiting,
      ended: rounds.map(({ instance }) => instance),
      succeeded: rounds.reduce((sum, { ended }) => sum + (ended?.succeeded ?? 0), 0),
      failed: rounds.flatMap(({ ended }) => ended?.failed ?? []),
      isRecorded: true,
    };
  }

  async setEnabled(job: string, target: SwitchTarget, enabled: boolean): Promise<void> {
    const { switches: path, config } = this.paths(job);
    await this.change(job, path, (entry, entries) => {
      const switches = entry ? readSwitches(path, entry.value) : NO_SWITCHES;
      const stored = entries.find((one) => one.path === config);
      if (target.kind === 'shard' && stored) checkShard(readJob(config, stored.value).job, target.shard);
      return JSON.stringify(switched(switches, target, !enabled));
    });
  }

  async configure(job: string, changes: Readonly<Record<string, unknown>>): Promise<Job> {
    const { config } = this.paths(job);
    let next: Job | undefined;
    const hasClock = (await (await this.ports.registry()).serverTime()) !== undefined;
    await this.change(job, config, (entry) => {
      if (!entry) throw new JobRefusal('not-found', `there is no job ${job} in ${this.namespace}`);
      const stored = readJob(config, entry.value);
      next = changeJob(stored.job, changes, checkStrategy);
      if (next.maxTimeDiff !== undefined && !hasClock) throw new InvalidInput(NO_CLOCK);
      return writeJob({ ...stored, job: next });
    });
    return next as unknown as Job;
  }

  async preview(
    job: string,
    changes: Readonly<Record<string, unknown>>,
  ): Promise<DivisionPreview | undefined> {
    const details = await this.show(job);
    return previewDivision(details, changeJob(details.job, changes, checkStrategy), sortNodes);
  }

  async shutDown(job: string, instance?: string): Promise<readonly string[]> {
    const registry = await this.ports.registry();
    const asked = await this.instances(job, instance);
    for (const one of asked)
      await registry
        .create(`${this.paths(job).triggers}/${one}/${STOP}`, JSON.stringify({ stop: true }))
        .catch((error) => {
          // It was asked before, or left meanwhile.
          if (!isRegistryError(error, 'exists', 'no-parent')) throw error;
        });
    return asked;
  }

  async remove(job: string): Promise<void> {
    const registry = await this.ports.registry();
    const paths = this.paths(job);
    const entries = await this.entries(job);
    const there = entries.filter(({ path }) => parentOf(path) === paths.instances);
    if (there.length > 0)
      throw new JobRefusal('conflict', `${there.length} instances of job ${job} are there; stop them first`);
    for (const { path } of entries.toReversed())
      await registry.delete(path).catch((error) => {
        if (isRegistryError(error, 'not-empty'))
          throw new JobRefusal('conflict', `an instance of job ${job} joined meanwhile; stop it first`);
        if (!isRegistryError(error, 'no-entry')) throw error;
      });
  }

  async watch(onChange: (job: string | undefined) => void, onEnd: () => void): Promise<Watch> {
    const registry = await this.ports.registry();
    const root = `/${this.namespace}`;
    const unhear = registry.session.onState((state) => {
      if (state === 'lost') onEnd();
    });
    const watch = await registry.watch(root, 'subtree', ({ type, path }) => {
      const [job = ''] = path.slice(root.length + 1).split('/', 1);
      onChange(type === 'resync' || job === '' ? undefined : job);
    });
    return {
      stop: () => {
        unhear();
        watch.stop();
      },
    };
  }

  async dump(job: string): Promise<readonly { readonly path: string; readonly value: string }[]> {
    return (await this.entries(job)).map(({ path, value }) => ({ path, value }));
  }

  private paths(job: string): JobPaths {
    if (job === '' || job.includes('/')) throw new JobRefusal('not-found', `"${job}" is no name of a job`);
    return new JobPaths(this.namespace, job);
  }

  /** All entries of a job that is there. */
  private async entries(job: string): Promise<readonly Entry[]> {
    const entries = await (await this.ports.registry()).subtree(this.paths(job).root);
    if (entries.length === 0)
      throw new JobRefusal('not-found', `there is no job ${job} in ${this.namespace}`);
    return entries;
  }

  /** All current instances, or only the given one. */
  private async instances(job: string, instance: string | undefined): Promise<readonly string[]> {
    const { instances } = this.paths(job);
    const all = (await this.entries(job))
      .filter(({ path }) => parentOf(path) === instances)
      .map(({ path }) => nameOf(path));
    if (instance === undefined) return all;
    if (!all.includes(instance))
      throw new JobRefusal('not-found', `job ${job} has no instance ${instance} now`);
    return [instance];
  }

  /** Replaces a permanent entry by what `make` makes of it. */
  private async change(
    job: string,
    path: string,
    make: (entry: Entry | undefined, entries: readonly Entry[]) => string,
  ): Promise<void> {
    const registry = await this.ports.registry();
    for (let tries = 1; ; tries++) {
      const entries = await this.entries(job);
      const entry = entries.find((one) => one.path === path);
      const value = make(entry, entries);
      try {
        if (entry) await registry.set(path, value, entry.version);
        else await registry.create(path, value);
        return;
      } catch (error) {
        if (!isRegistryError(error, 'version', 'exists', 'no-entry') || tries === MOST_TRIES) throw error;
      }
    }
  }
}

function switched(switches: Switches, target: SwitchTarget, off: boolean): Switches {
  const change = <T>(list: readonly T[], one: T): readonly T[] =>
    off ? [...new Set([...list, one])] : list.filter((other) => other !== one);
  switch (target.kind) {
    case 'job':
      return { ...switches, disabled: off };
    case 'server':
      return { ...switches, servers: change(switches.servers, target.server) };
    case 'shard':
      return { ...switches, shards: change(switches.shards, target.shard) };
  }
}
