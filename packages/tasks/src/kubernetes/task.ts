/** The `kubernetes` task: a job of one pod on a cluster, its log in the attempt's; it outlives its worker. */
import { createGate, type Gate } from '@orrery/worker/http';
import { definePlugin, type Plugin, type TaskContext, TaskFailure } from '@orrery/worker/plugin';
import { applicationTag } from '../command/applications.ts';
import { givenConnection } from '../connections/given.ts';
import type { Probe } from '../connections/test-task.ts';
import type { Places } from '../places.ts';
import { ClusterRefusal, KubernetesClient, type KubernetesSettings } from './client.ts';
import { endOf, hasLog, type Job, type JobSettings, jobOf, jobSchema, type Pod, standOf } from './job.ts';

type Context = TaskContext<JobSettings>;

/** The stored handle of a job. */
interface Handle {
  readonly namespace: string;
  readonly name: string;
}

const FIRST = 500;
const SLOWEST = 10_000;
const GROWTH = 1.5;
const PRINTED = /[#$]\{setValue\(([^=()]+)=(.*?)\)\}/g;

/** Made for one worker. */
export function kubernetesTask({ httpAllow = [] }: Places): Plugin {
  const gate = createGate(httpAllow);
  return definePlugin({
    name: 'kubernetes',
    title: 'Kubernetes',
    description: 'Runs a container as a job on a Kubernetes cluster.',
    schema: jobSchema,
    async run(context) {
      const { attempt, handle, hold, note } = context;
      const { client, namespace } = clusterOf(context, gate);
      const left = handle === undefined ? undefined : (JSON.parse(handle) as Handle);
      if (left && (await jobAt(client, left))) {
        await hold(JSON.stringify(left));
        note(`goes on with job ${left.name}, which an earlier attempt has started`);
        return follow(context, client, left);
      }
      const job = { namespace, name: applicationTag(attempt) };
      await hold(JSON.stringify(job));
      await client.ask('POST', jobsIn(namespace), jobOf(context.with, job.name));
      note(`job ${job.name} in namespace ${namespace}`);
      await follow(context, client, job);
    },
    async end(context, handle) {
      const { client } = clusterOf(context, gate);
      const job = JSON.parse(handle) as Handle;
      await client
        .ask('DELETE', `${jobsIn(job.namespace)}/${job.name}?propagationPolicy=Background`)
        .catch(unlessGone);
      while (await jobAt(client, job)) await context.sleep(FIRST);
      for (;;) {
        const pods = await podsOf(client, job);
        if (pods.every(({ status }) => ['Succeeded', 'Failed'].includes(status?.phase ?? ''))) return;
        await context.sleep(FIRST);
      }
    },
  });
}

/** Asks for the version and for the right to make jobs. */
export function probeKubernetes({ httpAllow = [] }: Places): Probe {
  const gate = createGate(httpAllow);
  return async ({ signal }, given) => {
    const settings = given as unknown as KubernetesSettings;
    const client = new KubernetesClient(settings, gate, signal);
    await client.ask('GET', `${jobsIn(settings.namespace)}?limit=1`);
    const { gitVersion } = await client.ask<{ gitVersion: string }>('GET', '/version');
    return `Kubernetes ${gitVersion}`;
  };
}

function clusterOf(context: Context, gate: Gate) {
  const { settings } = givenConnection(context, context.with.connection, ['kubernetes']);
  const given = settings as unknown as KubernetesSettings;
  const client = new KubernetesClient(given, gate, context.signal);
  return { client, namespace: context.with.namespace ?? given.namespace };
}

/** Waits for the end of a job while its log comes in; a cluster that does not answer is asked again. */
async function follow(context: Context, client: KubernetesClient, job: Handle): Promise<void> {
  const { note, sleep, signal } = context;
  let log: Promise<void> | undefined;
  let shown = '';
  for (let pause = FIRST; ; pause = Math.min(SLOWEST, pause * GROWTH)) {
    try {
      const found = await jobAt(client, job);
      const [pod] = await podsOf(client, job);
      if (pod && standOf(pod) !== shown) {
        shown = standOf(pod);
        note(`${pod.metadata.name}: ${shown}`);
      }
      if (pod && hasLog(pod)) log ??= readLog(context, client, job, pod);
      if (!found) throw new ClusterRefusal(404, `job ${job.name} was deleted`);
      const end = endOf(found);
      if (end) {
        await log;
        if (end.succeeded) return;
        throw new TaskFailure(shown.startsWith('exit code') ? shown : end.said);
      }
    } catch (error) {
      if (signal.aborted || error instanceof TaskFailure) throw error;
      note(`no answer of the cluster: ${(error as Error).message}`);
    }
    await sleep(pause);
  }
}

/** Follows the log of a pod into the attempt's log; printed values become outputs. */
async function readLog(
  context: Context,
  client: KubernetesClient,
  { namespace }: Handle,
  pod: Pod,
): Promise<void> {
  const { log, output, note, signal } = context;
  try {
    for await (const line of client.lines(
      `/api/v1/namespaces/${namespace}/pods/${pod.metadata.name}/log?follow=true`,
    )) {
      log(line);
      for (const [, name, value] of line.matchAll(PRINTED)) output(name, value);
    }
  } catch (error) {
    if (!signal.aborted) note(`its log is not read further: ${(error as Error).message}`);
  }
}

function jobAt(client: KubernetesClient, { namespace, name }: Handle): Promise<Job | undefined> {
  return client.ask<Job>('GET', `${jobsIn(namespace)}/${name}`).catch(unlessGone);
}

async function podsOf(client: KubernetesClient, { namespace, name }: Handle): Promise<readonly Pod[]> {
  const path = `/api/v1/namespaces/${namespace}/pods?labelSelector=${encodeURIComponent(`orrery/attempt=${name}`)}`;
  return (await client.ask<{ items: Pod[] }>('GET', path)).items;
}

function jobsIn(namespace: string): string {
  return `/apis/batch/v1/namespaces/${namespace}/jobs`;
}

function unlessGone(error: unknown): undefined {
  if (error instanceof ClusterRefusal && error.status === 404) return undefined;
  throw error;
}
