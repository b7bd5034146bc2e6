/** The operator's half on any registry. Reads a job as one snapshot; writes with versions, and tries again on conflict. */
import { InvalidInput } from '@orrery/core/errors';
import { type Job, parseJob } from '@orrery/core/model';
import { type Entry, isRegistryError, nameOf, parentOf, type Registry } from '@orrery/registry';
import {
  type JobDetails,
  type JobOperator,
  JobRefusal,
  type JobSummary,
  type SwitchTarget,
} from '../board/operator.ts';
import { checkStrategy, isBuiltIn } from './assignment.ts';
import { readDetails } from './details.ts';
import { JobPaths } from './paths.ts';
import {
  NO_SWITCHES,
  readJob,
  readSwitches,
  type StoredJob,
  type Switches,
  settingsOf,
  writeJob,
} from './stored.ts';

/** What an operator needs from its host. */
export interface OperatorPorts {
  /** The session to use now. */
  readonly registry: () => Promise<Registry>;
  /** A text that no other call returns. */
  readonly id: () => string;
}

/** Attempts at a write that others keep overtaking. */
const MOST_TRIES = 20;
/** Settings that make a job what it is. */
const FIXED = ['name', 'namespace'];

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
          return { name, status: 'broken', fault: details.broken, shards: 0, instances: 0, running: 0 };
        const { status, fault, cron, timezone, shards, instances, running } = details;
        return { name, status, fault, cron, timezone, shards, instances, running };
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
    { instance, parameter }: { readonly instance?: string; readonly parameter?: string },
  ): Promise<readonly string[]> {
    const registry = await this.ports.registry();
    const paths = this.paths(job);
    const asked = await this.instances(job, instance);
    const value = JSON.stringify({ parameter });
    const id = this.ports.id();
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

  async setEnabled(job: string, target: SwitchTarget, enabled: boolean): Promise<void> {
    const { switches: path, config } = this.paths(job);
    await this.change(job, path, (entry, entries) => {
      const switches = entry ? readSwitches(path, entry.value) : NO_SWITCHES;
      const stored = entries.find((one) => one.path === config);
      if (target.kind === 'shard' && stored) {
        const { shards } = readJob(config, stored.value).job;
        if (!Number.isSafeInteger(target.shard) || target.shard < 0 || target.shard >= shards)
          throw new InvalidInput(`job ${job} has the shards 0 to ${shards - 1}, not ${target.shard}`);
      }
      return JSON.stringify(switched(switches, target, !enabled));
    });
  }

  async configure(job: string, changes: Readonly<Record<string, unknown>>): Promise<Job> {
    const { config } = this.paths(job);
    let next: Job | undefined;
    await this.change(job, config, (entry) => {
      if (!entry) throw new JobRefusal('not-found', `there is no job ${job} in ${this.namespace}`);
      const stored = readJob(config, entry.value);
      next = changed(stored, changes);
      return writeJob({ ...stored, job: next });
    });
    return next as unknown as Job;
  }

  async shutDown(job: string, instance?: string): Promise<readonly string[]> {
    const registry = await this.ports.registry();
    const asked = await this.instances(job, instance);
    for (const one of asked)
      await registry.delete(`${this.paths(job).instances}/${one}`).catch((error) => {
        if (!isRegistryError(error, 'no-entry')) throw error;
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

  /** The instances that are there, or the one asked for. */
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

/** The job with other settings; every problem is reported at once. */
function changed({ job }: StoredJob, changes: Readonly<Record<string, unknown>>): Job {
  for (const name of FIXED)
    if (Object.hasOwn(changes, name))
      throw new InvalidInput(`${name} cannot be changed: that would be another job`);
  const given = Object.fromEntries(
    Object.entries({ ...settingsOf(job), ...changes }).filter(([, value]) => value !== null),
  );
  const { job: next, problems } = parseJob(given);
  if (!next)
    throw new InvalidInput(
      problems
        .map(({ path, message }) => (path.length > 0 ? `${path.join('.')}: ${message}` : message))
        .join('; '),
    );
  // A strategy of the user's own is known to the instances alone.
  if (next.strategy !== job.strategy || isBuiltIn(next.strategy)) checkStrategy(next);
  return next;
}
