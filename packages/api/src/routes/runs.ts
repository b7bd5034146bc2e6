/** `POST /runs` starts one; `GET /runs` lists them, newest first; `GET /runs/{id}` shows one with its task runs. */
import { runMachine } from '@orrery/core/state';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { limit, nextPage, number, route } from '../input.ts';
import { Refusal } from '../problem.ts';
import { findRun, noTasks } from '../runs/read.ts';
import { showQueued, showQueuedRow, showRow, showRun } from '../runs/show.ts';
import { showTasks } from '../runs/show-task.ts';
import { startRequest, startRun } from '../runs/start.ts';
import type { Context } from '../server.ts';
import { findWorkflow, workflowName } from '../workflows/find.ts';

/** Task runs on the page of a run; the rest has pages of its own. */
const FIRST_TASKS = 1_000;

const states = ['queued', ...Object.keys(runMachine.transitions)];

const params = z.strictObject({ id: number });

/** Adds the routes. */
export function addRunRoutes(app: FastifyInstance, context: Context): void {
  const { store } = context;

  route(app, {
    method: 'POST',
    path: '/runs',
    body: startRequest,
    async handle({ body, request }, reply) {
      const { run, repeated } = await startRun(body, keyOf(request), context);
      const state = repeated ? await stateOf(context, run) : 'queued';
      return reply.code(202).header('location', `/api/v1/runs/${run}`).send({ id: run, state, repeated });
    },
  });

  route(app, {
    method: 'GET',
    path: '/runs',
    query: z.strictObject({
      workflow: z.string().optional(),
      state: z.enum(states, `must be one of ${states.join(', ')}`).optional(),
      limit,
      before: number.optional(),
    }),
    async handle({ query, request }) {
      const { state, ...page } = query;
      const workflow =
        query.workflow === undefined
          ? undefined
          : (await findWorkflow(store, workflowName(query.workflow), 'not-found')).id;
      // Commands first: one that is claimed meanwhile is then among the runs.
      const commands =
        state === undefined || state === 'queued' ? await store.listCommands({ ...page, workflow }) : [];
      const rows = state === 'queued' ? [] : await store.listRuns({ ...page, workflow, state });
      const created = new Set(rows.map(({ id }) => id));
      const runs = [
        ...commands
          .filter(({ run }) => !created.has(run))
          .map(({ run, command, createdAt }) => showQueuedRow(run, command, createdAt)),
        ...rows.map(showRow),
      ]
        .sort((a, b) => b.id - a.id)
        .slice(0, query.limit);
      return { runs, next: nextPage(request, runs, query.limit, (last) => ({ before: last.id })) };
    },
  });

  route(app, {
    method: 'GET',
    path: '/runs/:id',
    params,
    async handle({ params: { id } }) {
      const range = { from: 0, to: FIRST_TASKS };
      const found = await findRun(context, id, range);
      if ('queued' in found) return { ...showQueued(id, found.queued), tasks: [], nextTasks: null };
      const { length } = found.plan.tasks;
      return {
        ...showRun(found),
        tasks: showTasks(found, range),
        nextTasks: length > FIRST_TASKS ? `/api/v1/runs/${id}/tasks?from=${FIRST_TASKS}` : null,
      };
    },
  });

  route(app, {
    method: 'GET',
    path: '/runs/:id/tasks',
    params,
    query: z.strictObject({
      limit: limit.unwrap().default(FIRST_TASKS),
      from: z
        .string()
        .regex(/^\d{1,7}$/, 'is not the number of a task, counted from 0')
        .transform(Number)
        .default(0),
    }),
    async handle({ params: { id }, query: { from, limit } }) {
      const range = { from, to: from + limit };
      const found = await findRun(context, id, range);
      if ('queued' in found) return { tasks: [], next: null };
      const more = range.to < found.plan.tasks.length;
      return {
        tasks: showTasks(found, range),
        next: more ? `/api/v1/runs/${id}/tasks?from=${range.to}&limit=${limit}` : null,
      };
    },
  });
}

async function stateOf(context: Context, id: number): Promise<string> {
  const found = await findRun(context, id, noTasks);
  return 'queued' in found ? 'queued' : found.details.run.state;
}

function keyOf({ headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && /^[\x21-\x7e]{1,200}$/.test(key)) return key;
  throw new Refusal('bad-request', 'Idempotency-Key: use 1 to 200 visible ASCII characters');
}
