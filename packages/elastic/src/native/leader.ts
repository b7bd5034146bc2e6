/**
 * What the leader of a job does: marks the assignment when it is out of date, replaces it once nothing runs, and offers
 * the shards that lost instances left running. Every write is a transaction with its own candidate entry, so that a
 * leader that was replaced writes nothing.
 */
import type { Log } from '@orrery/core/log';
import type { Clock } from '@orrery/core/timing';
import { isRegistryError, nameOf, type Operation, type Registry } from '@orrery/registry';
import type { ShardStrategy } from '../board/board.ts';
import { type Assignment, crashed, divided, marked, staleReasons, withCoverage } from './assignment.ts';
import { type Coverage, readCoverage } from './coverage.ts';
import type { JobPaths } from './paths.ts';
import { readShards } from './shard-set.ts';
import { type RunningInfo, readValue } from './stored.ts';
import type { JobView } from './view.ts';

/** Lost instances that one transaction cleans up after. */
const PAGE = 30;

export interface LeaderPorts {
  readonly registry: Registry;
  readonly paths: JobPaths;
  readonly view: JobView;
  readonly clock: Clock;
  readonly strategies: Readonly<Record<string, ShardStrategy>>;
  readonly log: Log;
  /** This instance's own candidate entry. */
  readonly candidate: string;
  /** Since when this instance follows the job's cron. */
  readonly since: () => number;
}

/** What an instance that is gone left behind. */
interface Remains {
  readonly path: string;
  readonly shards: readonly number[];
  readonly coverage: Coverage;
}

export class Leader {
  private readonly ports: LeaderPorts;

  constructor(ports: LeaderPorts) {
    this.ports = ports;
  }

  /** Marks the assignment if it is out of date. */
  async mark(): Promise<void> {
    const { view, clock } = this.ports;
    const reasons = staleReasons(view.assignment, view.job, view.available);
    const known = view.assignment.mark?.reasons ?? [];
    if (reasons.every((reason) => known.includes(reason))) return;
    await this.write(marked(view.assignment, reasons, clock.now()));
  }

  /**
   * Cleans up after lost instances: offers their running shards to the others if the job fails over,
   * otherwise drops them.
   */
  async sweep(): Promise<void> {
    const { registry, paths, view } = this.ports;
    await this.dropTriggers();
    const lost: Remains[] = [];
    for (const { path, value } of await registry.subtree(paths.running)) {
      if (path === paths.running || view.instances.has(nameOf(path))) continue;
      if (await registry.get(`${paths.instances}/${nameOf(path)}`)) continue;
      lost.push(this.remainsAt(path, value));
    }
    for (let from = 0; from < lost.length; from += PAGE) {
      const page = lost.slice(from, from + PAGE);
      const shards = page.flatMap((one) => one.shards).filter((shard) => shard < view.job.shards);
      const deletes = page.map(({ path }): Operation => ({ op: 'delete', path }));
      const known = withCoverage(
        view.assignment,
        page.map(({ coverage }) => coverage),
      );
      await this.write(view.job.failover ? crashed(known, shards) : known, deletes);
    }
  }

  /** What a lost instance ran. An entry that cannot be read must not stop the job: what it held is unknown. */
  private remainsAt(path: string, value: string): Remains {
    try {
      const { shards, covered } = readValue<RunningInfo>(path, value);
      return { path, shards: readShards(shards), coverage: readCoverage(covered) };
    } catch (error) {
      this.ports.log('warn', `${(error as Error).message}; dropped: its instance is gone`);
      return { path, shards: [], coverage: new Map() };
    }
  }

  /** Drops triggers of lost instances: no instance would ever take them. */
  private async dropTriggers(): Promise<void> {
    const { registry, paths, view } = this.ports;
    for (const instance of await registry.children(paths.triggers)) {
      if (view.instances.has(instance) || (await registry.get(`${paths.instances}/${instance}`))) continue;
      for (const { path } of (await registry.subtree(`${paths.triggers}/${instance}`)).reverse())
        await registry.delete(path).catch((error) => {
          if (!isRegistryError(error, 'no-entry', 'not-empty')) throw error;
        });
    }
  }

  /**
   * Replaces a marked assignment. Returns false if something still runs or waits to be taken over: try again
   * when that has ended.
   */
  async divide(): Promise<boolean> {
    const { registry, paths, view, strategies, clock } = this.ports;
    if (!view.assignment.mark) return true;
    let coverage: readonly Coverage[] = [];
    if (view.job.monitorExecution) {
      // No round starts while the mark exists, so only what runs now has to end.
      if (view.assignment.crashed && view.available.length > 0) return false;
      const running = (await registry.subtree(paths.running))
        .filter(({ path }) => path !== paths.running)
        .map(({ path, value }) => readValue<RunningInfo>(path, value));
      if (running.some(({ shards }) => shards !== '')) return false;
      coverage = running.map(({ covered }) => readCoverage(covered));
    }
    const { job, available: instances } = view;
    const now = clock.now();
    await this.write(
      divided(view.assignment, {
        job,
        instances,
        own: strategies,
        now,
        coverage,
        since: this.ports.since(),
      }),
    );
    return !view.assignment.mark;
  }

  /** Writes the assignment as it was seen; a conflict is no fault: it is read again, and the caller tries again. */
  private async write(next: Assignment, more: readonly Operation[] = []): Promise<void> {
    const { registry, paths, view, candidate } = this.ports;
    const { version } = view.assigned;
    try {
      await registry.transaction([
        { op: 'check', path: candidate },
        { op: 'set', path: paths.assignment, value: JSON.stringify(next), version },
        ...more,
      ]);
    } catch (error) {
      if (!isRegistryError(error, 'version', 'no-entry')) throw error;
    }
    await view.follow({ type: 'changed', path: paths.assignment });
  }
}
