/** Searches everything: an id of any kind finds exactly one thing, a name finds things with similar names. */
import type { Answer } from '@orrery/contract';
import { attemptNameText, NO_SHARD, taskRunText } from '@orrery/core/run';
import type { Context } from '../context.ts';
import { masterState, workerState } from '../nodes.ts';
import { findRun, noTasks } from '../runs/read.ts';

type Hit = Answer<'search'>['hits'][number];

/** The search text and its project. */
export interface Search {
  readonly q: string;
  readonly project?: string;
  readonly limit: number;
}

/** Looks for a text everywhere. */
export async function search(context: Context, { q, project, limit }: Search): Promise<Answer<'search'>> {
  const text = q.trim();
  const [byId, named, bulks] = await Promise.all([
    findById(context, text, project),
    findByName(context, text, project, limit),
    findBulks(context, text, project),
  ]);
  const exact =
    byId.at(-1) ??
    [...bulks, ...named].find(({ id, title, kind }) => [id, title, `${kind} ${id}`].includes(text)) ??
    null;
  return { exact, hits: [...byId.toReversed(), ...bulks, ...named].slice(0, limit) };
}

/** Bulks that their own word finds. */
const RECENT_BULKS = 5;

/** A bulk by its number, or the last ones by their own word. */
async function findBulks(
  { store }: Context,
  text: string,
  project: string | undefined,
): Promise<readonly Hit[]> {
  const number = /^#?([1-9]\d{0,14})$/.exec(text)?.[1];
  const isWord = text.length > 1 && 'bulks'.startsWith(text.toLowerCase());
  const found = number
    ? await store.readBulks({ ids: [Number(number)] })
    : isWord
      ? await store.listBulks({ project, limit: RECENT_BULKS })
      : [];
  return found
    .filter((bulk) => project === undefined || bulk.project === project)
    .map(
      ({ id, action, total, by, state }): Hit => ({
        kind: 'bulk',
        id: String(id),
        title: `bulk ${id}: ${action} of ${total} runs by ${by}`,
        state,
        address: `/runs?bulk=${id}`,
      }),
    );
}

/** A run, task run or attempt, or the path of a log. */
const idShape = /^#?(\d{1,15})(?:\.([^:/]+?))?(?::(\d{1,6}))?$/;
const attemptShape = /^#?(\d{1,15})\.([^:/]+?)(?::(\d{1,6}))?\.(\d{1,9})$/;
const logShape = /(?:^|[/\\])(\d{1,15})[/\\](\d{1,7})(?:\.(\d{1,6}))?\.(\d{1,9})\.log$/;

/** What has an id, the most particular last: the run, its task run, its attempt. */
async function findById(context: Context, text: string, project: string | undefined): Promise<Hit[]> {
  const log = logShape.exec(text);
  if (log) {
    const [, run, task, shard, number] = log;
    return inRun(context, Number(run), project, (names) => {
      const name = names[Number(task)];
      return name === undefined ? undefined : { task: name, shard, number: Number(number) };
    });
  }
  const attempt = attemptShape.exec(text);
  const plain = idShape.exec(text);
  const run = Number((attempt ?? plain)?.[1] ?? Number.NaN);
  if (!Number.isSafeInteger(run) || run < 1) return [];
  return inRun(context, run, project, (names) => {
    // Names of tasks may have dots: a task that is called so is meant before an attempt of another.
    const whole = /^#?\d+\.(.+)$/.exec(text)?.[1];
    if (whole !== undefined && names.includes(whole)) return { task: whole };
    if (attempt && names.includes(attempt[2]))
      return { task: attempt[2], shard: attempt[3], number: Number(attempt[4]) };
    return undefined;
  });
}

async function inRun(
  context: Context,
  id: number,
  project: string | undefined,
  choose: (
    names: readonly string[],
  ) => { readonly task: string; readonly shard?: string; readonly number?: number } | undefined,
): Promise<Hit[]> {
  const found = await findRun(context, id, noTasks).catch(() => undefined);
  if (!found) return [];
  const queued = 'queued' in found;
  const about = queued ? found.queued.command : found.details.run;
  if (project !== undefined && about.project !== project) return [];
  const hits: Hit[] = [
    {
      kind: 'run',
      id: String(id),
      title: `run ${id} of ${about.project}/${about.name}`,
      state: queued ? 'queued' : found.details.fields.state,
      address: `/runs/${id}`,
    },
  ];
  const part = queued ? undefined : choose(found.plan.tasks.map(({ spec }) => spec.name));
  if (!part) return hits;
  const { task, shard, number } = part;
  const taskRun = taskRunText({ run: id, task });
  hits.push({
    kind: 'task-run',
    id: taskRun,
    title: `${task} in run ${id} of ${about.project}/${about.name}`,
    state: null,
    address: `/runs/${id}?task=${encodeURIComponent(task)}`,
  });
  if (number === undefined) return hits;
  const name = attemptNameText({
    run: id,
    task,
    shard: shard === undefined ? NO_SHARD : Number(shard),
    number,
  });
  const query = new URLSearchParams({ attempt: String(number), ...(shard !== undefined && { shard }) });
  hits.push({
    kind: 'attempt',
    id: name,
    title: `attempt ${number} of ${task} in run ${id}`,
    state: null,
    address: `/task-runs/${encodeURIComponent(taskRun)}?${query}`,
  });
  return hits;
}

async function findByName(
  { store, clock }: Context,
  text: string,
  project: string | undefined,
  limit: number,
): Promise<Hit[]> {
  const found = await store.findByName({ text, project, limit });
  const [nodes, workers] =
    found.nodes.length + found.workers.length > 0
      ? await Promise.all([store.listNodes(), store.listWorkers()])
      : [[], []];
  const now = clock.now();
  const stateOfNode = new Map(nodes.map((node) => [node.id, masterState(node, now)]));
  const stateOfWorker = new Map(workers.map((worker) => [worker.id, workerState(worker, now)]));
  const machine = (kind: 'master' | 'worker', states: ReadonlyMap<string, string>) =>
    (kind === 'master' ? found.nodes : found.workers).map(
      ({ id, address }): Hit => ({
        kind,
        id,
        title: `${kind} ${id} at ${address}`,
        state: states.get(id) ?? null,
        address: `/cluster/nodes/${encodeURIComponent(id)}`,
      }),
    );
  return [
    ...found.workflows.map(
      ({ project, name }): Hit => ({
        kind: 'workflow',
        id: `${project}/${name}`,
        title: `${project}/${name}`,
        state: null,
        address: `/workflows/${encodeURIComponent(project)}/${encodeURIComponent(name)}`,
      }),
    ),
    ...found.schedules.map(
      ({ id, project, workflow, name, enabled }): Hit => ({
        kind: 'schedule',
        id: String(id),
        title: `schedule ${name} of ${project}/${workflow}${enabled ? '' : ', paused'}`,
        state: enabled ? 'on' : 'paused',
        address: `/schedules/${id}`,
      }),
    ),
    ...machine('master', stateOfNode),
    ...machine('worker', stateOfWorker),
    ...found.workerGroups.map(
      (name): Hit => ({
        kind: 'worker-group',
        id: name,
        title: `worker group ${name}`,
        state: null,
        address: `/groups/workers/${encodeURIComponent(name)}`,
      }),
    ),
    ...found.taskGroups.map(
      ({ project, name }): Hit => ({
        kind: 'task-group',
        id: `${project}/${name}`,
        title: `task group ${project}/${name}`,
        state: null,
        address: `/groups/tasks/${encodeURIComponent(project)}/${encodeURIComponent(name)}`,
      }),
    ),
  ];
}
