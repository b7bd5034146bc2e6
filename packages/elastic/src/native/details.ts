/** A job as operators see it, from a snapshot of its entries. An entry that cannot be read is named, the rest is shown. */
import { type Entry, nameOf, parentOf, sequenceOf } from '@orrery/registry';
import type { JobDetails, JobStatus, SeenInstance, SeenShard } from '../board/operator.ts';
import { type Assignment, NONE, readAssignment } from './assignment.ts';
import type { JobPaths } from './paths.ts';
import { readShards } from './shard-set.ts';
import {
  type InstanceInfo,
  NO_SWITCHES,
  type RunningInfo,
  readJob,
  readSwitches,
  readValue,
  type StoredJob,
} from './stored.ts';

/** Everything about the job; or why its configuration cannot be read. */
export function readDetails(
  paths: JobPaths,
  entries: readonly Entry[],
): JobDetails | { readonly broken: string } {
  const at = new Map(entries.map((entry) => [entry.path, entry]));
  const faults: string[] = [];
  const attempt = <T>(otherwise: T, read: () => T): T => {
    try {
      return read();
    } catch (error) {
      faults.push((error as Error).message);
      return otherwise;
    }
  };
  const valueAt = (path: string) => at.get(path)?.value;
  const config = valueAt(paths.config);
  if (config === undefined) return { broken: `${paths.config}: missing` };
  const stored = attempt<StoredJob | undefined>(undefined, () => readJob(paths.config, config));
  if (!stored) return { broken: faults[0] };
  const { job, identity } = stored;
  const switches = attempt(NO_SWITCHES, () => {
    const text = valueAt(paths.switches);
    return text === undefined ? NO_SWITCHES : readSwitches(paths.switches, text);
  });
  const assignment = attempt<Assignment>(NONE, () => {
    const text = valueAt(paths.assignment);
    return text === undefined ? NONE : readAssignment(paths.assignment, text);
  });
  const below = (folder: string) => entries.filter(({ path }) => parentOf(path) === folder);
  const running = new Map(
    below(paths.running).map(({ path, value }) => [
      nameOf(path),
      attempt<RunningInfo>({ shards: '' }, () => readValue<RunningInfo>(path, value)),
    ]),
  );
  const leader = below(paths.candidates).reduce<Entry | undefined>(
    (first, one) => (first && (sequenceOf(first.path) ?? 0) < (sequenceOf(one.path) ?? 0) ? first : one),
    undefined,
  )?.value;
  const shardsAt = (text: string | undefined) => attempt<number[]>([], () => readShards(text ?? ''));
  const instanceList = below(paths.instances).map(({ path, value }): SeenInstance => {
    const id = nameOf(path);
    const { server, since } = attempt<InstanceInfo>({ server: '?', since: 0 }, () =>
      readValue<InstanceInfo>(path, value),
    );
    const now = running.get(id);
    return {
      id,
      server,
      language: 'typescript',
      since,
      isLeader: id === leader,
      disabled: switches.servers.includes(server),
      shards: shardsAt(assignment.shards[id]),
      running: shardsAt(now?.shards),
      runningSince: now?.since,
      recent: now?.recent ?? [],
    };
  });
  const crashed = shardsAt(assignment.crashed);
  const runners = new Map(
    [...running].flatMap(([id, { shards }]) => shardsAt(shards).map((shard) => [shard, id])),
  );
  const owners = new Map(
    Object.entries(assignment.shards).flatMap(([id, shards]) => shardsAt(shards).map((shard) => [shard, id])),
  );
  const alive = new Set(instanceList.map(({ id }) => id));
  const shardList = Array.from({ length: job.shards }, (_, shard): SeenShard => {
    const owner = owners.get(shard);
    const runner = runners.get(shard);
    const state =
      runner !== undefined
        ? 'running'
        : crashed.includes(shard)
          ? 'crashed'
          : switches.disabled || switches.shards.includes(shard)
            ? 'disabled'
            : owner === undefined
              ? 'unassigned'
              : alive.has(owner)
                ? 'ready'
                : 'orphan';
    return { shard, parameter: job.shardParameters[shard] ?? '', state, owner, runner };
  });
  const status: JobStatus =
    faults.length > 0
      ? 'broken'
      : switches.disabled
        ? 'disabled'
        : instanceList.length === 0
          ? 'idle'
          : crashed.length > 0
            ? 'crashed'
            : assignment.mark
              ? 'resharding'
              : 'ok';
  return {
    name: job.name,
    status,
    fault: faults[0],
    cron: job.cron,
    timezone: job.timezone,
    shards: job.shards,
    instances: instanceList.length,
    running: runners.size,
    unowned: shardList.filter(({ owner }) => owner === undefined || !alive.has(owner)).length,
    job,
    identity,
    instanceList,
    shardList,
    disabledServers: switches.servers,
    mark: assignment.mark,
    divisions: assignment.divisions ?? [],
    isRecorded: true,
    faults: [...new Set(faults)],
  };
}
