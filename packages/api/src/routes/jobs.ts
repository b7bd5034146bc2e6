/** `/jobs`: elastic jobs in the registries that the server knows, seen and driven. Every change is recorded first. */

import type { Answer } from '@orrery/core/contract';
import type { JobDetails, JobOperator, JobSummary, SwitchTarget } from '@orrery/elastic/board';
import { isRegistryError } from '@orrery/registry';
import type { FastifyInstance } from 'fastify';
import { serve } from '../input.ts';
import { Refusal } from '../problem.ts';
import type { Context } from '../server.ts';
import { timeText } from '../time.ts';

interface JobName {
  readonly center: string;
  readonly job: string;
}

/** Adds the routes. */
export function addJobRoutes(app: FastifyInstance, context: Context): void {
  const { jobs = [] } = context;

  serve(app, context, 'listJobs', async () => {
    const read = await Promise.all(
      jobs.map(async ({ name, operator }) => {
        try {
          return { name, error: null, jobs: await operator.list() };
        } catch (error) {
          return { name, error: (error as Error).message, jobs: [] };
        }
      }),
    );
    return {
      centers: read.map(({ name, error }) => ({ name, error })),
      jobs: read.flatMap((center) => center.jobs.map((job) => showSummary(center.name, job))),
    };
  });

  serve(app, context, 'showJob', ({ params }) => show(context, params));

  serve(app, context, 'dumpJob', async ({ params }) => ({
    entries: [...(await use(context, params, (operator) => operator.dump(params.job)))],
  }));

  serve(app, context, 'triggerJob', async ({ params, body, request }) => {
    await record(context, params, 'trigger', body, request.identity.name);
    return { instances: await use(context, params, (operator) => operator.trigger(params.job, body)) };
  });

  for (const [id, enabled] of [
    ['disableJob', false],
    ['enableJob', true],
  ] as const)
    serve(app, context, id, async ({ params, body, request }) => {
      await record(context, params, enabled ? 'enable' : 'disable', body, request.identity.name);
      await use(context, params, (operator) => operator.setEnabled(params.job, targetOf(body), enabled));
      return show(context, params);
    });

  serve(app, context, 'configureJob', async ({ params, body, request }) => {
    await record(context, params, 'configure', { changes: JSON.stringify(body) }, request.identity.name);
    await use(context, params, (operator) => operator.configure(params.job, body));
    return show(context, params);
  });

  serve(app, context, 'stopJob', async ({ params, body, request }) => {
    await record(context, params, 'stop', body, request.identity.name);
    return {
      instances: await use(context, params, (operator) => operator.shutDown(params.job, body.instance)),
    };
  });

  serve(app, context, 'deleteJob', async ({ params, request }) => {
    await record(context, params, 'delete', {}, request.identity.name);
    await use(context, params, (operator) => operator.remove(params.job));
    return undefined;
  });
}

/** Calls the operator of a center; a registry that does not answer is no defect. */
async function use<T>(
  { jobs = [] }: Context,
  { center }: JobName,
  work: (operator: JobOperator) => Promise<T>,
): Promise<T> {
  const found = jobs.find(({ name }) => name === center);
  if (!found)
    throw new Refusal('not-found', `there are no jobs of "${center}"; the setting jobs names the namespaces`);
  try {
    return await work(found.operator);
  } catch (error) {
    if (isRegistryError(error, 'away', 'session-lost'))
      throw new Refusal('registry-away', `the registry of ${center} does not answer; try again`);
    throw error;
  }
}

/** Records who asks for what. Before it is done: the registry is not part of a transaction of the store. */
async function record(
  context: Context,
  { center, job }: JobName,
  what: string,
  detail: Readonly<Record<string, string | number | undefined>>,
  actor: string,
): Promise<void> {
  await use(context, { center, job }, (operator) => operator.dump(job));
  const given = Object.fromEntries(Object.entries(detail).map(([key, value]) => [key, value ?? null]));
  await context.store.recordAudit({
    actor,
    action: `job.${what}`,
    subject: `${center}/${job}`,
    detail: given,
    now: context.clock.now(),
  });
}

function targetOf({ server, shard }: { readonly server?: string; readonly shard?: number }): SwitchTarget {
  if (server !== undefined) return { kind: 'server', server };
  return shard === undefined ? { kind: 'job' } : { kind: 'shard', shard };
}

async function show(context: Context, name: JobName): Promise<Answer<'showJob'>> {
  const details = await use(context, name, (operator) => operator.show(name.job));
  const { mark, divisions } = details;
  return {
    ...showSummary(name.center, details),
    config: { ...details.job },
    identity: details.identity,
    instanceList: details.instanceList.map(showInstance),
    shardList: details.shardList.map(({ owner = null, runner = null, ...rest }) => ({
      ...rest,
      owner,
      runner,
    })),
    disabledServers: details.disabledServers,
    mark: mark ? { reasons: mark.reasons, since: timeText(mark.since) } : null,
    divisions: divisions.map((one) => ({ ...one, at: timeText(one.at) })),
    faults: details.faults,
  };
}

function showSummary(center: string, job: JobSummary): Answer<'listJobs'>['jobs'][number] {
  const { name, status, fault = null, cron = null, timezone = null, shards, instances, running } = job;
  return { center, name, status, fault, cron, timezone, shards, instances, running };
}

function showInstance(
  instance: JobDetails['instanceList'][number],
): Answer<'showJob'>['instanceList'][number] {
  const { id, server, since, isLeader, disabled, shards, running, last } = instance;
  return {
    id,
    server,
    since: timeText(since),
    isLeader,
    disabled,
    shards,
    running,
    last: last ? { ...last, at: timeText(last.at) } : null,
  };
}
