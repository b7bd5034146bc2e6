/** Publishes a job: its configuration and its permanent entries. */
import { InvalidInput } from '@orrery/core/errors';
import type { Job } from '@orrery/core/model';
import { isRegistryError, type Registry } from '@orrery/registry';
import { NONE } from './assignment.ts';
import type { JobPaths } from './paths.ts';
import { NO_SWITCHES, readJob, type StoredJob, writeJob } from './stored.ts';

/** Makes the entries that are missing. The stored configuration wins unless the job overwrites; returns what counts. */
export async function publishJob(
  registry: Registry,
  paths: JobPaths,
  { job, identity }: StoredJob,
): Promise<Job> {
  const permanent: readonly (readonly [string, string])[] = [
    [paths.namespace, ''],
    [paths.root, ''],
    [paths.config, writeJob({ job, identity })],
    [paths.switches, JSON.stringify(NO_SWITCHES)],
    [paths.assignment, JSON.stringify(NONE)],
    ...[paths.instances, paths.candidates, paths.running, paths.triggers, paths.meetings].map(
      (path) => [path, ''] as const,
    ),
  ];
  const there = new Set((await registry.subtree(paths.root)).map(({ path }) => path));
  for (const [path, value] of permanent)
    if (!there.has(path))
      await registry.create(path, value).catch((error) => {
        if (!isRegistryError(error, 'exists')) throw error;
      });
  const entry = await registry.get(paths.config);
  if (!entry) throw new InvalidInput('the job was removed while this instance joined', paths.config);
  const stored = readJob(paths.config, entry.value);
  if (stored.identity !== identity)
    throw new InvalidInput(
      `another job has this name: it is "${stored.identity}" in the registry and "${identity}" here`,
      paths.root,
    );
  if (!job.overwrite) return stored.job;
  await registry.set(paths.config, writeJob({ job, identity }));
  return job;
}
