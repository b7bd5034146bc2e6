/** Runs: `POST /runs` starts one, `GET /runs` lists them, `GET /runs/{id}` and what is below it show one. */
import type { FastifyInstance } from 'fastify';
import { linkTo, serve } from '../input.ts';
import { Refusal } from '../problem.ts';
import { chooseRuns } from '../runs/choose.ts';
import { columnsOf } from '../runs/columns.ts';
import { listEvents } from '../runs/events.ts';
import { groupRuns } from '../runs/groups.ts';
import { countByTime } from '../runs/histogram.ts';
import { countRuns, listRuns, sortRuns } from '../runs/list.ts';
import { listPoints } from '../runs/points.ts';
import { findRun, stateOf } from '../runs/read.ts';
import { replayRun } from '../runs/replay.ts';
import { showRun } from '../runs/show.ts';
import { startRun } from '../runs/start.ts';
import { listTaskWaits } from '../runs/waits.ts';
import type { Context } from '../server.ts';
import { timeText } from '../time.ts';

/** Adds the routes. */
export function addRunRoutes(app: FastifyInstance, context: Context): void {
  const { store, clock } = context;

  serve(app, context, 'startRun', async ({ body, headers }, reply) => {
    const { run, repeated, counts } = await startRun(body, headers.idempotencyKey, context);
    reply.header('location', `/api/v1/runs/${run}`);
    return { id: run, state: repeated ? await stateOf(context, run) : 'queued', repeated, counts };
  });

  serve(app, context, 'replayRun', async ({ params, body, headers }, reply) => {
    const { run, ...told } = await replayRun(context, params.id, body, headers.idempotencyKey);
    reply.header('location', `/api/v1/runs/${run}`);
    return { id: run, state: told.repeated ? await stateOf(context, run) : 'queued', ...told };
  });

  serve(app, context, 'listRuns', async ({ query, request }) => {
    const { limit, before, after, order, count, ...choice } = query;
    const now = clock.now();
    const chosen = await chooseRuns(store, choice, now);
    const list =
      order === 'longest' || order === 'shortest'
        ? sortRuns(store, chosen, { shortest: order === 'shortest', now, before, past: after, limit })
        : listRuns(store, chosen, { before, after, oldest: order === 'oldest', limit });
    const [page, counted] = await Promise.all([list, count ? countRuns(store, chosen) : undefined]);
    const next =
      page.next === undefined
        ? null
        : linkTo(request, { [order === 'newest' ? 'before' : 'after']: page.next });
    return { runs: page.runs, ...(counted && { count: counted }), next };
  });

  serve(app, context, 'showHistogram', async ({ query }) => countByTime(store, query, clock.now()));

  serve(app, context, 'listRunGroups', async ({ query }) => groupRuns(store, query, clock.now()));

  serve(app, context, 'listRunPoints', async ({ query }) => listPoints(store, query, clock.now()));

  serve(app, context, 'setRunTags', async ({ params: { id }, body, request }) => {
    const tags = [...new Set(body.tags)].sort();
    const found = await store.setRunTags({ run: id, tags, by: request.identity.name, now: clock.now() });
    if (!found) throw new Refusal('not-found', `there is no run ${id}`);
    return { run: id, tags };
  });

  serve(app, context, 'showRun', async ({ params: { id } }) => showRun(context, id));

  serve(app, context, 'listTasks', async ({ params: { id }, query, request }) => {
    const { from, limit, include } = query;
    const range = { from, to: from + limit };
    const found = await findRun(context, id, range);
    if ('queued' in found) return { ...noColumns(id, found.queued.createdAt), from, next: null };
    const page = await columnsOf(store, found, range, include.includes('needs'));
    return { ...page, next: range.to < page.total ? linkTo(request, { from: range.to }) : null };
  });

  serve(app, context, 'listTaskWaits', async ({ params: { id } }) => listTaskWaits(context, id));

  serve(app, context, 'listRunEvents', async ({ params: { id }, query, request }) => {
    const { events, next } = await listEvents(context, id, query);
    return { events, next: next === undefined ? null : linkTo(request, { after: next }) };
  });
}

/** Of a run that nobody has claimed, no task runs are known. */
function noColumns(run: number, createdAt: number) {
  return {
    run,
    total: 0,
    base: timeText(createdAt),
    states: [],
    types: [],
    workers: [],
    reasons: [],
    columns: {
      name: [],
      type: [],
      state: [],
      since: [],
      queued: [],
      started: [],
      ended: [],
      round: [],
      attempt: [],
      worker: [],
      reason: [],
    },
    due: {},
    forced: [],
    shards: {},
  };
}
