/** `/nodes`: masters and workers, whether each is alive, and draining them. `/task-types`: what workers can run. */
import type { Answer } from '@orrery/core/contract';
import type { FastifyInstance } from 'fastify';
import { serve } from '../input.ts';
import { groupsOf, masterState, SILENT_AFTER, workerState } from '../nodes.ts';
import { Refusal } from '../problem.ts';
import type { Context } from '../server.ts';
import { timeText } from '../time.ts';

/** Adds the routes. */
export function addNodeRoutes(app: FastifyInstance, context: Context): void {
  const { store, clock, taskTypes } = context;

  serve(app, context, 'listNodes', async () => {
    const now = clock.now();
    const [nodes, workers, { runs, attempts }] = await Promise.all([
      store.listNodes(),
      store.listWorkers(),
      countHeld(context),
    ]);
    return {
      masters: nodes.map((node) => ({
        id: node.id,
        state: masterState(node, now),
        roles: node.roles.split(','),
        address: node.address,
        epoch: node.epoch,
        joinedAt: timeText(node.joinedAt),
        beatAt: timeText(node.beatAt),
        runs: runs.get(node.id) ?? 0,
        reason: node.reason,
        settings: JSON.parse(node.info),
        clockOffset: node.clockOffset,
        clockFault: node.clockFault,
      })),
      workers: workers.map((worker) => ({
        id: worker.id,
        state: workerState(worker, now),
        groups: groupsOf(worker),
        address: worker.address,
        epoch: worker.epoch,
        slots: worker.slots,
        used: attempts.get(worker.id) ?? 0,
        beatAt: timeText(worker.beatAt),
        unhealthy:
          worker.unhealthy === null
            ? null
            : { reason: worker.unhealthy, since: timeText(worker.unhealthySince ?? worker.beatAt) },
      })),
    };
  });

  serve(app, context, 'drainNode', async ({ params, body, request }) =>
    drain(context, { ...params, ...body, drain: true, actor: request.identity.name }),
  );

  serve(app, context, 'undrainNode', async ({ params, request }) =>
    drain(context, { ...params, drain: false, actor: request.identity.name }),
  );

  serve(app, context, 'forgetNode', async ({ params: { node }, body, request }) => {
    const asked = { node, dryRun: body.dryRun, actor: request.identity.name, now: clock.now() };
    let answer = await store.forgetNode(asked);
    // Its epoch is set aside first, in a transaction of its own.
    if (answer === 'again') answer = await store.forgetNode(asked);
    if (answer === 'unknown') throw new Refusal('not-found', `there is no node "${node}"`);
    if (answer !== 'forgotten') throw new Refusal('conflict', whyKept(node, answer));
    return { id: node, forgotten: !body.dryRun };
  });

  serve(app, context, 'listTaskTypes', async () => ({
    taskTypes: (await taskTypes()) as Answer<'listTaskTypes'>['taskTypes'],
  }));
}

/** How many runs each master owns, and how many attempts each worker has. */
async function countHeld({ store }: Context) {
  const [owned, assignments] = await Promise.all([store.countOwned(), store.countAssignments()]);
  return {
    runs: new Map(owned.map(({ owner, count }) => [owner, count])),
    attempts: new Map(assignments.map(({ worker, count }) => [worker, count])),
  };
}

/** Drains a node or takes that back; refuses with the sum. */
async function drain(
  context: Context,
  asked: {
    readonly node: string;
    readonly drain: boolean;
    readonly timeout?: number;
    readonly dryRun?: boolean;
    readonly actor: string;
  },
): Promise<Answer<'drainNode'>> {
  const { store, clock } = context;
  const { node, timeout = 0, dryRun = false } = asked;
  const silentAfter = SILENT_AFTER.master;
  const { roles, sum, refused } = await store.drainNode({
    ...asked,
    timeout,
    silentAfter,
    now: clock.now(),
  });
  if (roles.length === 0)
    throw new Refusal('not-found', `no master and no worker "${node}" is alive; see GET /nodes`);
  if (refused !== undefined) throw new Refusal('conflict', `${node} cannot be drained: ${refused}`);
  const { runs, attempts } = await countHeld(context);
  return {
    id: node,
    roles: [...roles],
    draining: asked.drain && !dryRun,
    sum,
    runs: runs.get(node) ?? 0,
    attempts: attempts.get(node) ?? 0,
  };
}

function whyKept(node: string, answer: 'alive' | 'busy' | 'again'): string {
  if (answer === 'alive') return `${node} is alive or was lost only now; drain and stop it first`;
  return `${node} still has runs or attempts that others are taking over; try again`;
}
