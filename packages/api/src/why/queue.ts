/**
 * Why an attempt has no worker yet, or a run or attempt no slot: its place in line, and what is before it.
 */
import { sizeAbout } from '@orrery/core/model';
import { holds, type Resources, resourcesLeft } from '@orrery/core/queue';
import { taskRunText } from '@orrery/core/run';
import type { TaskReason } from '@orrery/core/why';
import type { AttemptRef, Holder, Store, WorkerRow } from '@orrery/store';
import type { Context } from '../context.ts';
import { groupsOf, type NodeState, workerState } from '../nodes.ts';
import { outlinesOf } from '../runs/outlines.ts';
import { nextToEnd } from './usual.ts';

/** Those in the way that are named. */
const MOST_HOLDERS = 5;
/** Limit of holders compared to find the one that ends first. */
const MOST_COMPARED = 20;

/** Explains the place of an attempt in the queue; undefined when it is in no queue. */
export async function whyQueued(
  { store, clock }: Context,
  attempt: AttemptRef,
  project: string,
): Promise<TaskReason | undefined> {
  const found = await store.readQueuePlace(attempt);
  if (!found) return undefined;
  const { group, target, wished, ahead, higher } = found;
  const asked = { cores: found.cores ?? 0, memory: found.memory ?? 0 };
  const place = { group, attempt: attempt.number, ahead, higher };
  const [workers, assignments] = await Promise.all([store.listWorkers(), store.countAssignments()]);
  const held = new Map(assignments.map(({ worker, count }) => [worker, count]));
  const inState = (state: NodeState) =>
    workers.filter(
      (worker) => workerState(worker, clock.now()) === state && groupsOf(worker).includes(group),
    );
  const serving = inState('alive');
  if (serving.length === 0) {
    const sick = inState('unhealthy').map(({ id, unhealthy }) => ({ id, reason: unhealthy ?? '' }));
    return sick.length === 0
      ? { code: 'no-worker', ...place }
      : { code: 'workers-unhealthy', workers: sick, ...place };
  }
  if (asked.cores > 0 || asked.memory > 0) {
    const capacity = ({ cores, memory }: WorkerRow) => ({ cores: cores ?? 0, memory: memory ?? 0 });
    const used = new Map(assignments.map((use) => [use.worker, use]));
    const left = (worker: WorkerRow) =>
      resourcesLeft(capacity(worker), used.get(worker.id) ?? { cores: 0, memory: 0 });
    if (!serving.some((worker) => holds(left(worker), asked))) {
      const never = !serving.some((worker) => holds(capacity(worker), asked));
      return { code: 'no-room', asks: asksText(asked), workers: serving.length, never, ...place };
    }
  }
  if (target !== null)
    return { code: 'meant-for', worker: target, ...(wished !== null && { chosen: true }), ...place };
  const slots = serving.reduce((sum, worker) => sum + worker.slots, 0);
  const free = serving.reduce((sum, { id, slots }) => sum + Math.max(0, slots - (held.get(id) ?? 0)), 0);
  if (free > 0) return { code: 'next-up', slots, free, workers: serving.length, ...place };
  const busy = await store.listAssigned({ workers: serving.map(({ id }) => id), limit: MOST_HOLDERS });
  const holders = await namesOf(store, busy, project);
  return { code: 'slots-taken', slots, workers: serving.length, holders, ...place };
}

function asksText({ cores, memory }: Resources): string {
  const number = cores / 1_000;
  const parts = [
    cores > 0 && `${number} ${number === 1 ? 'core' : 'cores'}`,
    memory > 0 && sizeAbout(memory),
  ];
  return parts.filter((part) => part !== false).join(' and ');
}

/** Explains a place in the wait list of a limit; undefined when there is none. */
export async function whyLimited(
  { store }: Context,
  holder: AttemptRef,
  project: string,
): Promise<TaskReason | undefined> {
  const place = await store.readLimitPlace(holder);
  if (!place) return undefined;
  const { name, slots, held, ahead } = place;
  const found = await store.listHolders({ name, limit: MOST_COMPARED });
  const holders = await namesOf(store, found.slice(0, MOST_HOLDERS), project);
  const full = { code: 'limit-full', limit: name, slots, held, ahead, holders } as const;
  const next = await nextToEnd(store, found);
  if (!next) return full;
  const [id] = await namesOf(store, [next.holder], project);
  return { ...full, first: { id, usual: next.usual } };
}

/** The ids of runs and task runs. For other projects, whose names are private, only the ids of runs. */
async function namesOf(store: Store, holders: readonly Holder[], project: string): Promise<string[]> {
  const tasksOf = await outlinesOf(store).read(holders);
  return holders.map((holder) => {
    const { run, task } = holder;
    if (task < 0 || holder.project !== project) return String(run);
    return taskRunText({ run, task: tasksOf(holder)[task] ?? `task ${task}` });
  });
}
