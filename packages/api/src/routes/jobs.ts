/** `/jobs`: elastic jobs in the registries that the server knows, seen and driven. Every change is recorded first. */

import type { Answer } from '@orrery/contract';
import { said } from '@orrery/core/texts';
import { nextTick, parseCron, zone } from '@orrery/core/time';
import type {
  Division,
  JobDetails,
  JobOperator,
  JobSummary,
  RecentRound,
  SwitchTarget,
} from '@orrery/elastic/board';
import { isRegistryError } from '@orrery/registry';
import type { JobEventRow } from '@orrery/store';
import type { Context } from '../context.ts';
import type { Handlers } from '../handler.ts';
import { jobActions } from '../jobs/actions.ts';
import { readHeat } from '../jobs/heat.ts';
import { nextPage } from '../page-link.ts';
import { Refusal } from '../problem.ts';
import { optionalTime, timeText } from '../time.ts';

interface JobName {
  readonly center: string;
  readonly job: string;
}

/** What the operations do. */
export function jobHandlers(context: Context) {
  const { jobs = [] } = context;

  const turn =
    (enabled: boolean) =>
    async ({ params, body, request }: Parameters<Handlers['disableJob']>[0]) => {
      await record(context, params, enabled ? 'enable' : 'disable', body, request.identity.name);
      await use(context, params, (operator) => operator.setEnabled(params.job, targetOf(body), enabled));
      return show(context, params);
    };

  return {
    listJobs: async () => {
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
        jobs: read.flatMap((center) => center.jobs.map((job) => showSummary(context, center.name, job))),
      };
    },

    showJob: ({ params }) => show(context, params),

    listJobHistory: async ({ params, query, request }) => {
      await use(context, params, (operator) => operator.dump(params.job));
      const rows = await context.store.listJobEvents({ ...params, ...query });
      return {
        events: rows.map(showEvent),
        next: nextPage(request, rows, query.limit, ({ id }) => ({ before: id })),
      };
    },

    showJobHeat: async ({ params }) => {
      const { shards } = await use(context, params, (operator) => operator.show(params.job));
      const ticks = await readHeat(context.store, params, shards);
      return { ticks: ticks.map((tick) => ({ ...tick, at: timeText(tick.at) })) };
    },

    dumpJob: async ({ params }) => ({
      entries: [...(await use(context, params, (operator) => operator.dump(params.job)))],
    }),

    triggerJob: async ({ params, body, request }) => {
      await record(context, params, 'trigger', body, request.identity.name);
      return { instances: await use(context, params, (operator) => operator.trigger(params.job, body)) };
    },

    disableJob: turn(false),

    enableJob: turn(true),

    configureJob: async ({ params, body, request }) => {
      await record(context, params, 'configure', { changes: JSON.stringify(body) }, request.identity.name);
      await use(context, params, (operator) => operator.configure(params.job, body));
      return show(context, params);
    },

    previewJob: async ({ params, body }) => ({
      division: (await use(context, params, (operator) => operator.preview(params.job, body))) ?? null,
    }),

    stopJob: async ({ params, body, request }) => {
      await record(context, params, 'stop', body, request.identity.name);
      return {
        instances: await use(context, params, (operator) => operator.shutDown(params.job, body.instance)),
      };
    },

    deleteJob: async ({ params, request }) => {
      await record(context, params, 'delete', {}, request.identity.name);
      await use(context, params, (operator) => operator.remove(params.job));
      return undefined;
    },
  } satisfies Partial<Handlers>;
}

/** Calls the operator of a center; a registry that does not answer is no defect. */
async function use<T>(
  { jobs = [] }: Context,
  { center }: JobName,
  work: (operator: JobOperator) => Promise<T>,
): Promise<T> {
  const found = jobs.find(({ name }) => name === center);
  if (!found) throw new Refusal('not-found', said('none.center', { center }));
  try {
    return await work(found.operator);
  } catch (error) {
    if (isRegistryError(error, 'away', 'session-lost'))
      throw new Refusal('registry-away', said('job.registryAway', { center }));
    throw error;
  }
}

/**
 * Records the request in the audit. Before the action, since the registry cannot take part in a transaction
 * of the store.
 */
async function record(
  context: Context,
  { center, job }: JobName,
  what: string,
  detail: Readonly<Record<string, string | number | undefined>>,
  actor: string,
): Promise<void> {
  const entries = await use(context, { center, job }, (operator) => operator.dump(job));
  const config = entries.find(({ path }) => path.endsWith(`/${job}/config`))?.value ?? null;
  const before = what === 'configure' || what === 'delete' ? { before: config } : {};
  const given = Object.fromEntries(Object.entries(detail).map(([key, value]) => [key, value ?? null]));
  await context.store.recordAudit({
    actor,
    action: `job.${what}`,
    subject: `${center}/${job}`,
    detail: { ...before, ...given },
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
    ...showSummary(context, name.center, details),
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
    isRecorded: details.isRecorded,
    actions: jobActions(details),
  };
}

function showSummary(
  { clock }: Context,
  center: string,
  job: JobSummary,
): Answer<'listJobs'>['jobs'][number] {
  const { fault = null, cron = null, timezone = null, ...rest } = job;
  const { name, status, shards, instances, running, unowned } = rest;
  const nextTick = status === 'disabled' ? undefined : nextOf(job, clock.now());
  return {
    center,
    name,
    status,
    fault,
    cron,
    timezone,
    shards,
    instances,
    running,
    unowned,
    nextTick: optionalTime(nextTick ?? null),
  };
}

/** The next due time. An unreadable cron is reported as an error of the job. */
function nextOf({ cron, timezone }: JobSummary, now: number): number | undefined {
  if (cron === undefined) return undefined;
  try {
    return nextTick({ cron: parseCron(cron), zone: zone(timezone ?? 'UTC') }, now);
  } catch {
    return undefined;
  }
}

function showInstance(
  instance: JobDetails['instanceList'][number],
): Answer<'showJob'>['instanceList'][number] {
  const { id, server, language, since, isLeader, disabled, shards, running, recent } = instance;
  const last = recent.at(-1);
  return {
    id,
    server,
    language,
    since: timeText(since),
    isLeader,
    disabled,
    shards,
    running,
    last: last
      ? {
          at: timeText(last.at),
          cause: last.cause,
          succeeded: last.succeeded,
          failures: last.failures,
          failed: last.failed,
        }
      : null,
  };
}

function showEvent({ body, instance, at, ...row }: JobEventRow): Answer<'listJobHistory'>['events'][number] {
  const about = JSON.parse(body) as Partial<RecentRound & Division>;
  return {
    ...row,
    at: timeText(at),
    instance: instance === '' ? null : instance,
    cause: about.cause ?? null,
    due: optionalTime(about.due ?? null),
    startedAt: optionalTime(about.startedAt ?? null),
    shards: about.shards ?? null,
    succeeded: about.succeeded ?? null,
    failures: about.failures ?? null,
    failed: about.failed ?? [],
    reasons: about.reasons ?? [],
    moved: about.moved ?? null,
  };
}
