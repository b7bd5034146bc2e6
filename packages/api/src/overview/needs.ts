/**
 * What needs people: each kind is looked for by a bounded read, grouped where one hand mends many, and said in one
 * sentence with what would help. The most harmful comes first.
 */
import { createHash } from 'node:crypto';
import type { Answer } from '@orrery/core/contract';
import type { Failure, GroupQueue, Mute, NodeRow, Skip, WorkerRow } from '@orrery/store';
import { groupsOf, masterState, workerState } from '../nodes.ts';
import { outlinesOf } from '../runs/outlines.ts';
import { errorOf } from '../runs/show-row.ts';
import type { Context } from '../server.ts';
import { optionalTime, timeText } from '../time.ts';
import { fingerprint } from './fingerprint.ts';

type ShownNeed = Answer<'showOverview'>['needs'][number];

/** A need before it is known whether somebody muted it. */
export interface Need extends Omit<ShownNeed, 'muted' | 'since'> {
  readonly since: number | null;
  /** Grows when more of it happens: what was seen before is then seen anew. */
  readonly mark: number;
}

/** Kinds, the most harmful first. */
const kinds: readonly ShownNeed['kind'][] = [
  'no-master',
  'no-worker',
  'failed',
  'late-tick',
  'not-taken',
  'node-missing',
  'limit-full',
  'skipped-ticks',
];

const DAY = 86_400_000;
/** Failures older than this have been lived with. */
const REMEMBERED = 7 * DAY;
/** A due time that is past by this much was not fired. */
const LATE = 10_000;
/** An attempt that a free worker has not taken for this long is stuck. */
const TAKEN_WITHIN = 60_000;
/** Waits for a limit that are no longer than this are what limits are for. */
const LIMIT_WAITS = 600_000;
const MOST_LOOKED_AT = 1_000;
const MOST_EXAMPLES = 10;
/** Runs that one action of a need is for. */
const MOST_ACTED_ON = 1_000;

/** Looks for everything that needs people. */
export async function findNeeds(context: Context, project: string | undefined): Promise<Need[]> {
  const { store, clock } = context;
  const now = clock.now();
  const [nodes, workers, queues, assigned, failures, late, limits, skips, history] = await Promise.all([
    store.listNodes(),
    store.listWorkers(),
    store.listQueues({ limit: 100 }),
    store.countAssignments(),
    store.listFailures({ since: now - REMEMBERED, project, limit: MOST_LOOKED_AT }),
    store.schedulesDueBefore({ from: 0, to: now - LATE, project, limit: MOST_LOOKED_AT }),
    store.listFullLimits({ limit: 100 }),
    store.listSkips({ since: now - DAY, project, limit: MOST_LOOKED_AT }),
    store.listHistory({ limit: 200 }),
  ]);
  const lost = new Map(
    history
      .filter(({ action, at }) => (action === 'fenced' || action === 'lost') && at > now - DAY)
      .map(({ kind, subject, at }) => [`${kind} ${subject}`, at]),
  );
  const needs = [
    ...noMaster(nodes, now, (await store.readLoad()).commands),
    ...queues.flatMap((queue) => stuckQueue(queue, workers, assigned, now)),
    ...(await failed(context, failures)),
    ...lateTicks(late),
    ...missing(nodes, workers, lost, now),
    ...limits
      .filter(({ name, oldest }) => oldest < now - LIMIT_WAITS && isOf(name, project))
      .map(({ name, slots, held, waiting, oldest }) =>
        need('limit-full', name, {
          text: `${name} is full (${held} of ${slots}): ${waiting} wait`,
          fields: { limit: name, held, slots, waiting },
          since: oldest,
          count: waiting,
          address: '/groups',
        }),
      ),
    ...skippedTicks(skips),
  ];
  return needs.sort(
    (a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind) || b.count - a.count || a.id.localeCompare(b.id),
  );
}

/** Whether a limit concerns a project; those of workflows and task groups name theirs, the others are everybody's. */
function isOf(limit: string, project: string | undefined): boolean {
  const named = /^(?:workflow|task group) ([^/]+)\//.exec(limit)?.[1];
  return project === undefined || named === undefined || named === project;
}

/** A need as it is shown; undefined while it is muted, unless those are wanted too. */
export function shownNeed(
  { mark, since, ...need }: Need,
  mute: Mute | undefined,
  now: number,
  withMuted: boolean,
): ShownNeed | undefined {
  const muted = mute && (mute.until === null ? mark <= mute.seen : now < mute.until) ? mute : undefined;
  if (muted && !withMuted) return undefined;
  return {
    ...need,
    since: optionalTime(since),
    muted: muted
      ? {
          by: muted.actor,
          at: timeText(muted.at),
          until: optionalTime(muted.until),
          reason: muted.reason,
        }
      : null,
  };
}

type Parts = Pick<Need, 'text' | 'fields' | 'since' | 'count' | 'address'> &
  Partial<Pick<Need, 'examples' | 'action' | 'command' | 'mark'>>;

function need(kind: Need['kind'], key: string, parts: Parts): Need {
  const hash = createHash('sha256').update(key).digest('hex').slice(0, 16);
  return {
    id: `${kind}-${hash}`,
    kind,
    examples: [],
    action: null,
    command: null,
    mark: parts.since ?? 0,
    ...parts,
  };
}

function noMaster(nodes: readonly NodeRow[], now: number, commands: number): Need[] {
  const alive = nodes.some((node) => masterState(node, now) === 'alive');
  if (alive || (nodes.length === 0 && commands === 0)) return [];
  const since = nodes.length === 0 ? null : Math.max(...nodes.map(({ beatAt }) => beatAt));
  return [
    need('no-master', 'no-master', {
      text: `no master is alive: nothing starts, ${commands} runs are queued`,
      fields: { queued: commands },
      since,
      count: commands,
      address: '/cluster',
      command: 'orrery server --role master',
    }),
  ];
}

/** A queue that nobody serves, or that those who could serve it leave alone. */
function stuckQueue(
  { group, count, oldest }: GroupQueue,
  workers: readonly WorkerRow[],
  assigned: readonly { readonly worker: string; readonly count: number }[],
  now: number,
): Need[] {
  const serving = workers.filter(
    (worker) => workerState(worker, now) === 'alive' && groupsOf(worker).includes(group),
  );
  const address = `/groups/workers/${encodeURIComponent(group)}`;
  if (serving.length === 0)
    return [
      need('no-worker', group, {
        text: `worker group ${group} has no live worker: ${count} attempts wait`,
        fields: { group, waiting: count },
        since: oldest,
        count,
        address,
        command: `orrery server --role worker --group ${group}`,
      }),
    ];
  const held = new Map(assigned.map(({ worker, count }) => [worker, count]));
  const free = serving.filter(({ id, slots }) => slots > (held.get(id) ?? 0));
  if (free.length === 0 || oldest > now - TAKEN_WITHIN) return [];
  return [
    need('not-taken', group, {
      text: `${count} attempts of worker group ${group} wait although ${free.length} of its workers have free slots`,
      fields: { group, waiting: count, workers: free.length },
      since: oldest,
      count,
      examples: free.slice(0, MOST_EXAMPLES).map(({ id }) => id),
      address,
    }),
  ];
}

/** Runs that failed in the same task of the same workflow with the same kind of error are one need. */
async function failed({ store }: Context, failures: readonly Failure[]): Promise<Need[]> {
  const tasksOf = await outlinesOf(store).read(failures);
  const groups = Map.groupBy(
    failures.map((run) => {
      const { reason } = JSON.parse(run.fields) as { reason?: string };
      const task = run.task && (tasksOf(run)[run.task.task] ?? `task ${run.task.task}`);
      const error = run.task ? errorOf(JSON.parse(run.task.body)) : (reason ?? null);
      return { run, task, error };
    }),
    ({ run, task, error }) => JSON.stringify([run.workflow, task, fingerprint(error)]),
  );
  return [...groups].map(([key, list]) => {
    const ids = list.map(({ run }) => run.id).sort((a, b) => b - a);
    const [{ run, task, error }] = list;
    const workflow = `${run.project}/${run.name}`;
    const what = task === null ? workflow : `${workflow}: ${task}`;
    const times = list.length === 1 ? '' : ` ${list.length} times`;
    const because = error === null ? '' : `: ${error.split('\n', 1)[0].slice(0, 300)}`;
    return need('failed', key, {
      text: `${what} failed${times}${because}`,
      fields: { workflow, task, count: list.length, error },
      since: Math.min(...list.map((each) => each.run.endedAt)),
      count: list.length,
      examples: ids.slice(0, MOST_EXAMPLES).map(String),
      address: `/runs/${ids[0]}${task === null ? '' : `?task=${encodeURIComponent(task)}`}`,
      action: { name: 'recover', ids: ids.slice(0, MOST_ACTED_ON) },
      command: `orrery runs recover ${ids.slice(0, 20).join(' ')}`,
      mark: ids[0],
    });
  });
}

function lateTicks(
  late: readonly { readonly id: number; readonly name: string; readonly nextDue: number | null }[],
): Need[] {
  const [first] = late;
  if (!first) return [];
  const due = first.nextDue ?? 0;
  const others = late.length > 1 ? ` and ${late.length - 1} more` : '';
  return [
    need('late-tick', 'late', {
      text: `schedule ${first.name}${others} was due at ${timeText(due)} and has not fired`,
      fields: { schedule: first.name, due: timeText(due), count: late.length },
      since: due,
      count: late.length,
      examples: late.slice(0, MOST_EXAMPLES).map(({ id }) => String(id)),
      address: late.length === 1 ? `/schedules/${first.id}` : '/schedules',
    }),
  ];
}

/** Nodes that are silent, or were found dead and have not come back. */
function missing(
  nodes: readonly NodeRow[],
  workers: readonly WorkerRow[],
  lost: ReadonlyMap<string, number>,
  now: number,
): Need[] {
  const gone = (role: 'master' | 'worker', id: string, since: number, state: string) =>
    need('node-missing', `${role} ${id}`, {
      text: `${role} ${id} is ${state === 'silent' ? 'silent' : 'gone'} since ${timeText(since)}`,
      fields: { role, node: id, state },
      since,
      count: 1,
      examples: [id],
      address: `/cluster/nodes/${encodeURIComponent(id)}`,
    });
  const look = (role: 'master' | 'worker', kind: string, id: string, state: string, beatAt: number) => {
    if (state === 'silent') return [gone(role, id, beatAt, state)];
    const at = lost.get(`${kind} ${id}`);
    return state === 'gone' && at !== undefined ? [gone(role, id, at, state)] : [];
  };
  return [
    ...nodes.flatMap((node) => look('master', 'node', node.id, masterState(node, now), node.beatAt)),
    ...workers.flatMap((worker) =>
      look('worker', 'worker', worker.id, workerState(worker, now), worker.beatAt),
    ),
  ];
}

function skippedTicks(skips: readonly Skip[]): Need[] {
  return [...Map.groupBy(skips, ({ schedule }) => schedule)].map(([schedule, list]) => {
    const [{ project, workflow, name, reason }] = list;
    const count = list.reduce((sum, skip) => sum + skip.count, 0);
    return need('skipped-ticks', String(schedule), {
      text: `schedule ${name} of ${project}/${workflow} skipped ${count} ${count === 1 ? 'tick' : 'ticks'}: ${reason}`,
      fields: { schedule: name, workflow: `${project}/${workflow}`, count, reason },
      since: Math.min(...list.map(({ from }) => from)),
      count,
      examples: [String(schedule)],
      address: `/schedules/${schedule}`,
      mark: Math.max(...list.map(({ at }) => at)),
    });
  });
}
