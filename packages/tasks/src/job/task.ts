/**
 * The `job` task: asks for a round of an elastic job and waits until its shards have ended. It only speaks to the
 * registry in which the job's processes meet, from time to time, and holds no slot meanwhile.
 */
import { randomUUID } from 'node:crypto';
import { JobRefusal, type OpenOperator, openOperator, type TriggerProgress } from '@orrery/elastic/board';
import { definePlugin, type Plugin, type TaskContext, TaskFailure } from '@orrery/worker/plugin';
import { z } from 'zod';
import { givenConnection } from '../connections/given.ts';
import type { Probe } from '../connections/test-task.ts';

const schema = z.strictObject({
  connection: z
    .string()
    .min(1)
    .describe('The connection to the namespace of the job.')
    .meta({ format: 'connection' }),
  job: z.string().min(1).describe('The name of the job.'),
  parameter: z
    .string()
    .max(10_000)
    .optional()
    .describe('Handed to the handlers of this round as triggerParameter.'),
});
type Settings = z.output<typeof schema>;

/** The state kept between two polls. */
interface State {
  readonly id: string;
  readonly asked: readonly string[];
  readonly after: number;
  /** How often in a row nothing was seen to run, where outcomes are not recorded. */
  readonly quiet: number;
}

const FIRST_LOOK = 500;
const SLOWEST = 10_000;
const GROWTH = 1.5;
/** Looks in a row that must find nothing at work where outcomes are not recorded. */
const QUIET_LOOKS = 3;
const FAILURES_LOGGED = 20;

/** Counts the jobs of a namespace. */
export const probeJobs: Probe = async (context, settings) => {
  const { operator, close } = openJobs(context, settings);
  try {
    const { length } = await operator.list();
    return `namespace ${settings.namespace}, ${length} ${length === 1 ? 'job' : 'jobs'}`;
  } finally {
    await close();
  }
};

export function jobTask(): Plugin {
  return definePlugin({
    name: 'job',
    title: 'Elastic job',
    description: 'Asks for a round of an elastic job and waits for its shards, without taking a slot.',
    schema,
    poll: async (context, state) => {
      const { settings } = givenConnection(context, context.with.connection, ['jobs']);
      const open = openJobs(context, settings);
      try {
        return state === undefined ? await begin(context, open) : await look(context, open, state as State);
      } catch (error) {
        if (error instanceof JobRefusal)
          throw new TaskFailure(error.message, { fatal: error.tag === 'not-found' });
        throw error;
      } finally {
        await open.close();
      }
    },
  });
}

/** The first poll. If a round requested by an earlier attempt still runs, waits for that round. */
async function begin(context: TaskContext<Settings>, { operator }: OpenOperator) {
  const { job, parameter } = context.with;
  const { run, task, shard, number } = context.attempt;
  const base = `${run}.${task}.${shard}.${context.taskStarted}`;
  for (let earlier = number - 1; earlier > 0; earlier--) {
    const id = `${base}.${earlier}`;
    const { waiting, ended, failed, isRecorded } = await operator.progress(job, id);
    if (!isRecorded) break;
    // Lost with its worker, not failed: its round goes on, or has ended well since.
    if (waiting.length > 0 || (ended.length > 0 && failed.length === 0)) {
      context.log(`waits for the round that attempt ${earlier} asked for`);
      return again({ id, asked: [...waiting, ...ended], after: FIRST_LOOK, quiet: 0 });
    }
  }
  const id = `${base}.${number}`;
  const asked = await operator.trigger(job, { parameter, id });
  context.log(`asked for a round of job ${job}`);
  context.log(`instances: ${asked.join(', ')}`);
  return again({ id, asked, after: FIRST_LOOK, quiet: 0 });
}

async function look(context: TaskContext<Settings>, { operator }: OpenOperator, state: State) {
  const { job } = context.with;
  const progress = await operator.progress(job, state.id);
  const { waiting, ended, isRecorded } = progress;
  const quiet = waiting.length > 0 ? 0 : state.quiet + 1;
  const after = Math.min(SLOWEST, state.after * GROWTH);
  if (!isRecorded) {
    if (quiet < QUIET_LOOKS) return again({ ...state, quiet, after: Math.min(after, 1_000) });
    context.log('nothing of the round runs any more; ElasticJob does not record how its shards ended');
    return { done: true } as const;
  }
  if (waiting.length > 0) return again({ ...state, quiet, after });
  const lost = state.asked.filter((instance) => !ended.includes(instance));
  // An instance takes a trigger and notes that in two steps.
  if (lost.length > 0 && quiet < QUIET_LOOKS) return again({ ...state, quiet, after: FIRST_LOOK });
  return finish(context, progress, lost);
}

function finish(
  { log, output, with: { job } }: TaskContext<Settings>,
  { succeeded, failed }: TriggerProgress,
  lost: readonly string[],
): { readonly done: true } {
  output('succeeded', succeeded);
  output('failed', failed.length);
  log(`${succeeded} shards of job ${job} succeeded, ${failed.length} failed`);
  for (const { shard, error } of failed.slice(0, FAILURES_LOGGED))
    log(shard === undefined ? error : `shard ${shard}: ${error}`);
  if (lost.length > 0)
    throw new TaskFailure(`instances left before they ended their round: ${lost.join(', ')}`);
  if (failed.length > 0)
    throw new TaskFailure(`${failed.length} shards failed, the first: ${failed[0].error}`);
  return { done: true };
}

function again(state: State) {
  return { done: false, after: state.after, state } as const;
}

/** The namespace of a connection. */
function openJobs(
  context: Pick<TaskContext<unknown>, 'hostPath'>,
  settings: Record<string, unknown>,
): OpenOperator {
  const { url = '', namespace, user, password } = settings as Record<string, string | undefined>;
  if (opensFiles(url)) context.hostPath(url);
  const credentials =
    user === undefined
      ? ''
      : `${encodeURIComponent(user)}${password === undefined ? '' : `:${encodeURIComponent(password)}`}@`;
  const { timeZone: zone } = Intl.DateTimeFormat().resolvedOptions();
  return openOperator(url.replace('://', `://${credentials}`), namespace ?? '', {
    id: randomUUID,
    zone,
    options: { sessionTimeout: 10_000, connectTimeout: 10_000, name: 'orrery task job' },
  });
}

/** Whether an address of PostgreSQL may mean a socket or certificates of this machine. */
function opensFiles(url: string): boolean {
  if (!url.startsWith('postgres')) return false;
  const { hostname, search } = new URL(url);
  return !/^[\w.:[\]-]+$/.test(hostname) || search !== '';
}
