/**
 * What an instance knows of its job: the entries that decide something, kept up to date by a watch. Events are hints:
 * the entry they name is read again; a resync reads all. Entries that only operators look at are not read.
 */
import type { Job } from '@orrery/core/model';
import { type Entry, nameOf, parentOf, type Registry, sequenceOf, type WatchEvent } from '@orrery/registry';
import { type Assignment, NONE, readAssignment } from './assignment.ts';
import type { JobPaths } from './paths.ts';
import { type InstanceInfo, NO_SWITCHES, readJob, readSwitches, readValue, type Switches } from './stored.ts';

/** Reads an instance's entry. An unreadable one costs only that instance its shards. */
function readInstance({ path, value }: Entry): InstanceInfo | undefined {
  try {
    return readValue<InstanceInfo>(path, value);
  } catch {
    return undefined;
  }
}

export class JobView {
  job: Job;
  switches: Switches = NO_SWITCHES;
  assignment: Assignment = NONE;
  /** The version and revision of the assignment's entry. */
  assigned: Pick<Entry, 'version' | 'changed'> = { version: 0, changed: 0 };
  readonly instances = new Map<string, InstanceInfo>();
  readonly candidates = new Set<string>();
  private readonly paths: JobPaths;
  private readonly registry: Registry;

  constructor(paths: JobPaths, registry: Registry, job: Job) {
    this.paths = paths;
    this.registry = registry;
    this.job = job;
  }

  /** The candidate that leads: the one with the smallest number. */
  get leader(): string | undefined {
    let first: string | undefined;
    for (const name of this.candidates)
      if (first === undefined || (sequenceOf(name) ?? 0) < (sequenceOf(first) ?? 0)) first = name;
    return first;
  }

  /** Instances that may be given shards. */
  get available(): string[] {
    const { disabled, servers } = this.switches;
    if (disabled) return [];
    return [...this.instances].filter(([, { server }]) => !servers.includes(server)).map(([id]) => id);
  }

  /** Reads everything. */
  async load(): Promise<void> {
    const { paths, registry } = this;
    const entries = await registry.subtree(paths.root);
    const at = new Map(entries.map((entry) => [entry.path, entry]));
    for (const path of [paths.config, paths.switches, paths.assignment]) this.keep(path, at.get(path));
    this.instances.clear();
    this.candidates.clear();
    for (const entry of entries) {
      const above = parentOf(entry.path);
      if (above === paths.instances || above === paths.candidates) this.keep(entry.path, entry);
    }
  }

  /** Reads what an event names; whether it was something that decides. */
  async follow({ type, path }: WatchEvent): Promise<boolean> {
    const { paths } = this;
    const above = parentOf(path);
    if (type === 'resync') await this.load();
    else if (above === paths.candidates && type !== 'deleted') this.candidates.add(nameOf(path));
    else if (
      path === paths.config ||
      path === paths.switches ||
      path === paths.assignment ||
      above === paths.instances ||
      above === paths.candidates
    )
      this.keep(path, type === 'deleted' ? undefined : await this.registry.get(path));
    else return false;
    return true;
  }

  private keep(path: string, entry: Entry | undefined): void {
    const { paths } = this;
    if (path === paths.config) {
      if (entry) this.job = readJob(path, entry.value).job;
    } else if (path === paths.switches) {
      this.switches = entry ? readSwitches(path, entry.value) : NO_SWITCHES;
    } else if (path === paths.assignment) {
      // An answer may overtake a newer one.
      if (!entry || entry.changed < this.assigned.changed) return;
      this.assignment = readAssignment(path, entry.value);
      this.assigned = entry;
    } else if (parentOf(path) === paths.instances) {
      const info = entry && readInstance(entry);
      if (info) this.instances.set(nameOf(path), info);
      else this.instances.delete(nameOf(path));
    } else if (entry) this.candidates.add(nameOf(path));
    else this.candidates.delete(nameOf(path));
  }
}
