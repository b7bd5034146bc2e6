/** Why an attempt has no worker yet, or a run no slot: its place in line. */
import type { AttemptRef } from '@orrery/store';
import { groupsOf, workerState } from '../nodes.ts';
import type { Context } from '../server.ts';
import { count, type Reason } from './sentence.ts';

/** Explains the place of an attempt in the queue; undefined when it is in no queue. */
export async function whyQueued({ store, clock }: Context, attempt: AttemptRef): Promise<Reason | undefined> {
  const place = await store.readQueuePlace(attempt);
  if (!place) return undefined;
  const { group, target, ahead } = place;
  const [workers, assignments] = await Promise.all([store.listWorkers(), store.countAssignments()]);
  const held = new Map(assignments.map(({ worker, count }) => [worker, count]));
  const serving = workers.filter(
    (worker) => workerState(worker, clock.now()) === 'alive' && groupsOf(worker).includes(group),
  );
  const where = `attempt ${attempt.number} is in the queue of worker group ${group}, ${ahead} before it`;
  if (serving.length === 0)
    return {
      why: `${where}, and no live worker serves that group`,
      frees: `start a worker for the group ${group}`,
    };
  if (target !== null)
    return { why: `${where}, meant for worker ${target}`, frees: `worker ${target} takes it, or is gone` };
  const slots = serving.reduce((sum, worker) => sum + worker.slots, 0);
  const free = serving.reduce((sum, { id, slots }) => sum + Math.max(0, slots - (held.get(id) ?? 0)), 0);
  const served = count(serving.length, 'live worker');
  return free === 0
    ? { why: `${where}; all ${slots} slots of ${served} are taken`, frees: 'an attempt before it ends' }
    : { why: `${where}; ${served} with ${free} of ${slots} slots free`, frees: 'a worker takes it next' };
}

/** Explains a place in the wait list of a limit; undefined when there is none. */
export async function whyLimited({ store }: Context, holder: AttemptRef): Promise<Reason | undefined> {
  const place = await store.readLimitPlace(holder);
  if (!place) return undefined;
  const { name, slots, held, ahead } = place;
  return {
    why: `waits for a slot of ${name}: ${held} of ${slots} taken, ${ahead} before it`,
    frees: 'one that has such a slot ends',
  };
}
