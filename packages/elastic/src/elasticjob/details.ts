/** A job of ElasticJob as operators see it, from a copy of its nodes. */
import type { Job } from '@orrery/core/model';
import type { JobDetails, JobStatus, SeenInstance, SeenShard } from '../board/operator.ts';
import { readConfig, readInstance } from './config.ts';
import { JobFacts } from './facts.ts';
import { type ElasticJobPaths, isJava, serverOf } from './paths.ts';
import type { TreeCopy } from './tree.ts';

/** Everything about the job; or why its configuration cannot be read. */
export function readDetails(
  paths: ElasticJobPaths,
  tree: TreeCopy,
  namespace: string,
  zone: string,
): JobDetails | { readonly broken: string } {
  const text = tree.get(paths.config)?.value;
  if (text === undefined) return { broken: `${paths.config}: missing` };
  let job: Job;
  try {
    job = readConfig(namespace, text, paths.config, zone);
  } catch (error) {
    return { broken: (error as Error).message };
  }
  const facts = new JobFacts(tree, paths);
  const faults: string[] = [];
  const instanceList = tree.children(paths.instances).map((id) => {
    const path = `${paths.instances}/${id}`;
    try {
      readInstance(tree.get(path)?.value ?? '', path);
    } catch (error) {
      faults.push((error as Error).message);
    }
    return instanceOf(id, { paths, tree, facts, job });
  });
  const crashed = job.failover ? facts.crashed() : [];
  const shardList = Array.from({ length: job.shards }, (_, shard): SeenShard => {
    const owner = facts.owner(shard);
    const runner = facts.runner(shard);
    const isOwned = owner !== undefined && facts.isLive(owner);
    const state =
      runner !== undefined && facts.isLive(runner)
        ? 'running'
        : crashed.includes(shard)
          ? 'crashed'
          : tree.has(paths.shard(shard, 'disabled'))
            ? 'disabled'
            : owner === undefined
              ? 'unassigned'
              : isOwned
                ? 'ready'
                : 'orphan';
    return { shard, parameter: job.shardParameters[shard] ?? '', state, owner, runner };
  });
  const servers = tree.children(paths.servers);
  const disabledServers = servers.filter((server) => !facts.isEnabled(server));
  const mark = tree.get(paths.necessary) ?? tree.get(paths.processing);
  const status: JobStatus =
    faults.length > 0
      ? 'broken'
      : servers.length > 0 && disabledServers.length === servers.length
        ? 'disabled'
        : instanceList.length === 0
          ? 'idle'
          : crashed.length > 0
            ? 'crashed'
            : mark
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
    running: shardList.filter(({ state }) => state === 'running').length,
    unowned: shardList.filter(({ owner }) => owner === undefined || !facts.isLive(owner)).length,
    job,
    identity: tree.get(paths.root)?.value ?? '',
    instanceList,
    shardList,
    disabledServers,
    // ElasticJob does not write why.
    mark: mark && { reasons: ['instances or settings changed'], since: mark.ctime },
    divisions: [],
    isRecorded: false,
    faults,
  };
}

function instanceOf(
  id: string,
  {
    paths,
    tree,
    facts,
    job,
  }: {
    readonly paths: ElasticJobPaths;
    readonly tree: TreeCopy;
    readonly facts: JobFacts;
    readonly job: Job;
  },
): SeenInstance {
  const running = facts.shards.filter((shard) => facts.runner(shard) === id);
  const since = running.map((shard) => tree.get(paths.shard(shard, 'running'))?.ctime ?? 0);
  return {
    id,
    server: serverOf(id),
    language: isJava(id) ? 'java' : 'typescript',
    since: tree.get(`${paths.instances}/${id}`)?.ctime ?? 0,
    isLeader: facts.leader === id,
    disabled: !facts.isEnabled(serverOf(id)),
    shards: facts.ownedBy(id, job),
    running,
    runningSince: running.length > 0 ? Math.min(...since) : undefined,
    recent: [],
  };
}
