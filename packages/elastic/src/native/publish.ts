/** Publishes a job: its configuration and its permanent entries. */
import { InvalidInput } from '@orrery/core/errors';
import type { Job } from '@orrery/core/model';
import { isRegistryError, type Registry } from '@orrery/registry';
import { NONE } from './assignment.ts';
import type { JobPaths } from './paths.ts';
import { NO_SWITCHES, readJob, type StoredJob, writeJob } from './stored.ts';

/** Makes missing entries. The stored configuration wins unless the job overwrites it; returns the one in force. */
export async function publishJob(
  registry: Registry,
  paths: JobPaths,
  { job, identity }: StoredJob,
): Promise<Job> {
  const stored = readJob(paths.config, await publishedConfig(registry, paths, { job, identity }));
  if (stored.identity !== identity)
    throw new InvalidInput(
      `another job has this name: it is "${stored.identity}" in the registry and "${identity}" here`,
      paths.root,
    );
  if (!job.overwrite) return stored.job;
  await registry.set(paths.config, writeJob({ job, identity }));
  return job;
}

/** The stored configuration, after the entries that were missing are made. */
async function publishedConfig(registry: Registry, paths: JobPaths, own: StoredJob): Promise<string> {
  const permanent: readonly (readonly [string, string])[] = [
    [paths.root, ''],
    [paths.config, writeJob(own)],
    [paths.switches, JSON.stringify(NO_SWITCHES)],
    [paths.assignment, JSON.stringify(NONE)],
    ...[paths.instances, paths.candidates, paths.running, paths.triggers, paths.meetings].map(
      (path) => [path, ''] as const,
    ),
  ];
  for (;;) {
    const there = new Map((await registry.subtree(paths.root)).map(({ path, value }) => [path, value]));
    const config = there.get(paths.config);
    const missing = permanent.filter(([path]) => !there.has(path));
    if (config !== undefined && missing.length === 0) return config;
    try {
      if (!there.has(paths.root)) await makeNamespace(registry, paths);
      await registry.transaction(missing.map(([path, value]) => ({ op: 'create', path, value })));
    } catch (error) {
      // Another instance makes them, or an operator removes them, at the same time.
      if (!isRegistryError(error, 'exists', 'no-parent')) throw error;
    }
  }
}

async function makeNamespace(registry: Registry, { namespace }: JobPaths): Promise<void> {
  if (await registry.get(namespace)) return;
  await registry.create(namespace, '').catch((error) => {
    if (!isRegistryError(error, 'exists')) throw error;
  });
}
