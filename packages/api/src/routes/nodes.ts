/** `/nodes`: masters and workers, whether each is alive, and draining them. `/task-types`: what workers can run. */

import { createHash, randomBytes } from 'node:crypto';
import type { Answer } from '@orrery/contract';
import { attemptNameText } from '@orrery/core/run';
import { type Said, said } from '@orrery/core/texts';
import type { InvitationRow, WorkerRow, WorkerUse } from '@orrery/store';
import type { Context } from '../context.ts';
import type { Handlers } from '../handler.ts';
import { groupsOf, isMaster, masterState, SILENT_AFTER, workerState } from '../nodes.ts';
import { Refusal } from '../problem.ts';
import { outlinesOf } from '../runs/outlines.ts';
import { timeText } from '../time.ts';
import { TEST_TASK } from './connections.ts';

/** Attempts of a worker that are listed. */
const MOST_ATTEMPTS = 500;

/** What the operations do. */
export function nodeHandlers(context: Context) {
  const { store, clock, taskTypes } = context;

  return {
    listNodes: async () => {
      const now = clock.now();
      const [nodes, workers, worked, { runs, attempts }] = await Promise.all([
        store.listNodes(),
        store.listWorkers(),
        store.listLastWork(),
        countHeld(context),
      ]);
      const workedAt = new Map(worked.map(({ node, at }) => [node, at]));
      return {
        masters: nodes.map((node) => ({
          id: node.id,
          state: masterState(node, now),
          roles: node.roles.split(','),
          address: node.address,
          epoch: node.epoch,
          joinedAt: timeText(node.joinedAt),
          beatAt: timeText(node.beatAt),
          progressAt: timeOrNull(isMaster(node) ? workedAt.get(node.id) : null),
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
          used: attempts.get(worker.id)?.count ?? 0,
          resources: resourcesOf(worker, attempts.get(worker.id)),
          beatAt: timeText(worker.beatAt),
          ...workOf(worker),
          unhealthy:
            worker.unhealthy === null
              ? null
              : { reason: worker.unhealthy, since: timeText(worker.unhealthySince ?? worker.beatAt) },
        })),
      };
    },

    listNodeAttempts: async ({ params: { node }, query: { project } }) => {
      const workers = await store.listWorkers();
      if (!workers.some(({ id }) => id === node))
        throw new Refusal('not-found', said('none.worker', { node }));
      const found = await store.listWorkerAttempts({ worker: node, project, limit: MOST_ATTEMPTS });
      const tasksOf = await outlinesOf(store).read(found);
      return {
        attempts: found.map((attempt) => ({
          id: attemptNameText({
            ...attempt,
            task: tasksOf(attempt)[attempt.task] ?? `task ${attempt.task}`,
          }),
          run: attempt.run,
          project: attempt.project,
          workflow: attempt.name,
          assignedAt: timeText(attempt.assignedAt),
          ending: attempt.killed === 1,
        })),
      };
    },

    drainNode: async ({ params, body, request }) =>
      drain(context, { ...params, ...body, drain: true, actor: request.identity.name }),

    undrainNode: async ({ params, request }) =>
      drain(context, { ...params, drain: false, actor: request.identity.name }),

    forgetNode: async ({ params: { node }, body, request }) => {
      const asked = { node, dryRun: body.dryRun, actor: request.identity.name, now: clock.now() };
      let answer = await store.forgetNode(asked);
      // Its epoch is set aside first, in a transaction of its own.
      if (answer === 'again') answer = await store.forgetNode(asked);
      if (answer === 'unknown') throw new Refusal('not-found', said('none.node', { node }));
      if (answer !== 'forgotten') throw new Refusal('conflict', whyKept(node, answer));
      return { id: node, forgotten: !body.dryRun };
    },

    listInvitations: async () => ({
      invitations: (await store.listInvitations()).map(invitationView),
    }),

    inviteNode: async ({ body: { worker, groups }, request }) => {
      const token = `${INVITATION}${randomBytes(32).toString('base64url')}`;
      const asked = { worker, groups, by: request.identity.name, now: clock.now() };
      await store.inviteWorker({ ...asked, hash: createHash('sha256').update(token).digest('hex') });
      return {
        ...{ worker, groups, token, usedAt: null },
        createdBy: asked.by,
        createdAt: timeText(asked.now),
      };
    },

    uninviteNode: async ({ params: { node }, request }) => {
      const asked = { worker: node, by: request.identity.name, now: clock.now() };
      if (!(await store.revokeInvitation(asked)))
        throw new Refusal('not-found', said('none.invitation', { node }));
      return { worker: node };
    },

    listTaskTypes: async () => ({
      // Only tests of connections have it.
      taskTypes: (await taskTypes()).filter(
        ({ name }) => name !== TEST_TASK,
      ) as Answer<'listTaskTypes'>['taskTypes'],
    }),
  } satisfies Partial<Handlers>;
}

/** Tells what a token is for, also to programs that look for leaked ones. */
const INVITATION = 'orw_';

function invitationView({ worker, groups, createdBy, createdAt, usedAt }: InvitationRow) {
  return {
    worker,
    groups: JSON.parse(groups) as string[],
    createdBy,
    createdAt: timeText(createdAt),
    usedAt: usedAt === null ? null : timeText(usedAt),
  };
}

/**
 * The resources a worker has for attempts, and what its attempts requested; null if it did not report any.
 */
function resourcesOf({ cores, memory }: WorkerRow, use: WorkerUse | undefined) {
  if (cores === null || memory === null) return null;
  return {
    cores: cores / 1_000,
    usedCores: (use?.cores ?? 0) / 1_000,
    memory,
    usedMemory: use?.memory ?? 0,
  };
}

/** A worker's load and progress, from its last heartbeat. */
function workOf({ load, beatAt }: WorkerRow) {
  const { cpu, memory, disk, idle } = JSON.parse(load) as Partial<Record<string, number>>;
  return {
    progressAt: timeOrNull(idle === undefined ? null : beatAt - idle),
    load: cpu === undefined || memory === undefined ? null : { cpu, memory, disk: disk ?? null },
  };
}

function timeOrNull(at: number | null | undefined): string | null {
  return at === null || at === undefined ? null : timeText(at);
}

/** How many runs each master owns, and how many attempts each worker has. */
async function countHeld({ store }: Context) {
  const [owned, assignments] = await Promise.all([store.countOwned(), store.countAssignments()]);
  return {
    runs: new Map(owned.map(({ owner, count }) => [owner, count])),
    attempts: new Map(assignments.map((use) => [use.worker, use])),
  };
}

/** No such live node exists; names possible ones. */
async function notAlive({ store, clock }: Context, node: string): Promise<Refusal> {
  const now = clock.now();
  const [nodes, workers] = await Promise.all([store.listNodes(), store.listWorkers()]);
  const alive = [
    ...nodes.filter((one) => masterState(one, now) === 'alive'),
    ...workers.filter((one) => workerState(one, now) === 'alive'),
  ];
  const names = [...new Set(alive.map(({ id }) => id))].sort();
  const shown = names.length > 20 ? [...names.slice(0, 20), 'others'] : names;
  return new Refusal('not-found', said('none.liveNode', { node, alive: shown.join(', ') || 'none' }));
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
  if (roles.length === 0) throw await notAlive(context, node);
  if (refused !== undefined) throw new Refusal('conflict', said('node.notDrained', { node, why: refused }));
  const { runs, attempts } = await countHeld(context);
  return {
    id: node,
    roles: [...roles],
    draining: asked.drain && !dryRun,
    sum,
    runs: runs.get(node) ?? 0,
    attempts: attempts.get(node)?.count ?? 0,
  };
}

function whyKept(node: string, answer: 'alive' | 'busy' | 'again'): Said {
  if (answer === 'alive') return said('node.alive', { node });
  return said('node.busy', { node });
}
