/** `POST /runs` starts one; `GET /runs` lists them, newest first; `GET /runs/{id}` shows one with its task runs. */
import type { ShownRunState } from '@orrery/core/contract';
import type { FastifyInstance } from 'fastify';
import { nextPage, serve } from '../input.ts';
import { findRun, noTasks } from '../runs/read.ts';
import { showQueued, showQueuedRow, showRow, showRun } from '../runs/show.ts';
import { showTasks } from '../runs/show-task.ts';
import { startRun } from '../runs/start.ts';
import type { Context } from '../server.ts';
import { findWorkflow, workflowName } from '../workflows/find.ts';

/** Task runs on the page of a run; the rest has pages of its own. */
const FIRST_TASKS = 1_000;

/** Adds the routes. */
export function addRunRoutes(app: FastifyInstance, context: Context): void {
  const { store } = context;

  serve(app, context, 'startRun', async ({ body, headers }, reply) => {
    const { run, repeated } = await startRun(body, headers.idempotencyKey, context);
    reply.header('location', `/api/v1/runs/${run}`);
    return { id: run, state: repeated ? await stateOf(context, run) : 'queued', repeated };
  });

  serve(app, context, 'listRuns', async ({ query, request }) => {
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
  });

  serve(app, context, 'showRun', async ({ params: { id } }) => {
    const range = { from: 0, to: FIRST_TASKS };
    const found = await findRun(context, id, range);
    if ('queued' in found) return { ...showQueued(id, found.queued), tasks: [], nextTasks: null };
    const { length } = found.plan.tasks;
    return {
      ...showRun(found),
      tasks: showTasks(found, range),
      nextTasks: length > FIRST_TASKS ? `/api/v1/runs/${id}/tasks?from=${FIRST_TASKS}` : null,
    };
  });

  serve(app, context, 'listTasks', async ({ params: { id }, query: { from, limit } }) => {
    const range = { from, to: from + limit };
    const found = await findRun(context, id, range);
    if ('queued' in found) return { tasks: [], next: null };
    const more = range.to < found.plan.tasks.length;
    return {
      tasks: showTasks(found, range),
      next: more ? `/api/v1/runs/${id}/tasks?from=${range.to}&limit=${limit}` : null,
    };
  });
}

async function stateOf(context: Context, id: number): Promise<ShownRunState> {
  const found = await findRun(context, id, noTasks);
  return 'queued' in found ? 'queued' : found.details.fields.state;
}
