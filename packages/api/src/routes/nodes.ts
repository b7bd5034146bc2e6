/** `GET /nodes`: masters and workers, and whether each is alive. `GET /task-types`: what workers can run. */
import type { Answer } from '@orrery/core/contract';
import type { FastifyInstance } from 'fastify';
import { serve } from '../input.ts';
import { groupsOf, masterState, workerState } from '../nodes.ts';
import type { Context } from '../server.ts';
import { timeText } from '../time.ts';

/** Adds the routes. */
export function addNodeRoutes(app: FastifyInstance, context: Context): void {
  const { store, clock, taskTypes } = context;

  serve(app, context, 'listNodes', async () => {
    const now = clock.now();
    const [nodes, workers, assignments] = await Promise.all([
      store.listNodes(),
      store.listWorkers(),
      store.countAssignments(),
    ]);
    const held = new Map(assignments.map(({ worker, count }) => [worker, count]));
    return {
      masters: nodes.map((node) => ({
        id: node.id,
        state: masterState(node, now),
        roles: node.roles.split(','),
        address: node.address,
        epoch: node.epoch,
        joinedAt: timeText(node.joinedAt),
        beatAt: timeText(node.beatAt),
      })),
      workers: workers.map((worker) => ({
        id: worker.id,
        state: workerState(worker, now),
        groups: groupsOf(worker),
        address: worker.address,
        epoch: worker.epoch,
        slots: worker.slots,
        used: held.get(worker.id) ?? 0,
        beatAt: timeText(worker.beatAt),
      })),
    };
  });

  serve(app, context, 'listTaskTypes', async () => ({
    taskTypes: (await taskTypes()) as Answer<'listTaskTypes'>['taskTypes'],
  }));
}
